package wheel

import (
	"math"
	"math/bits"
	"testing"
)

// A wheel of 4 slots a level, from every start within its first four levels, for
// every due within them and a bit beyond: hopping along Next it expires at the
// due tick exactly, after no more hops than borders between levels.
func TestEverySlotOfASmallWheel(t *testing.T) {
	const span = 4 * 4 * 4 * 4
	w := NewHierarchical(Geometry{Slots: 4}, 0)
	for start := range uint64(span) {
		for due := start; due <= span+4; due++ {
			w.Clear(start)
			w.Add(due)
			hopTo(t, w, due)
		}
	}
}

// At every level border of every geometry, and at both ends of the range, one
// tick to either side, as start and as due.
func TestEveryEdgeOfEveryGeometry(t *testing.T) {
	for _, g := range hierarchies() {
		edges := edgesOf(g.Slots)
		w := NewHierarchical(g, 0)
		for _, start := range edges {
			for _, due := range edges {
				if due < start {
					continue
				}
				w.Clear(start)
				w.Add(due)
				hopTo(t, w, due)
			}
		}
	}
}

// The same edges with a jump to one tick before the due, then onto it.
func TestEveryEdgeInOneJump(t *testing.T) {
	for _, g := range hierarchies() {
		edges := edgesOf(g.Slots)
		w := NewHierarchical(g, 0)
		for _, start := range edges {
			for _, due := range edges {
				if due <= start {
					continue
				}
				w.Clear(start)
				w.Add(due)
				if n := count(w, due-1); n != 0 {
					t.Fatalf("%d slots: from %d, expired at %d, before its due", g.Slots, start, due-1)
				}
				if n := count(w, due); n != 1 {
					t.Fatalf("%d slots: from %d, %d expired at the due %d", g.Slots, start, n, due)
				}
			}
		}
	}
}

// Every way to add two timers, advance, add a third and advance again, on the
// smallest wheel, within its first four levels.
func TestEveryShortHistoryOfTheSmallestWheel(t *testing.T) {
	const span = 14
	w := NewHierarchical(Geometry{Slots: 2}, 0)
	for a := range uint64(span) {
		for b := range uint64(span) {
			for middle := range uint64(span) {
				for c := range uint64(span) {
					w.Clear(0)
					shortHistory(t, w, [3]uint64{a, b, c}, middle)
				}
			}
		}
	}
}

func shortHistory(t *testing.T, w *Hierarchical, dues [3]uint64, middle uint64) {
	t.Helper()
	w.Add(dues[0])
	w.Add(dues[1])
	want := 0
	for _, due := range dues[:2] {
		if due <= middle {
			want++
		}
	}
	if n := count(w, middle); n != want {
		t.Fatalf("dues %d: %d expired at %d, want %d", dues, n, middle, want)
	}
	w.Add(dues[2])
	for w.Len() > 0 {
		next, _ := w.Next()
		w.Advance(next, 0, func(h Handle) {
			if due, _ := w.Due(h); due != next {
				t.Fatalf("dues %d: due %d expired at %d", dues, due, next)
			}
		})
		if err := w.verify(); err != nil {
			t.Fatalf("dues %d, middle %d: %v", dues, middle, err)
		}
	}
}

func count(w Timers, now uint64) (n int) {
	w.Advance(now, 0, func(Handle) { n++ })
	return n
}

// hopTo advances along Next until the only timer expires.
func hopTo(t *testing.T, w *Hierarchical, due uint64) {
	t.Helper()
	start := w.Now()
	mayHop := w.borders(due, start)
	for hops := 0; ; hops++ {
		next, ok := w.Next()
		if !ok || next > due {
			t.Fatalf("from %d: Next() = %d, %t, but a timer is due %d", start, next, ok, due)
		}
		n := count(w, next)
		if hops == 0 || n == 1 { // the walks verify after each step; here it would take half a minute
			if err := w.verify(); err != nil {
				t.Fatalf("from %d to %d: at %d: %v", start, due, next, err)
			}
		}
		if n == 1 && next == due {
			return
		}
		if n != 0 || next == due || hops == mayHop {
			t.Fatalf("from %d: %d expired at %d after %d hops; due %d, at most %d hops", start, n, next, hops, due, mayHop)
		}
	}
}

// edgesOf returns every power of the slots of a level, three multiples of it and
// both ends of the range, with their neighbours.
func edgesOf(slots int) []uint64 {
	slotBits := bits.TrailingZeros(uint(slots))
	edges := []uint64{0, 1, 2, math.MaxUint64 - 1, math.MaxUint64}
	for shift := slotBits; shift < tickBits; shift += slotBits {
		power := uint64(1) << shift
		edges = append(edges, power-1, power, power+1, ^power, -power)
	}
	return append(edges, 1<<63-1, 1<<63, 1<<63+1)
}
