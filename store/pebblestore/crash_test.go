package pebblestore_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

// clone is the disk as a power cut would have left it.
type clone struct {
	fs    *vfs.MemFS
	acked [shards]int64
}

// cloneable is a MemFS that can be cloned at any moment. MemFS's own
// ReuseForWrite takes the lock of CrashClone twice, which deadlocks with it.
type cloneable struct{ *vfs.MemFS }

// ReuseForWrite does the same in two steps.
func (c cloneable) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := c.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return c.OpenReadWrite(newname, category)
}

// syncWatch takes clones of a disk before every sync.
type syncWatch struct {
	disk    *vfs.MemFS
	work    *workload
	percent int // of the unsynced blocks and directory entries that survive

	mu     sync.Mutex
	rng    *rand.Rand // guarded by mu
	clones []clone    // guarded by mu
}

// before is told of every operation.
//
// A MemFS can keep a directory entry and lose an older one beside it. Journaling
// file systems don't, and syncing a file there syncs its name; Pebble relies on
// that.
func (w *syncWatch) before(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData:
		w.take()
		if w.percent == 0 {
			return nil
		}
		parent, err := w.disk.OpenDir(w.disk.PathDir(op.Path))
		if err != nil {
			return err
		}
		return errors.Join(parent.Sync(), parent.Close())
	case errorfs.OpRename:
		w.take()
	}
	return nil
}

func (w *syncWatch) take() {
	w.mu.Lock()
	defer w.mu.Unlock()
	acked := w.work.acked() // first: what is acknowledged later may be in the clone, and need not
	fs := w.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: w.percent, RNG: w.rng})
	w.clones = append(w.clones, clone{fs: fs, acked: acked})
}

// A power cut at any sync, with nothing, half or all of what was not synced on
// the disk: the store opens, has everything acknowledged, and no half batch.
func TestPowerCutAtEverySync(t *testing.T) {
	for _, percent := range []int{0, 50, 100} {
		seed := uint64(percent) + 1
		w := &syncWatch{disk: vfs.NewCrashableMem(), work: newWorkload(seed), percent: percent, rng: rand.New(rand.NewPCG(seed, 0))}
		s := open(t, dir, small(errorfs.Wrap(cloneable{w.disk}, errorfs.InjectorFunc(w.before))))
		if err := w.work.run(s, 150); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		w.take()
		t.Logf("seed %d: %d clones with %d %% of what was not synced", seed, len(w.clones), percent)
		for i, c := range w.clones {
			s, err := pebblestore.Open(dir, small(c.fs))
			if err != nil {
				t.Fatalf("seed %d, clone %d: %v", seed, i, err)
			}
			w.work.check(t, s, c.acked)
			if err := s.Close(); err != nil {
				t.Fatalf("seed %d, clone %d: %v", seed, i, err)
			}
		}
	}
}

// Cuts upon cuts: a store that was cut off is opened, worked with and cut off
// again, many times over.
func TestPowerCutsInARow(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	disk := vfs.NewCrashableMem()
	for round := range 30 {
		s, err := pebblestore.Open(dir, small(cloneable{disk}))
		if err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, round, err)
		}
		w := newWorkload(seed + uint64(round))
		if err := w.run(s, 10+rng.IntN(60)); err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, round, err)
		}
		acked := w.acked()
		cut := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		if err := s.Close(); err != nil { // the old disk's; the clone knows nothing of it
			t.Fatal(err)
		}
		disk = cut
		s = open(t, dir, small(disk))
		w.check(t, s, acked)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		disk = disk.CrashClone(vfs.CrashCloneCfg{})
	}
}
