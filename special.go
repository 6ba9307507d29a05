package timewheel

import (
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// special is a timer that is more than a function to call once after a delay.
// Its handle is marked.
type special struct {
	f      func()      // the user's function, for Pending; nil if there is none
	run    func()      // what the driver runs: f, or f and more
	claim  func() bool // if not nil, the driver asks whether to run, with no lock held
	inline bool        // run never waits: the driver runs it itself
	keyed  expiring    // the task of a Keyed; nil for all else

	shard  *shard       // where it was set
	handle wheel.Handle // guarded by shard.mu
	wall   time.Time    // guarded by shard.mu; due when the wall clock shows this, unless zero
	repeat *repeat      // what makes it due again; nil if nothing does
}

// expiring is told that its timer has expired, under shard.mu.
type expiring interface{ expiredLocked(due time.Time) }

// expireSpecialLocked is expireLocked for a marked handle.
func (s *shard) expireSpecialLocked(h wheel.Handle, due uint64) {
	place := s.specials.At(h.Index())
	sp := *place
	if !sp.wall.IsZero() && sp.wall.After(s.wheel.clock.Now()) {
		s.timers.Reset(h, s.wheel.dueAt(sp.wall)) // the wall clock was set back
		return
	}
	if sp.keyed != nil {
		at, _ := s.dueLocked(h)
		sp.keyed.expiredLocked(at)
	}
	s.counts.fired++
	goesOn := sp.repeat != nil && sp.repeat.beginLocked()
	s.wheel.batch = append(s.wheel.batch, firing{due: due, run: sp.run, ends: !goesOn, special: sp})
	if goesOn {
		s.timers.Reset(h, parked)
	} else {
		*place = nil
	}
}

// take is [Timer.Stop] of a special timer. It returns what it has taken out, or
// nil where Stop would return false, and when that was due: the zero Time if it
// repeats, its function is running and nobody has moved it.
func (t Timer) take() (sp *special, due time.Time) {
	s := t.shard
	s.mu.Lock()
	if !s.closed {
		sp, due = s.takeLocked(t.handle)
	}
	s.mu.Unlock()
	if sp != nil {
		s.wheel.discharge()
	}
	return sp, due
}

func (s *shard) takeLocked(h wheel.Handle) (sp *special, due time.Time) {
	if _, set := s.timers.Due(h); !set {
		return nil, time.Time{}
	}
	sp = *s.specials.At(h.Index())
	due, waits := s.dueLocked(h)
	if !waits && sp.repeat.moved {
		due = s.wheel.start.Add(sp.repeat.movedTo)
	}
	s.forgetLocked(h) // before Cancel, which may release its place
	s.timers.Cancel(h)
	return sp, due
}

// moveSpecialLocked is Reset for a marked handle. It returns the new due tick.
func (s *shard) moveSpecialLocked(h wheel.Handle, now, d time.Duration) (due uint64, ok bool) {
	due = s.wheel.ticks.after(now, d)
	if tick, set := s.timers.Due(h); !set {
		return due, false
	} else if tick == parked {
		(*s.specials.At(h.Index())).repeat.moveLocked(later(now, d))
		return asleep, true
	}
	sp := *s.specials.At(h.Index())
	sp.wall = time.Time{}
	if sp.repeat != nil {
		sp.repeat.due = later(now, d)
	}
	return due, s.timers.Reset(h, due)
}
