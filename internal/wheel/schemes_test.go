package wheel

import (
	"fmt"
	"math"
	"testing"
)

func init() {
	for _, g := range []Geometry{{Slots: 2}, {Slots: 4, Levels: 1}, {Slots: 16}, {Slots: 128}, {}} {
		structures[fmt.Sprintf("hashed-%d", g.Slots)] = func(start uint64) verifier { return NewHashed(g, start) }
	}
	for _, g := range []Geometry{{Slots: 2, Levels: 1}, {Slots: 2, Levels: 8}, {Slots: 4, Levels: 3}, {Slots: 64, Levels: 2}, {Slots: 256, Levels: 8}, {}} {
		name := fmt.Sprintf("ticking-%d-%d", g.Slots, g.Levels)
		structures[name] = func(start uint64) verifier { return NewTicking(g, start) }
	}
	for _, g := range []Geometry{{Slots: 2}, {Slots: 2, Levels: 1}, {Slots: 8, Levels: 3}, {Slots: 32}, {Slots: 1024}, {}} {
		name := fmt.Sprintf("delayqueue-%d-%d", g.Slots, g.Levels)
		structures[name] = func(start uint64) verifier { return NewDelayQueue(g, start) }
	}
	inPieces["hashed-in-pieces"] = func(start uint64) verifier {
		w := NewHashed(Geometry{Slots: 4}, start)
		w.piece = 1
		return w
	}
	inPieces["ticking-in-pieces"] = func(start uint64) verifier {
		w := NewTicking(Geometry{Slots: 4, Levels: 3}, start)
		w.piece = 1
		return w
	}
	inPieces["delayqueue-in-pieces"] = func(start uint64) verifier {
		w := NewDelayQueue(Geometry{Slots: 4, Levels: 5}, start)
		w.piece = 1
		return w
	}
}

// schemes returns the structures of this file's subject in their default
// geometry, with the ticks after which their hand comes to the same slot again.
func schemes(start uint64) map[string]struct {
	verifier
	turn uint64
} {
	return map[string]struct {
		verifier
		turn uint64
	}{
		"hashed":     {NewHashed(Geometry{}, start), 512},
		"ticking":    {NewTicking(Geometry{}, start), 64},
		"delayqueue": {NewDelayQueue(Geometry{}, start), 64},
	}
}

// tokio's wheel stopped after 2^30 ticks with a timer beyond its first levels
// alive (tokio #8334). Here timers of every level, and parked ones, stay alive
// through 200 million ticks, while short timers must each expire on their tick.
func TestSchemesThroughLongUptimeWithFarTimers(t *testing.T) {
	for _, start := range []uint64{0, 1<<30 - 1e8, 1<<36 - 1e8, math.MaxUint64 - 3e8} {
		for name, w := range schemes(start) {
			t.Run(fmt.Sprintf("%s from %d", name, start), func(t *testing.T) {
				far := 0
				for ahead := uint64(1 << 28); ahead < math.MaxUint64-start && ahead <= 1<<40; ahead *= 2 {
					w.Add(start + ahead)
					far++
				}
				w.Add(math.MaxUint64)
				far++
				delay := uint64(1)
				for now := start; now-start < 2e8; now += delay {
					delay = delay*31%8191 + 1
					jumpToShortTimer(t, w, now+delay)
				}
				if w.Len() != far {
					t.Fatalf("%d far timers are left, want %d", w.Len(), far)
				}
				if err := w.verify(); err != nil {
					t.Fatal(err)
				}
				if n := count(w, math.MaxUint64); n != far {
					t.Fatalf("%d far timers expired, want %d", n, far)
				}
			})
		}
	}
}

// jumpToShortTimer adds a timer and sees that it expires at its tick, not the
// tick before.
func jumpToShortTimer(t *testing.T, w Timers, due uint64) {
	t.Helper()
	w.Add(due)
	if next, ok := w.Next(); !ok || next > due {
		t.Fatalf("at %d: Next() = %d, %t, but a timer is due %d", w.Now(), next, ok, due)
	}
	before := count(w, due-1)
	if at := count(w, due); before != 0 || at != 1 {
		t.Fatalf("%d expired before the due %d, %d at it", before, due, at)
	}
}

