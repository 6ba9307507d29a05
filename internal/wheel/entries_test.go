package wheel

import (
	"math"
	"testing"
)

// When a place has used up its generations it is never handed out again, so no
// handle ever names two timers.
func TestAPlaceRetiresWhenItsGenerationsAreUsedUp(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		first := m.add(5)
		m.cancel(first)
		entriesOf(m.timers).slab.At(first.Index()).generation = math.MaxUint32

		last := m.add(6)
		if last.Index() != first.Index() || last.generation() != math.MaxUint32 {
			t.Fatalf("got handle %#x, want the last one of place %d", uint64(last), first.Index())
		}
		m.all(6)
		m.cancel(last)
		m.reset(last, 9)

		if next := m.add(7); next.Index() == first.Index() {
			t.Fatalf("place %d was handed out again after its last generation", first.Index())
		}
		m.cancel(last)
		want(t, m.all(7), 7)
	})
}

func TestPlacesAreUsedAgain(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		for now := range uint64(50) {
			a, b := m.add(now+1), m.add(now+2)
			m.cancel(b)
			if max(a.Index(), b.Index()) > 2 {
				t.Fatalf("two timers at a time took places %d and %d", a.Index(), b.Index())
			}
			m.all(now + 1)
		}
	})
}

func TestSlabKeepsItsPlaces(t *testing.T) {
	var s Slab[uint64]
	s.Set(0, 7)
	first := s.At(0)
	for i := range uint32(5 * chunkSize) {
		s.Set(i, uint64(i)+7)
	}
	for i := range uint32(5 * chunkSize) {
		if got := *s.At(i); got != uint64(i)+7 {
			t.Fatalf("At(%d) = %d, want %d", i, got, i+7)
		}
	}
	if first != s.At(0) {
		t.Fatal("growing moved what was there")
	}
	s.Grow(100 * chunkSize)
	if got := *s.At(100 * chunkSize); got != 0 {
		t.Fatalf("a new place holds %d", got)
	}
}

func entriesOf(timers Timers) *entries {
	switch s := timers.(type) {
	case *Hierarchical:
		return &s.entries
	case *Heap:
		return &s.entries
	case *List:
		return &s.entries
	}
	panic("a structure that entriesOf does not know")
}
