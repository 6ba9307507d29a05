package memstore_test

import (
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) (store.Store, func() store.Store) {
		return memstore.New(4, memstore.WithIllegal(func(err error) { t.Error(err) })), nil
	})
}
