package pebblestore_test

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

// crashed is a store that lost power: tables, a manifest with several edits,
// and a log that is to be replayed.
type crashed struct {
	*testing.T
	disk *vfs.MemFS
	work *workload
}

func newCrashed(t *testing.T) *crashed {
	c := &crashed{T: t, disk: vfs.NewCrashableMem(), work: newWorkload(3)}
	s := open(t, dir, small(cloneable{c.disk}))
	if err := c.work.run(s, 120); err != nil {
		t.Fatal(err)
	}
	cut := c.disk.CrashClone(vfs.CrashCloneCfg{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c.disk = cut
	return c
}

// files returns the paths of all files, by the kind of file.
func (c *crashed) files() map[string][]string {
	kinds := make(map[string][]string)
	for _, d := range []string{dir, dir + "/pebble"} {
		names, err := c.disk.List(d)
		if err != nil {
			c.Fatal(err)
		}
		for _, name := range names {
			p := path.Join(d, name)
			if info, err := c.disk.Stat(p); err != nil || info.IsDir() {
				continue
			}
			kind := strings.TrimRight(strings.SplitN(name, "-", 2)[0], "0123456789")
			switch ext := path.Ext(name); {
			case ext == ".log" || ext == ".sst":
				kind = ext
			case strings.HasPrefix(name, "marker."):
				kind = "marker"
			}
			kinds[kind] = append(kinds[kind], p)
		}
	}
	return kinds
}

func (c *crashed) read(fs vfs.FS, p string) []byte {
	c.Helper()
	f, err := fs.Open(p)
	if err != nil {
		c.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		c.Fatal(err)
	}
	return b
}

// with returns a copy of the disk on which one file has other bytes.
func (c *crashed) with(p string, b []byte) *vfs.MemFS {
	c.Helper()
	fs := c.copy()
	f, err := fs.Create(p, vfs.WriteCategoryUnspecified)
	if err != nil {
		c.Fatal(err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Close()); err != nil {
		c.Fatal(err)
	}
	return fs
}

func (c *crashed) copy() *vfs.MemFS { return c.disk.CrashClone(vfs.CrashCloneCfg{}) }

// outcome opens a damaged store and reads all of it. It fails unless that ends
// in an error that speaks of damage, or in all that was committed, with indexes
// to match. It returns how many acknowledged commits are missing then, at most
// in one shard, or that there was an error. Of a file that may be torn it asks
// only that it is read or refused.
func (c *crashed) outcome(what, kind string, fs vfs.FS) (lost int, refused bool) {
	c.Helper()
	s, err := pebblestore.Open(dir, small(fs))
	if err == nil {
		for shard := range shards {
			_, readErr := tryReadShard(s, shard, make(map[string]numbers))
			err = errors.Join(err, readErr)
		}
		if err == nil && !endsTorn(kind) {
			found := c.work.check(c.T, s, [shards]int64{})
			for shard, n := range c.work.acked() {
				lost = max(lost, int(n)-found[shard])
			}
		}
		if closeErr := s.Close(); err == nil && closeErr != nil {
			err = closeErr
		}
	}
	if format := (*store.FormatError)(nil); kind == "FORMAT" && errors.As(err, &format) {
		return lost, true // it looks like that of a newer program
	}
	if err != nil && !endsTorn(kind) && !errors.Is(err, pebblestore.ErrCorrupt) {
		c.Fatalf("%s: %v, which does not wrap ErrCorrupt", what, err)
	}
	return lost, err != nil
}

// A flipped bit anywhere is either found out or has no effect, but for the ends
// of the newest log and of the manifest: there Pebble can't tell it from what a
// crash tore, and takes what stands before it.
func TestFlippedBits(t *testing.T) {
	c := newCrashed(t)
	for kind, paths := range c.files() {
		if kind == "OWNER" || kind == "LOCK" {
			continue // say nothing of the data
		}
		refused, fine, most := 0, 0, 0
		for _, p := range paths {
			whole := c.read(c.disk, p)
			for at := 0; at < len(whole); at += 1 + len(whole)/150 {
				b := append([]byte(nil), whole...)
				b[at] ^= 1 << (at % 8)
				lost, r := c.outcome(fmt.Sprintf("%s, bit %d of byte %d", p, at%8, at), kind, c.with(p, b))
				if r {
					refused++
				} else {
					fine++
				}
				most = max(most, lost)
				if lost > 0 {
					t.Errorf("%s, bit %d of byte %d of %d: %d commits are gone without a word", p, at%8, at, len(whole), lost)
				}
			}
		}
		t.Logf("%s: %d refused, %d without effect or with at most %d commits lost", kind, refused, fine, most)
		if kind != "marker" && kind != ".log" && refused == 0 { // a log this short is all end
			t.Errorf("%s: no damage was ever found", kind)
		}
	}
}

// endsTorn reports whether a crash can leave such a file with a torn end.
func endsTorn(kind string) bool { return kind == ".log" || kind == "MANIFEST" }

// A file that was cut short: a log is what it is up to there, as if the power
// had been cut then; anything else is found out.
func TestTruncatedFiles(t *testing.T) {
	c := newCrashed(t)
	for kind, paths := range c.files() {
		if kind == "OWNER" || kind == "LOCK" {
			continue
		}
		for _, p := range paths {
			whole := c.read(c.disk, p)
			for n := 0; n < len(whole); n += 1 + len(whole)/60 {
				lost, refused := c.outcome(fmt.Sprintf("%s, %d of %d bytes", p, n, len(whole)), kind, c.with(p, whole[:n]))
				if !refused && lost > 0 {
					t.Errorf("%s, %d of %d bytes: %d commits are gone without a word", p, n, len(whole), lost)
				}
			}
		}
	}
}

// A file that is missing is found out, or was not needed.
func TestMissingFiles(t *testing.T) {
	c := newCrashed(t)
	newest := ""
	for _, p := range c.files()[".log"] {
		newest = max(newest, p)
	}
	for kind, paths := range c.files() {
		for _, p := range paths {
			fs := c.copy()
			if err := fs.Remove(p); err != nil {
				t.Fatal(err)
			}
			lost, refused := c.outcome(p+" removed", kind, fs)
			if !refused && lost > 0 && p != newest {
				t.Errorf("%s removed: %d commits are gone without a word", p, lost)
			}
			t.Logf("%s %s: refused %v, lost %d", kind, p, refused, lost)
		}
	}
}

// A format that a newer program wrote is refused with its number, and anything
// that is no format with words.
func TestFormat(t *testing.T) {
	c := newCrashed(t)
	const p = dir + "/pebble/FORMAT"
	for _, found := range []int{3, 4, 1000} {
		_, err := pebblestore.Open(dir, small(c.with(p, fmt.Appendf(nil, "timewheel store, format %d\n", found))))
		var format *store.FormatError
		if !errors.As(err, &format) || format.Found != found || format.Known != 2 {
			t.Errorf("format %d: got %v", found, err)
		}
	}
	for _, text := range []string{"", "timewheel store, format 0\n", "timewheel store, format -1\n", "timewheel store, format 2", "timewheel store, format 2\n\n", "1", "timewheel store, format 99999999999999999999\n"} {
		if _, err := pebblestore.Open(dir, small(c.with(p, []byte(text)))); !errors.Is(err, pebblestore.ErrCorrupt) {
			t.Errorf("format %q: got %v", text, err)
		}
	}
}
