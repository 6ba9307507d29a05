package pebblestore_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/store/storetest"
)

func open(t testing.TB, dir string, o pebblestore.Options) *pebblestore.Store {
	t.Helper()
	s, err := pebblestore.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) (store.Store, func() store.Store) {
		fs := vfs.NewMem() // the rules are the same there, and many stores are opened
		reopen := func() store.Store { return open(t, dir, pebblestore.Options{FS: fs, Shards: 4}) }
		return reopen(), reopen
	}, func(shards int, illegal func(error)) store.Store {
		return memstore.New(shards, memstore.WithIllegal(illegal))
	})
}

// The same as on a file system in memory holds on the operating system's.
func TestOnDisk(t *testing.T) {
	folder := t.TempDir()
	o := small(nil)
	for round := range 3 {
		s := open(t, folder, o)
		w := newWorkload(uint64(round))
		if err := w.run(s, 60); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, folder, o)
		w.check(t, s, w.acked())
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(t testing.TB) (store.Store, func() store.Store) {
		return open(t, t.TempDir(), pebblestore.Options{}), nil
	})
}
