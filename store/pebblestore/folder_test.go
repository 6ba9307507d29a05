package pebblestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

// A folder with anything else in it is left alone.
func TestForeignFolder(t *testing.T) {
	folder := t.TempDir()
	foreign := filepath.Join(folder, "letter.txt")
	if err := os.WriteFile(foreign, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := pebblestore.Open(folder, pebblestore.Options{})
	if err == nil || !strings.Contains(err.Error(), "letter.txt") || !strings.Contains(err.Error(), "not timewheel's") {
		t.Errorf("got %v", err)
	}
	if b, err := os.ReadFile(foreign); err != nil || string(b) != "dear" {
		t.Errorf("the file is now %q, %v", b, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder now holds %v, %v; want the letter alone", left, err)
	}
	if _, err := pebblestore.Open(foreign, pebblestore.Options{}); err == nil || !strings.Contains(err.Error(), "letter.txt") {
		t.Errorf("a file in the place of the folder: got %v", err)
	}
	if _, err := pebblestore.Open("", pebblestore.Options{}); err == nil {
		t.Error("no folder: no error")
	}
}

// Folders that are missing are made, and one that a volume's root left in is no
// stranger.
func TestNewFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(filepath.Join(folder, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{folder, filepath.Join(folder, "..", "c", "d")} {
		s := open(t, name, pebblestore.Options{})
		if s.Shards() != 16 || s.Created().Year() < 2020 {
			t.Errorf("%d shards, created %v", s.Shards(), s.Created())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The number of shards is for good: asking for another is refused, not asking
// is not.
func TestShardsAreForGood(t *testing.T) {
	fs := vfs.NewMem()
	for _, ask := range []int{5, 5, 0} {
		s := open(t, dir, pebblestore.Options{FS: fs, Shards: ask})
		if s.Shards() != 5 {
			t.Errorf("asked for %d, got %d", ask, s.Shards())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pebblestore.Open(dir, pebblestore.Options{FS: fs, Shards: 6}); err == nil || !strings.Contains(err.Error(), "5 shards") {
		t.Errorf("got %v", err)
	}
	if err := open(t, dir, pebblestore.Options{FS: fs}).Close(); err != nil { // the refusal released the folder
		t.Fatal(err)
	}
}

// All that is wrong with options is said at once.
func TestOptions(t *testing.T) {
	_, err := pebblestore.Open(dir, pebblestore.Options{FS: vfs.NewMem(), Shards: 5000, CacheBytes: -1, MemTableBytes: 1})
	for _, word := range []string{"shards", "cache bytes", "memtable bytes"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("got %v, want a word on %s", err, word)
		}
	}
}

// What is left of a store that was not wholly made is made anew.
func TestUnfinishedCreation(t *testing.T) {
	fs := vfs.NewMem()
	if err := open(t, dir, pebblestore.Options{FS: fs}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := fs.Rename(dir+"/pebble", dir+"/pebble.new"); err != nil {
		t.Fatal(err)
	}
	if err := fs.Remove(dir + "/pebble.new/FORMAT"); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, pebblestore.Options{FS: fs, Shards: 2}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(dir + "/pebble.new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("pebble.new is still there: %v", err)
	}
}
