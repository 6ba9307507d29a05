package wheel

import "testing"

// Timers that are set and cancelled in bursts must not leave more references
// behind than twice the entries that there are, or were at most.
func TestBurstsLeaveNoReferences(t *testing.T) {
	const burst = 20 * ChunkSize
	w := NewHierarchical(Geometry{}, 0)
	handles := make([]Handle, burst)
	most := 0
	for range 100 {
		for i := range handles {
			handles[i] = w.Add(36_000_000) // an hour of 100 µs
		}
		most = max(most, w.chunks*ChunkSize)
		for _, h := range handles {
			w.Cancel(h)
		}
	}
	if bound := 2*most + sweepMargin; w.slots.refs > bound {
		t.Errorf("%d references for %d chunks and %d timers, want at most %d", w.slots.refs, w.chunks, w.live, bound)
	}
}

// While an advance is open, all references may be in the slot of the late.
func TestTheSweepEndsWhenAllAreLate(t *testing.T) {
	w := NewHierarchical(Geometry{}, 0)
	var rest []Handle
	for range 300 {
		rest = append(rest, w.Add(5))
	}
	if !w.Advance(5, 256, func(h Handle) {}) {
		t.Fatal("nothing is left")
	}
	for range 10_000 {
		for _, h := range rest[256:] {
			w.Reset(h, 0)
		}
	}
	verify(t, w)
}

// A timer that is set anew for at once, over and over, leaves no more behind.
func TestTheSlotOfTheLateIsBounded(t *testing.T) {
	w := NewHierarchical(Geometry{}, 0)
	w.Add(1 << 40)
	var rest []Handle
	for range 300 {
		rest = append(rest, w.Add(5))
	}
	w.Advance(5, 256, func(h Handle) {})
	last := rest[299]
	for range 1_000_000 {
		w.Reset(last, 0)
	}
	if w.slots.refs > 100_000 {
		t.Errorf("%d references for %d timers", w.slots.refs, w.live)
	}
}
