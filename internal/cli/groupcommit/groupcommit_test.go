package groupcommit

import (
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

func TestEachValueHasAKeyOfItsOwn(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if err := d.Set([]byte("value")); err != nil {
					t.Error(err)
				}
			}
			if err := d.SetMany(20, []byte("value")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	it, err := d.db.NewIter(&pebble.IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	n := 0
	for it.First(); it.Valid(); it.Next() {
		n++
	}
	if n != 8*25 {
		t.Errorf("%d values are stored, want %d", n, 8*25)
	}
}
