package pebblestore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

// old is a store as a program of format 1 left it. Its keys are put together
// here, byte by byte, as that program did.
type old struct {
	*testing.T
	disk   *vfs.MemFS
	tasks  []*task.Task
	counts map[string]numbers
	strays int // tasks that are in another shard now
	want   [shards]records
}

// oldEpochs are the epochs of its shards.
var oldEpochs = [shards]uint64{3, 700, 1}

func newOld(t *testing.T, n int) *old {
	o := &old{T: t, disk: vfs.NewCrashableMem(), counts: make(map[string]numbers)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		key := fmt.Sprint("k", i)
		if i%4 > 0 {
			key = task.OccurrenceKey(key, task.Instant(1_800_000_000_000_000+i%2))
		}
		next := draw(rng, store.Ref{Queue: []string{"q", "r"}[i%2], Key: key}, nil)
		next.RunBy = 3
		o.tasks = append(o.tasks, next)
	}
	s := open(t, dir, small(o.disk))
	if err := s.WriteRaw(o.write); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o.setFormat(o.disk, 1)
	o.disk = o.disk.CrashClone(vfs.CrashCloneCfg{})
	o.expect()
	return o
}

// expect works out what each shard shall hold.
func (o *old) expect() {
	for i := range o.want {
		o.want[i] = make(records)
	}
	for _, t := range o.tasks {
		o.want[task.Shard(t.Queue, t.Key, shards)][store.RefOf(t)] = show(t, t.Body)
	}
}

func (o *old) write(b *pebble.Batch) error {
	var errs []error
	set := func(key, value string) { errs = append(errs, b.Set([]byte(key), []byte(value), nil)) }
	for shard, epoch := range oldEpochs {
		set("e\x00"+string(rune(shard)), string(binary.AppendUvarint(nil, epoch)))
	}
	for _, t := range o.tasks {
		for key, value := range o.keys(t) {
			set(key, value)
		}
		c := o.counts[t.Queue]
		c.tasks[t.State]++
		o.counts[t.Queue] = c
		if oldShard(t) != task.Shard(t.Queue, t.Key, shards) {
			o.strays++
		}
	}
	for queue, c := range o.counts {
		var value []byte
		for _, state := range task.States {
			value = binary.AppendVarint(value, c.tasks[state])
		}
		errs = append(errs, b.Merge([]byte("c"+queue), value, nil))
	}
	return errors.Join(errs...)
}

// keys returns the keys of one task and their values.
func (o *old) keys(t *task.Task) map[string]string {
	place := func(i task.Instant) string {
		return string(binary.BigEndian.AppendUint64(nil, uint64(i)^1<<63)) + string(t.ID[:])
	}
	at := "\x00" + string(rune(oldShard(t))) // the shard, in two bytes
	queue := t.Queue + "\x00"
	head := task.AppendHead(nil, t)
	head[0] = 1
	keys := map[string]string{
		"h" + at + queue + t.Key:                                   string(head[:len(head)-4]), // without what version 2 added, four zeros
		"b" + at + queue + t.Key:                                   string(task.AppendBody(nil, t.Body)),
		"s" + at + queue + string(rune(t.State)) + place(t.Expiry): t.Key,
	}
	if t.Next != 0 {
		keys["n"+at+place(t.Next)] = string(rune(len(t.Queue))) + t.Queue + t.Key
	}
	if t.State == task.Ready {
		keys["r"+at+queue+t.Host+"\x00"+place(t.Expiry)] = t.Key
	}
	return keys
}

func oldShard(t *task.Task) int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s", t.Queue, t.Key)
	return int(h.Sum64() % shards)
}

func (o *old) setFormat(disk vfs.FS, n int) {
	o.Helper()
	o.put(disk, "FORMAT", fmt.Sprintf("timewheel store, format %d\n", n))
}

// put writes a file beside Pebble's.
func (o *old) put(disk vfs.FS, name, text string) {
	o.Helper()
	f, err := disk.Create(dir+"/pebble/"+name, vfs.WriteCategoryUnspecified)
	if err != nil {
		o.Fatal(err)
	}
	_, err = f.Write([]byte(text))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		o.Fatal(err)
	}
	d, err := disk.OpenDir(dir + "/pebble")
	if err := errors.Join(err, d.Sync(), d.Close()); err != nil {
		o.Fatal(err)
	}
}