// lk668/timewheel looped for ever over two timers whose period is one turn,
// since each put itself at the end of the list that was being read.
func TestTwoTimersOfOneTurnThatRepeatDoNotLoop(t *testing.T) {
	for name, w := range schemes(7) {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, w.verifier)
			m.add(7 + w.turn)
			m.add(7 + w.turn)
			for turns := uint64(1); turns <= 5; turns++ {
				now := 7 + turns*w.turn
				_, dues := m.advance(now, 0, func(Handle) { m.add(m.now + w.turn) })
				want(t, dues, now, now)
				want(t, m.all(now+w.turn-1))
			}
		})
	}
}

// nosixtools/timewheel ran a timer whose period is a multiple of the turn at
// twice the period.
func TestAPeriodOfSeveralTurnsIsNotDoubled(t *testing.T) {
	for name, w := range schemes(0) {
		for turns := uint64(1); turns <= 4; turns++ {
			t.Run(fmt.Sprintf("%s, %d turns", name, turns), func(t *testing.T) {
				m := newModel(t, w.verifier)
				m.clear(0)
				period := turns * w.turn
				m.add(period)
				for now := uint64(1); now <= 5*period; now++ {
					_, dues := m.advance(now, 0, func(h Handle) { m.reset(h, m.now+period) })
					if want := now%period == 0; want != (len(dues) == 1) {
						t.Fatalf("at %d: %d expired of a period of %d", now, len(dues), period)
					}
				}
			})
		}
	}
}

// A timer that sets itself anew from inside expire runs once in an advance,
// however many of its periods the advance covers.
func TestARepeatNeverRunsTwiceInOneAdvance(t *testing.T) {
	onEach(t, 3, func(t *testing.T, m *model) {
		for _, period := range []uint64{0, 1, 2, 64, 512, 1 << 20} {
			m.add(m.now + period)
			m.reset(m.add(m.now), m.now+period)
		}
		for _, jump := range []uint64{1 << 21, 1 << 33, 1 << 50} {
			runs := map[Handle]int{}
			m.advance(m.now+jump, 0, func(h Handle) {
				runs[h]++
				m.reset(h, m.now-jump+jump/2)
			})
			if len(runs) != 12 {
				t.Fatalf("%d timers ran, want 12", len(runs))
			}
			for h, n := range runs {
				if n != 1 {
					t.Fatalf("%#x ran %d times in an advance over %d ticks", uint64(h), n, jump)
				}
			}
		}
	})
}

// A jump over a year of milliseconds, with timers alive before and behind its
// end, takes no step for the ticks between: netty and antlabs catch up tick by
// tick. A tick of this jump at 1 ns would be half a minute, of the next 292 years.
func TestALongJumpCostsNothingATick(t *testing.T) {
	for _, jump := range []uint64{365 * 24 * 3600 * 1000, 1 << 63} {
		onEach(t, 5, func(t *testing.T, m *model) {
			m.add(5 + jump + 1)
			m.add(math.MaxUint64)
			for _, ahead := range []uint64{1, 1000, jump / 3, jump / 2, jump} {
				m.add(5 + ahead)
			}
			want(t, m.all(5+jump), 6, 1005, 5+jump/3, 5+jump/2, 5+jump)
			want(t, m.all(6+jump), 6+jump)
		})
	}
}

// A slot of ten thousand must not hold the owner's lock until all of them are
// looked at: a limited Advance stops after a piece, and goes on where it was.
func TestALimitedAdvanceOfTheSchemesLooksInPieces(t *testing.T) {
	const n = 10 * cascadePiece
	const border = 1 << 24 // where the hands of all levels but the highest enter a slot
	for name, w := range schemes(0) {
		t.Run(name, func(t *testing.T) {
			for i := range uint64(n) {
				w.Add(border + 512 + 512*i)
			}
			calls, expired := 0, 0
			for more := true; more; calls++ {
				looked := expired
				more = w.Advance(border+512, 1, func(Handle) { expired++ })
				if expired > looked+1 {
					t.Fatalf("call %d expired %d", calls, expired-looked)
				}
				if err := w.verify(); err != nil {
					t.Fatalf("after call %d: %v", calls, err)
				}
			}
			if expired != 1 || calls < 10 {
				t.Fatalf("%d expired in %d calls, want 1 in 10 or more", expired, calls)
			}
		})
	}
}

