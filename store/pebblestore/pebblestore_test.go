package pebblestore_test

import (
	"testing"

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

func oracle(shards int, illegal func(error)) store.Store {
	return memstore.New(shards, memstore.WithIllegal(illegal))
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) (store.Store, func() store.Store) {
		dir := t.TempDir()
		reopen := func() store.Store { return open(t, dir, pebblestore.Options{Shards: 4}) }
		return reopen(), reopen
	}, oracle)
}
