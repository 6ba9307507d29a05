package wheel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// structures is every structure of the package under a name.
var structures = map[string]func(start uint64) verifier{
	"heap": func(start uint64) verifier { return NewHeap(start) },
	"list": func(start uint64) verifier { return NewList(start) },
}

func init() {
	for _, g := range append(hierarchies(), Geometry{}) {
		structures[fmt.Sprintf("hierarchical-%d", g.Slots)] = func(start uint64) verifier {
			return NewHierarchical(g, start)
		}
	}
}

// hierarchies returns every geometry of a hierarchical wheel.
func hierarchies() (all []Geometry) {
	for slots := 2; slots <= maxSlots; slots *= 2 {
		all = append(all, Geometry{Slots: slots})
	}
	return all
}

// onEach runs a test on every structure, started at that tick.
func onEach(t *testing.T, start uint64, test func(t *testing.T, m *model)) {
	t.Helper()
	for name, build := range structures {
		t.Run(name, func(t *testing.T) { test(t, newModel(t, build(start))) })
	}
}

// all advances until nothing is left to do at now, and returns the dues.
func (m *model) all(now uint64) []uint64 {
	m.Helper()
	_, dues := m.advance(now, 0, nil)
	return dues
}

func want(t *testing.T, got []uint64, want ...uint64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("expired %d, want %d", got, want)
	}
}

func TestTimersExpireInOrderOfTheirDues(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		for _, due := range []uint64{70, 5000, 1, 64, 5000, 4095, 4096, 63, 262144, 65} {
			m.add(due)
		}
		want(t, m.all(0))
		want(t, m.all(63), 1, 63)
		want(t, m.all(4999), 64, 65, 70, 4095, 4096)
		want(t, m.all(1<<40), 5000, 5000, 262144)
	})
}

func TestTheFullRangeHasNoHorizon(t *testing.T) {
	edges := []uint64{0, 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	onEach(t, 0, func(t *testing.T, m *model) {
		for _, due := range slices.Backward(edges) {
			m.add(due)
		}
		for _, now := range edges {
			want(t, m.all(now), now)
		}
		m.add(math.MaxUint64)
		m.add(0)
		want(t, m.all(math.MaxUint64), math.MaxUint64, math.MaxUint64)
	})
}

func TestADueInThePastExpiresAtTheNextAdvance(t *testing.T) {
	onEach(t, 1000, func(t *testing.T, m *model) {
		m.add(0)
		m.add(999)
		m.add(1000)
		m.add(1001)
		want(t, m.all(1000), 1000, 1000, 1000)
		m.add(3)
		want(t, m.all(1002), 1000, 1001)
	})
}

func TestAnEarlierNowIsANoOp(t *testing.T) {
	onEach(t, 1000, func(t *testing.T, m *model) {
		m.add(1000)
		want(t, m.all(999))
		want(t, m.all(0))
		want(t, m.all(1000), 1000)
	})
}

func TestCancelAndResetOfStaleHandles(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		expired := m.add(5)
		m.all(5)
		cancelled := m.add(10)
		m.cancel(cancelled)
		tenant := m.add(20)
		if tenant.Index() != cancelled.Index() {
			t.Fatalf("the place %d was not used again", cancelled.Index())
		}
		for _, h := range []Handle{expired, cancelled, 0, Handle(tenant.Index()), tenant + 1, tenant + 1<<32, math.MaxUint64} {
			m.cancel(h)
			m.reset(h, 6)
			if due, ok := m.timers.Due(h); ok {
				t.Fatalf("Due(%#x) = %d of a handle that names nothing", uint64(h), due)
			}
		}
		want(t, m.all(20), 20)
	})
}

func TestResetKeepsTheHandle(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		h := m.add(100)
		for _, due := range []uint64{101, 99, 5000, math.MaxUint64, 4096, 4097, 0, 7} {
			m.reset(h, due)
		}
		want(t, m.all(6))
		want(t, m.all(7), 7)
		m.reset(h, 8)
		want(t, m.all(100))
	})
}

func TestATimerThatAddsItselfForAtOnceEndsTheAdvance(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		m.add(10)
		m.add(20)
		again := func(Handle) { m.add(0) }
		_, dues := m.advance(50, 0, again)
		want(t, dues, 10, 20)
		_, dues = m.advance(50, 0, again)
		want(t, dues, 50, 50)
		_, dues = m.advance(51, 0, nil)
		want(t, dues, 50, 50)
	})
}

func TestAtOnceCannotStarveALimitedAdvance(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		for due := uint64(10); due < 15; due++ {
			m.add(due)
		}
		calls := 1
		for more, _ := m.advance(100, 1, func(h Handle) { m.reset(h, 0) }); more; calls++ {
			more, _ = m.advance(100, 1, func(h Handle) { m.reset(h, 0) })
		}
		if calls != 5 {
			t.Fatalf("5 timers took %d calls that expire one each", calls)
		}
		want(t, m.all(100), 100, 100, 100, 100, 100)
	})
}