func (o *old) copy() *vfs.MemFS { return o.disk.CrashClone(vfs.CrashCloneCfg{}) }

// check opens the store and fails unless everything is there, in the shard it
// belongs to now and in no other, with indexes and counts to match.
func (o *old) check(what string, disk vfs.FS) {
	o.Helper()
	s, err := pebblestore.Open(dir, small(disk))
	if err != nil {
		o.Fatalf("%s: %v", what, err)
	}
	counts := make(map[string]numbers)
	for shard := range shards {
		if got := readShard(o.T, s, shard, counts); !maps.Equal(got, o.want[shard]) {
			o.Fatalf("%s: shard %d has %d tasks, want %d: %s", what, shard, len(got), len(o.want[shard]), firstDifference(got, o.want[shard]))
		}
	}
	for queue, want := range counts {
		if got, err := count(s, queue); err != nil || got != want || want != o.counts[queue] {
			o.Fatalf("%s: queue %s: counted %v, %v, has %v, had %v", what, queue, got, err, want, o.counts[queue])
		}
	}
	if err := s.Close(); err != nil {
		o.Fatal(err)
	}
	if o.acceptedBefore(disk) {
		o.Fatalf("%s: a program of format 1 would not refuse it", what)
	}
	o.absent(what, disk, "UPGRADING", "UPGRADING.tmp", "FORMAT.tmp")
}

// acceptedBefore reports whether a program of format 1 opens the store: FORMAT
// has to be this line and nothing else.
// If not, it shall take the store for a newer one, not for a damaged one.
func (o *old) acceptedBefore(disk vfs.FS) bool {
	o.Helper()
	text := string((&crashed{T: o.T}).read(disk, dir+"/pebble/FORMAT"))
	if text != "timewheel store, format 1\n" && text != "timewheel store, format 2\n" {
		o.Errorf("FORMAT is %q, which is damage to a program of format 1", text)
	}
	return text == "timewheel store, format 1\n"
}

func (o *old) absent(what string, disk vfs.FS, names ...string) {
	o.Helper()
	for _, name := range names {
		if _, err := disk.Stat(dir + "/pebble/" + name); !errors.Is(err, fs.ErrNotExist) {
			o.Errorf("%s: %s is there: %v", what, name, err)
		}
	}
}

// checkRefused fails if tasks were moved and a program of format 1 would still
// open the store. It returns the number of those moved.
func (o *old) checkRefused(what string, disk *vfs.MemFS) (moved int) {
	o.Helper()
	look := disk.CrashClone(vfs.CrashCloneCfg{})
	o.setFormat(look, 2) // so that it is opened as it is
	if err := look.Remove(dir + "/pebble/UPGRADING"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.Fatal(err)
	}
	s := open(o.T, dir, small(look))
	for _, t := range o.tasks {
		home := task.Shard(t.Queue, t.Key, shards)
		if home == oldShard(t) {
			continue
		}
		found, err := s.Get(context.Background(), home, []store.Ref{store.RefOf(t)}, false)
		if err != nil {
			o.Fatalf("%s: %v", what, err)
		}
		if found[0] != nil {
			moved++
		}
	}
	if err := s.Close(); err != nil {
		o.Fatal(err)
	}
	if moved > 0 && o.acceptedBefore(disk) {
		o.Fatalf("%s: %d tasks have moved, and a program of format 1 would not refuse the store", what, moved)
	}
	return moved
}

func firstDifference(got, want records) string {
	for ref := range want {
		if got[ref] != want[ref] {
			return fmt.Sprintf("%v is\n%s\nwant\n%s", ref, got[ref], want[ref])
		}
	}
	return "there are more than there should be"
}

