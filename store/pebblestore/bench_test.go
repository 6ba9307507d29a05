package pebblestore_test

import (
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/store/storetest"
)

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(t testing.TB) (store.Store, func() store.Store) {
		return open(t, t.TempDir(), pebblestore.Options{}), nil
	})
}