// Next of a ring is early by whole turns, and never more often than the hand
// comes round.
func TestNextOfAHashedWheelIsEarlyOnceATurn(t *testing.T) {
	w := NewHashed(Geometry{Slots: 16}, 3)
	w.Add(3 + 5*16 + 2)
	for turn := range uint64(6) {
		next, ok := w.Next()
		if want := 3 + turn*16 + 2; !ok || next != want {
			t.Fatalf("Next() = %d, %t, want %d", next, ok, want)
		}
		if n := count(w, next); (n == 1) != (turn == 5) {
			t.Fatalf("%d expired at %d", n, next)
		}
	}
}

func TestATickingWheelTicksWhileAnythingIsSet(t *testing.T) {
	w := NewTicking(Geometry{}, 0)
	if next, ok := w.Next(); ok {
		t.Fatalf("Next() = %d of an empty wheel", next)
	}
	h := w.Add(1 << 40)
	for now := range uint64(200) {
		if next, ok := w.Next(); !ok || next != now+1 {
			t.Fatalf("Next() = %d, %t, want %d", next, ok, now+1)
		}
		w.Advance(now+1, 0, func(Handle) {})
	}
	w.Cancel(h)
	if next, ok := w.Next(); ok {
		t.Fatalf("Next() = %d after the last timer was cancelled", next)
	}
}

// A delay queue makes its levels for the timers that need them, and an empty
// slot leaves its heap at once.
func TestADelayQueueMakesLevelsWhenNeeded(t *testing.T) {
	w := NewDelayQueue(Geometry{Slots: 64}, 0)
	for level, due := range []uint64{63, 64, 64 * 64, 64 * 64 * 64} {
		h := w.Add(due)
		if got := len(w.slots); got != level+1 {
			t.Fatalf("%d levels for a timer at %d, want %d", got, due, level+1)
		}
		w.Cancel(h)
		if next, ok := w.Next(); ok {
			t.Fatalf("Next() = %d with no timer set", next)
		}
	}
	if limited := NewDelayQueue(Geometry{Slots: 64, Levels: 2}, 0); limited.Add(1<<40) == 0 || len(limited.slots) != 0 {
		t.Fatalf("a timer beyond the last level made %d levels", len(limited.slots))
	}
}

func TestNextOfADelayQueueIsEarlyOnceALevel(t *testing.T) {
	for _, slots := range []int{2, 64, 1024} {
		for due := uint64(1); due != 0; due *= 2 {
			w := NewDelayQueue(Geometry{Slots: slots}, 0)
			w.Add(due)
			for hops := 0; w.Len() > 0; hops++ {
				next, _ := w.Next()
				if n := count(w, next); (n == 1) != (next == due) || hops >= len(w.slots) {
					t.Fatalf("%d slots, due %d: %d expired at %d after %d hops", slots, due, n, next, hops)
				}
			}
		}
	}
}

func TestGeometriesOfTheSchemesOutOfRangePanic(t *testing.T) {
	for _, g := range []Geometry{{Slots: -2}, {Slots: 1}, {Slots: 3}, {Slots: 1 << 21}, {Levels: 2}, {Levels: -1}} {
		mustPanic(t, g, Geometry.CheckHashed, func() { NewHashed(g, 0) })
	}
	for _, g := range []Geometry{{Slots: -2}, {Slots: 1}, {Slots: 48}, {Slots: 512}, {Levels: 9}, {Levels: -1}} {
		mustPanic(t, g, Geometry.CheckTicking, func() { NewTicking(g, 0) })
	}
	for _, g := range []Geometry{{Slots: -2}, {Slots: 1}, {Slots: 10}, {Slots: 2048}, {Levels: 65}, {Levels: -1}} {
		mustPanic(t, g, Geometry.CheckDelayQueue, func() { NewDelayQueue(g, 0) })
	}
}

func TestTheSchemesAllocateNothing(t *testing.T) {
	for name, w := range schemes(0) {
		t.Run(name, func(t *testing.T) {
			for shift := range 64 {
				w.Add(1 << shift)
			}
			w.Clear(0) // after which all levels are made
			now := uint64(0)
			allocs := testing.AllocsPerRun(200, func() {
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
		})
	}
}
