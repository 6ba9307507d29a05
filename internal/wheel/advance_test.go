package wheel

import (
	"math"
	"testing"
)

// tokio's wheel stopped after 2^30 ticks with a timer beyond its horizon alive
// (tokio #8334). Here a timer of every level stays alive through 200 million
// ticks, while short timers of changing length must each expire on their tick.
func TestLongUptimeWithFarTimers(t *testing.T) {
	for _, start := range []uint64{0, 1<<30 - 1e8, 1<<36 - 1e8, 1<<60 - 1e8, 1<<63 - 1e8} {
		w := NewHierarchical(Geometry{}, start)
		far := 0
		for due := start + 1<<28; due > start && due < math.MaxUint64>>1; due *= 2 {
			w.Add(due)
			far++
		}
		w.Add(math.MaxUint64)
		far++
		delay := uint64(1)
		for now := start; now-start < 2e8; now += delay {
			delay = delay*31%8191 + 1
			runShortTimer(t, w, now+delay)
		}
		if w.Len() != far {
			t.Fatalf("from %d: %d far timers are left, want %d", start, w.Len(), far)
		}
		if err := w.verify(); err != nil {
			t.Fatalf("from %d: %v", start, err)
		}
	}
}

// runShortTimer adds a timer and follows Next until it expires.
func runShortTimer(t *testing.T, w *Hierarchical, due uint64) {
	t.Helper()
	short := w.Add(due)
	for expired := false; !expired; {
		next, ok := w.Next()
		if !ok || next > due {
			t.Fatalf("at %d: Next() = %d, %t, but a timer is due %d", w.Now(), next, ok, due)
		}
		w.Advance(next, 0, func(h Handle) { expired = h == short })
		if expired != (next == due) {
			t.Fatalf("at %d: expired is %t, due %d", next, expired, due)
		}
	}
}

// A slot of a million must not hold the owner's lock for as long as it takes to
// cascade a million: a limited Advance stops and goes on where it was.
func TestALimitedAdvanceCascadesInPieces(t *testing.T) {
	const n = 10 * cascadePiece
	w := NewHierarchical(Geometry{}, 0)
	m := newModel(t, w)
	for i := range uint64(n) {
		h := w.Add(1<<18 + i)
		m.live[h], m.seen[h] = timer{due: 1<<18 + i}, true
	}
	calls := 0
	for more := true; more; calls++ {
		more = w.Advance(1<<18, 1, func(h Handle) { m.expired(h) })
		m.now = w.Now()
		m.open = more
		if err := w.verify(); err != nil {
			t.Fatalf("after call %d: %v", calls, err)
		}
		if next, ok := w.Next(); !ok || next > 1<<18+1 {
			t.Fatalf("after call %d: Next() = %d, %t", calls, next, ok)
		}
	}
	if calls != 10 {
		t.Errorf("a cascade of %d in pieces of %d took %d calls", n, cascadePiece, calls)
	}
	if len(m.live) != n-1 {
		t.Errorf("%d expired, want the one that is due", n-len(m.live))
	}
	m.check()
}

// Between the pieces of a cascade everything may happen to its entries.
func TestAHalfCascadedSlotTakesAnyOperation(t *testing.T) {
	const border = 1 << 18
	type step func(m *model, h Handle)
	steps := map[string]step{
		"nothing": func(*model, Handle) {},
		"cancel":  func(m *model, h Handle) { m.timers.Cancel(h); delete(m.live, h) },
		"reset to the same slot": func(m *model, h Handle) {
			m.timers.Reset(h, border+4000)
			m.live[h] = timer{due: border + 4000}
		},
		"reset to the present": func(m *model, h Handle) {
			m.timers.Reset(h, 0)
			m.live[h] = timer{due: border, late: true}
		},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, NewHierarchical(Geometry{}, 0))
			var hs []Handle
			for i := range uint64(2*cascadePiece + 100) {
				h := m.timers.Add(border + 1 + i%5000)
				hs = append(hs, h)
				m.live[h] = timer{due: border + 1 + i%5000}
			}
			m.begin(border)
			if !m.timers.Advance(border, 1, func(Handle) {}) {
				t.Fatal("more = false in the middle of a cascade")
			}
			m.check()
			for i, h := range hs {
				if step(m, h); i%400 == 0 {
					m.check()
				}
			}
			m.check()
			expireInOrder(m)
		})
	}
}

// expireInOrder takes out all that the model holds, and checks that the structure
// expires the same.
func expireInOrder(m *model) {
	m.Helper()
	want := m.sortedDues()
	m.begin(1 << 40)
	var got []uint64
	for more := true; more; {
		more = m.timers.Advance(1<<40, 100, func(h Handle) {
			got = append(got, m.live[h].due)
			delete(m.live, h)
		})
	}
	m.open = false
	if len(got) != len(want) {
		m.Fatalf("%d expired, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			m.Fatalf("expiry %d was due %d, want %d", i, got[i], want[i])
		}
	}
	m.check()
}

// No tick costs anything while nothing is due: the length of a jump does not
// show, and nothing is allocated.
func TestAdvanceAllocatesNothing(t *testing.T) {
	w := NewHierarchical(Geometry{}, 0)
	w.Add(math.MaxUint64)
	now := uint64(0)
	allocs := testing.AllocsPerRun(100, func() {
		now += 1 << 50
		h := w.Add(now + 3)
		w.Reset(h, now+5)
		w.Cancel(h)
		w.Add(now - 1)
		w.Advance(now, 0, func(Handle) {})
	})
	if allocs != 0 {
		t.Errorf("add, reset, cancel and advance allocate %v times, want 0", allocs)
	}
}
