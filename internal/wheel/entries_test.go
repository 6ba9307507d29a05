package wheel

import (
	"math/rand/v2"
	"testing"
)

// When a place has used up its generations it is never handed out again, so no
// handle ever names two timers.
func TestAPlaceRetiresWhenItsGenerationsAreUsedUp(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		first := m.add(5)
		m.cancel(first)
		entriesOf(m.timers).slab.At(first.Index()).generation = maxGeneration

		last := m.add(6)
		if last.Index() != first.Index() || last.generation() != maxGeneration {
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
	for i := range uint32(5 * ChunkSize) {
		s.Set(i, uint64(i)+7)
	}
	for i := range uint32(5 * ChunkSize) {
		if got := *s.At(i); got != uint64(i)+7 {
			t.Fatalf("At(%d) = %d, want %d", i, got, i+7)
		}
	}
	if first != s.At(0) {
		t.Fatal("growing moved what was there")
	}
	s.Set(100*ChunkSize, 1)
	if got := *s.At(100*ChunkSize + 1); got != 0 {
		t.Fatalf("a new place holds %d", got)
	}
}

// After a peak the memory goes back, chunk by chunk, and the owner hears of it;
// handles from before stay stale when the chunks come back.
func TestMemoryGoesBackAfterAPeak(t *testing.T) {
	const peak = 40 * ChunkSize
	onEach(t, 0, func(t *testing.T, m *model) {
		timers, random := m.timers, rand.New(rand.NewPCG(1, 2))
		released := map[uint32]bool{}
		timers.OnRelease(func(index uint32) { released[index] = true })
		var old []Handle
		for range 3 {
			handles := make([]Handle, peak)
			for i := range handles {
				handles[i] = timers.Add(1 + random.Uint64N(1<<20))
				delete(released, handles[i].Index()&^(ChunkSize-1))
			}
			random.Shuffle(peak, func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
			for i, h := range handles {
				if !timers.Cancel(h) {
					t.Fatalf("timer %#x is not there", uint64(h))
				}
				if i%4096 == 0 || i > peak-4 {
					verify(t, timers)
				}
			}
			if n := entriesOf(timers).chunks; n > 3 {
				t.Fatalf("%d chunks stay after a peak of %d", n, peak/ChunkSize)
			}
			for _, h := range old {
				if timers.Cancel(h) {
					t.Fatalf("handle %#x of an earlier peak came to life", uint64(h))
				}
			}
			old = handles
		}
		if len(released) < 36 {
			t.Fatalf("the owner heard of %d chunks", len(released))
		}
		next := timers.Add(timers.Now() + 5)
		if n := count(timers, timers.Now()+5); n != 1 {
			t.Fatalf("%d timers expired, want only %#x", n, uint64(next))
		}
		verify(t, timers)
	})
}

// What a peak leaves behind does not keep its memory for long: once the last
// timer of a chunk has expired, the chunk goes.
func TestMemoryGoesBackAsTimersExpire(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		for i := range uint64(20 * ChunkSize) {
			m.timers.Add(1 + i)
		}
		for now := uint64(0); m.timers.Len() > 0; now += 997 {
			m.timers.Advance(now, 0, func(Handle) {})
			verify(t, m.timers)
		}
		if n := entriesOf(m.timers).chunks; n > 3 {
			t.Fatalf("%d chunks stay", n)
		}
	})
}

func TestMarkedHandles(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		plain := m.timers.Add(5)
		marked := m.timers.Mark(plain)
		if plain.Marked() || !marked.Marked() || marked.Index() != plain.Index() {
			t.Fatalf("handles %#x and, marked, %#x", uint64(plain), uint64(marked))
		}
		if m.timers.Mark(plain) != 0 || m.timers.Cancel(plain) || m.timers.Reset(plain, 3) {
			t.Fatal("the old handle still works")
		}
		m.timers.Advance(5, 0, func(h Handle) {
			if h != marked {
				t.Fatalf("%#x expires, want %#x", uint64(h), uint64(marked))
			}
		})
		if m.timers.Mark(marked) != 0 || m.timers.Add(9).Marked() {
			t.Fatal("the mark outlived its timer")
		}
	})
}

func verify(t *testing.T, timers Timers) {
	t.Helper()
	if err := timers.(verifier).verify(); err != nil {
		t.Fatal(err)
	}
}

func entriesOf(timers Timers) *entries { return timers.(interface{ places() *entries }).places() }

func (s *entries) places() *entries { return s }
