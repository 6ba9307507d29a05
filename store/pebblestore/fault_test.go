package pebblestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

// failing is a disk that has no space left from the n-th write on.
type failing struct {
	writes atomic.Int64
	from   int64
}

func (f *failing) fault(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpRename, errorfs.OpReuseForWrite, errorfs.OpMkdirAll:
		if f.writes.Add(1) >= f.from {
			return syscall.ENOSPC
		}
	}
	return nil
}

// Whichever write is the first to fail: the error surfaces, names the cause,
// and stays; and on a disk with space everything acknowledged is there.
func TestFullDisk(t *testing.T) {
	for from := int64(1); ; from++ {
		disk, w := vfs.NewCrashableMem(), newWorkload(uint64(from))
		f := &failing{from: from}
		failed := runOnFullDisk(t, errorfs.Wrap(disk, errorfs.InjectorFunc(f.fault)), w, from)
		s := open(t, dir, small(disk.CrashClone(vfs.CrashCloneCfg{})))
		w.check(t, s, w.acked())
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !failed {
			t.Logf("%d writes in all", f.writes.Load())
			return
		}
	}
}

// runOnFullDisk reports whether a write failed.
func runOnFullDisk(t *testing.T, disk vfs.FS, w *workload, from int64) bool {
	t.Helper()
	s, err := pebblestore.Open(dir, small(disk))
	if err != nil {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("write %d: Open: %v", from, err)
		}
		return true
	}
	err = w.run(s, 60)
	if err == nil {
		err = s.Close()
		if err == nil {
			return false
		}
		wantFailed(t, "Close", from, err)
		return true
	}
	wantFailed(t, "Commit", from, err)
	_, err = s.Get(context.Background(), 0, refsOf(0), true)
	wantFailed(t, "Get", from, err)
	wantFailed(t, "Commit", from, s.Commit(context.Background(), store.Batch{Epoch: 1}))
	wantFailed(t, "PutQueue", from, s.PutQueue(context.Background(), task.Queue{Name: "q", Revision: 1}))
	wantFailed(t, "Close", from, s.Close())
	if err := s.Close(); !errors.Is(err, store.ErrClosed) {
		t.Fatalf("write %d: second Close: %v", from, err)
	}
	return true
}

func wantFailed(t *testing.T, call string, from int64, err error) {
	t.Helper()
	var failed *pebblestore.FailedError
	var path *fs.PathError
	if !errors.As(err, &failed) || !errors.As(err, &path) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("write %d: %s returned %v, want a FailedError with the file and %v", from, call, err, syscall.ENOSPC)
	}
}

// A store that failed can be opened again in the same process.
func TestReopenAfterFailure(t *testing.T) {
	disk, w := vfs.NewMem(), newWorkload(1)
	var full atomic.Bool
	faulty := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && (op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSync) {
			return syscall.EIO
		}
		return nil
	}))
	s := open(t, dir, small(faulty))
	if err := w.run(s, 20); err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	if err := newWorkload(2).run(s, 1); !errors.Is(err, syscall.EIO) {
		t.Fatalf("got %v, want %v", err, syscall.EIO)
	}
	if err := s.Close(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("Close: got %v, want %v", err, syscall.EIO)
	}
	full.Store(false)
	s = open(t, dir, small(faulty))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// gate is a disk whose syncs of logs wait until it is opened.
type gate struct {
	closed  atomic.Bool
	waiting chan struct{} // gets a value when a sync begins to wait
	open    chan struct{}
}

func (g *gate) fault(op errorfs.Op) error {
	if g.closed.Load() && strings.HasSuffix(op.Path, ".log") && (op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
		g.waiting <- struct{}{}
		<-g.open
	}
	return nil
}

// A disk that hangs: Commit heeds its context, the shard stays taken until the
// disk answers, and then all goes on.
func TestHangingDisk(t *testing.T) {
	g := &gate{waiting: make(chan struct{}, 100), open: make(chan struct{})}
	s := open(t, dir, small(errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(g.fault))))
	grants, err := s.Acquire(context.Background(), "node", []int{0})
	if err != nil {
		t.Fatal(err)
	}
	ref := refsOf(0)[0]
	first := &task.Task{Queue: ref.Queue, Key: ref.Key, State: task.Scheduled, Revision: 1, Next: 1, Expiry: 1, Body: &task.Body{}}
	g.closed.Store(true)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		done <- s.Commit(ctx, store.Batch{Shard: 0, Epoch: grants[0].Epoch, Writes: []store.Write{{Task: first}}})
	}()
	<-g.waiting
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("Commit on a hanging disk: %v", err)
	}
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := s.Acquire(short, "node", []int{0}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Acquire while a commit is under way: %v", err)
	}
	g.closed.Store(false)
	close(g.open)
	grants, err = s.Acquire(context.Background(), "node", []int{0})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Get(context.Background(), 0, []store.Ref{ref}, true)
	if err != nil || found[0] == nil {
		t.Fatalf("the commit that was under way ended before Acquire did, got %v, %v", found, err)
	}
	second := first.Clone()
	second.Body, second.Revision, second.Next = nil, 2, 2
	if err := s.Commit(context.Background(), store.Batch{Shard: 0, Epoch: grants[0].Epoch, Writes: []store.Write{{Prev: first, Task: second}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A folder that can't be written to is refused with words that say so.
func TestUnwritableFolder(t *testing.T) {
	for name, kinds := range map[string][]errorfs.OpKind{
		"mkdir": {errorfs.OpMkdirAll}, "lock": {errorfs.OpLock}, "create": {errorfs.OpCreate},
	} {
		t.Run(name, func(t *testing.T) {
			disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
				if slices.Contains(kinds, op.Kind) {
					return &fs.PathError{Op: name, Path: op.Path, Err: syscall.EACCES}
				}
				return nil
			}))
			_, err := pebblestore.Open(dir, small(disk))
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(fmt.Sprint(err), "data folder data") {
				t.Fatalf("got %v", err)
			}
		})
	}
}