func TestATimerRepeatsUnderItsHandle(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		h := m.add(10)
		for now := uint64(10); now < 500; now += 10 {
			_, dues := m.advance(now, 0, func(expiring Handle) {
				if due, ok := m.timers.Due(expiring); !ok || due != now {
					t.Fatalf("Due while expiring = %d, %t, want %d, true", due, ok, now)
				}
				m.reset(expiring, now+10)
			})
			want(t, dues, now)
		}
		m.cancel(h)
		want(t, m.all(1000))
	})
}

func TestALimitedAdvanceResumes(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		for due := uint64(200); due > 0; due -= 20 {
			m.add(due)
			m.add(due)
		}
		more, dues := m.advance(150, 3, nil)
		want(t, dues, 20, 20, 40)
		if !more {
			t.Fatal("more = false with 11 left")
		}
		m.add(30)  // after the tick the advance has come to, before its end: the next advance
		m.add(160) // after its end
		more, dues = m.advance(170, 12, nil)
		want(t, dues, 40, 60, 60, 80, 80, 100, 100, 120, 120, 140, 140, 150)
		if !more {
			t.Fatal("more = false with 3 left")
		}
		want(t, m.all(170), 160, 160, 160)
		want(t, m.all(300), 180, 180, 200, 200)
	})
}

func TestExpireMayCancelAndMoveItsNeighbours(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		hs := []Handle{m.add(9), m.add(9), m.add(9), m.add(9)}
		_, dues := m.advance(9, 0, func(h Handle) {
			hs = slices.DeleteFunc(hs, func(other Handle) bool { return other == h })
			m.cancel(hs[0])
			m.reset(hs[1], 12)
			m.reset(hs[2], 9)
			hs = hs[1:]
		})
		want(t, dues, 9)
		want(t, m.all(11), 9)
		want(t, m.all(12), 12)
	})
}

func TestClearMakesHandlesStaleAndSetsNowBack(t *testing.T) {
	onEach(t, 5000, func(t *testing.T, m *model) {
		hs := []Handle{m.add(0), m.add(5001), m.add(1 << 40), m.add(math.MaxUint64)}
		m.advance(5000, 0, func(Handle) { hs = append(hs, m.add(0)) })
		m.clear(17)
		for _, h := range hs {
			m.cancel(h)
		}
		m.add(18)
		want(t, m.all(17))
		want(t, m.all(18), 18)
		m.add(1 << 41)
		m.clear(1 << 50)
		m.add(1<<50 + 3)
		want(t, m.all(math.MaxUint64), 1<<50+3)
	})
}

func TestClearEndsAnAdvanceThatWasCutShort(t *testing.T) {
	onEach(t, 0, func(t *testing.T, m *model) {
		for range 4 {
			m.add(100)
		}
		m.advance(100, 1, func(Handle) { m.add(0) })
		m.clear(90)
		m.add(95)
		want(t, m.all(94))
		want(t, m.all(95), 95)
	})
}

func TestExpireMustNotCallAdvanceOrClear(t *testing.T) {
	forbidden := map[string]func(m *model){
		"Advance": func(m *model) { m.timers.Advance(10, 0, func(Handle) {}) },
		"Clear":   func(m *model) { m.timers.Clear(0) },
	}
	for method, call := range forbidden {
		onEach(t, 0, func(t *testing.T, m *model) {
			defer func() {
				want := "wheel: " + method + " was called from inside expire; return first"
				if got := recover(); got != want {
					t.Fatalf("%s from inside expire panicked with %v, want %q", method, got, want)
				}
			}()
			m.timers.Add(1)
			m.timers.Advance(1, 0, func(Handle) { call(m) })
		})
	}
}

func TestGeometryOutOfRangePanics(t *testing.T) {
	for _, g := range []Geometry{{Slots: -1}, {Slots: 1}, {Slots: 3}, {Slots: 128}, {Levels: 3}} {
		mustPanic(t, g, Geometry.CheckHierarchical, func() { NewHierarchical(g, 0) })
	}
}

// mustPanic checks that the constructor panics with what check says.
func mustPanic(t *testing.T, g Geometry, check func(Geometry) error, construct func()) {
	t.Helper()
	err := check(g)
	if err == nil {
		t.Fatalf("the check of %+v found nothing wrong", g)
	}
	defer func() {
		t.Helper()
		if got := recover(); got != "wheel: "+err.Error() {
			t.Errorf("%+v panicked with %v, want wheel: %v", g, got, err)
		}
	}()
	construct()
}