// A store of format 1 is brought up to date by the first Open, and is as any
// other then: it takes changes of what was moved.
func TestUpgrade(t *testing.T) {
	o := newOld(t, 3000)
	if o.strays < 1000 {
		t.Fatalf("only %d tasks have to be moved", o.strays)
	}
	o.check("first Open", o.disk)
	o.check("second Open", o.disk)
	s := open(t, dir, small(o.disk))
	grants, err := s.Acquire(context.Background(), "node", []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grants {
		if g.Epoch != 701 { // above that of every shard that a task can come from
			t.Errorf("shard %d has epoch %d", g.Shard, g.Epoch)
		}
	}
	for i, prev := range o.tasks {
		next := prev.Clone()
		next.Revision++
		shard := task.Shard(prev.Queue, prev.Key, shards)
		b := store.Batch{Shard: shard, Epoch: grants[shard].Epoch, Writes: []store.Write{{Prev: prev, Task: next}}}
		if i%100 == 0 {
			if err := s.Commit(context.Background(), b); err != nil {
				t.Fatal(err)
			}
			o.tasks[i] = next
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o.expect()
	o.check("after changes", o.disk)
}

// A power cut at any sync of the upgrade, or at any of the Open that comes
// after that one: the next Open does the rest, and no program of format 1 can
// come between.
func TestPowerCutWhileUpgrading(t *testing.T) {
	o := newOld(t, 600)
	for _, percent := range []int{0, 50, 100} {
		seed := uint64(percent) + 1
		untouched, halfway := 0, 0
		for i, c := range upgradeClones(t, o.copy(), percent, seed) {
			again := c.fs.CrashClone(vfs.CrashCloneCfg{})
			moved := o.checkRefused(fmt.Sprintf("%d %%, clone %d", percent, i), c.fs)
			if o.acceptedBefore(c.fs) {
				untouched++
			}
			if moved > 0 && moved < o.strays {
				halfway++
			}
			o.check(fmt.Sprintf("%d %%, clone %d", percent, i), c.fs)
			if percent != 50 || i%9 != 5 {
				continue
			}
			for j, c := range upgradeClones(t, again, percent, seed) {
				o.checkRefused(fmt.Sprintf("%d %%, clone %d of clone %d", percent, j, i), c.fs)
				o.check(fmt.Sprintf("%d %%, clone %d of clone %d", percent, j, i), c.fs)
			}
		}
		if untouched == 0 || halfway == 0 {
			t.Errorf("%d %%: %d clones from before, %d with some of the tasks moved; want some of each", percent, untouched, halfway)
		}
	}
}

// upgradeClones opens a store and returns the disk as it was before every sync.
func upgradeClones(t *testing.T, disk *vfs.MemFS, percent int, seed uint64) []clone {
	t.Helper()
	w := &syncWatch{disk: disk, work: newWorkload(seed), percent: percent, rng: rand.New(rand.NewPCG(seed, 0))}
	if err := open(t, dir, small(errorfs.Wrap(cloneable{disk}, errorfs.InjectorFunc(w.before)))).Close(); err != nil {
		t.Fatal(err)
	}
	w.take()
	t.Logf("%d clones with %d %% of what was not synced", len(w.clones), percent)
	return w.clones
}

// A disk without space ends the upgrade with that error, and with space again
// the next Open does the rest.
func TestUpgradeOnAFullDisk(t *testing.T) {
	o := newOld(t, 200)
	for from := int64(1); ; from++ {
		disk := o.copy()
		f := &failing{from: from}
		s, err := pebblestore.Open(dir, small(errorfs.Wrap(disk, errorfs.InjectorFunc(f.fault))))
		if err == nil {
			err = s.Close()
		}
		what, left := fmt.Sprint("write ", from, " failed"), disk.CrashClone(vfs.CrashCloneCfg{})
		o.checkRefused(what, left)
		o.check(what, left)
		if err == nil {
			t.Logf("%d writes in all", f.writes.Load())
			return
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("write %d: %v", from, err)
		}
	}
}

// What is damaged is reported before anything is moved, and the store stays of
// the old format.
func TestUpgradeOfADamagedStore(t *testing.T) {
	o := newOld(t, 100)
	stray := o.tasks[0]
	for _, next := range o.tasks {
		if oldShard(next) != task.Shard(next.Queue, next.Key, shards) && next.State == task.Ready {
			stray = next
		}
	}
	home := string(rune(task.Shard(stray.Queue, stray.Key, shards)))
	third := string(rune(3 - oldShard(stray) - task.Shard(stray.Queue, stray.Key, shards)))
	for key, value := range o.keys(stray) {
		kind, rest := key[:1], key[3:]
		o.damaged(kind+" is missing", func(b *pebble.Batch) error { return b.Delete([]byte(key), nil) }, kind != "h")
		o.damaged(kind+" is nonsense", func(b *pebble.Batch) error { return b.Set([]byte(key), []byte("?"), nil) }, kind != "b")
		o.damaged(kind+" is in both shards", func(b *pebble.Batch) error {
			return b.Set([]byte(kind+"\x00"+home+rest), []byte(value), nil)
		}, kind == "h")
		o.damaged(kind+" is in a strange shard", func(b *pebble.Batch) error {
			return b.Set([]byte(kind+"\x00"+third+rest), []byte(value), nil)
		}, kind == "h")
	}
	o.damaged("a shard that is none", func(b *pebble.Batch) error { return b.Set([]byte("h\x00\x09q\x00k"), []byte("?"), nil) }, true)
	o.damaged("a short key", func(b *pebble.Batch) error { return b.Set([]byte("h\x00"), []byte("?"), nil) }, true)
}

// damaged changes the store and opens it. What is found is what the upgrade has
// to look at; the rest is found when it is read.
func (o *old) damaged(what string, change func(*pebble.Batch) error, found bool) {
	o.Helper()
	disk := o.copy()
	o.setFormat(disk, 2) // to get at it
	s := open(o.T, dir, small(disk))
	if err := errors.Join(s.WriteRaw(change), s.Close()); err != nil {
		o.Fatal(err)
	}
	o.setFormat(disk, 1)
	s, err := pebblestore.Open(dir, small(disk))
	if !found {
		if err != nil {
			o.Fatalf("%s: %v", what, err)
		}
		if err := s.Close(); err != nil {
			o.Fatal(err)
		}
		return
	}
	if !errors.Is(err, pebblestore.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), "upgrading from format 1") {
		o.Fatalf("%s: %v, want damage", what, err)
	}
	if !o.acceptedBefore(disk) {
		o.Errorf("%s: a program of format 1 would not open the store any more", what)
	}
	o.absent(what, disk, "UPGRADING", "UPGRADING.tmp", "FORMAT.tmp")
}

// The beginning and the end of an upgrade are logged, and no other Open is.
func TestUpgradeIsLogged(t *testing.T) {
	o := newOld(t, 20)
	var lines bytes.Buffer
	with := small(o.disk)
	with.Logger = slog.New(slog.NewTextHandler(&lines, nil))
	for range 2 {
		if err := open(t, dir, with).Close(); err != nil {
			t.Fatal(err)
		}
	}
	begin, end, _ := strings.Cut(lines.String(), "\n")
	if !strings.Contains(begin, "store: upgrading") || !strings.Contains(begin, "from=1 to=2") {
		t.Errorf("the first line is %q", begin)
	}
	if !strings.Contains(end, "store: upgraded") || !strings.Contains(end, fmt.Sprint("moved=", o.strays)) || strings.Count(end, "\n") != 1 {
		t.Errorf("the rest is %q", end)
	}
}

// A file UPGRADING that no upgrade writes is damage. It does not hide that the
// store is of a newer format.
func TestDamagedUpgradingFile(t *testing.T) {
	o := newOld(t, 20)
	for _, text := range []string{"", "timewheel store, format 0\n", "timewheel store, format 1", "timewheel store, format 3\n"} {
		disk := o.copy()
		o.setFormat(disk, 2)
		o.put(disk, "UPGRADING", text)
		if _, err := pebblestore.Open(dir, small(disk)); !errors.Is(err, pebblestore.ErrCorrupt) || !strings.Contains(err.Error(), "UPGRADING") {
			t.Errorf("%q: %v, want damage of UPGRADING", text, err)
		}
		o.setFormat(disk, 3)
		if _, err := pebblestore.Open(dir, small(disk)); !errors.As(err, new(*store.FormatError)) {
			t.Errorf("%q in a store of format 3: %v", text, err)
		}
	}
}
