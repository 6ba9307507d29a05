package memstore_test

import (
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/store/storetest"
)

// oracle is what memstore is for the other drivers, and for itself.
func oracle(shards int, illegal func(error)) store.Store {
	return memstore.New(shards, memstore.WithIllegal(illegal))
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) (store.Store, func() store.Store) {
		return oracle(4, func(err error) { t.Error(err) }), nil
	}, oracle)
}
