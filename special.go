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

	shard  *shard       // where it was set
	handle wheel.Handle // guarded by shard.mu
	wall   time.Time    // guarded by shard.mu; due when the wall clock shows this, unless zero
	repeat *repeat      // what makes it due again; nil if nothing does
}

// expireSpecialLocked is expireLocked for a marked handle.
func (s *shard) expireSpecialLocked(h wheel.Handle, due uint64) {
	place := s.specials.At(h.Index())
	sp := *place
	if !sp.wall.IsZero() && sp.wall.After(s.wheel.clock.Now()) {
		s.timers.Reset(h, s.wheel.dueAt(sp.wall)) // the wall clock was set back
		return
	}
	s.counts.fired++
	s.wheel.batch = append(s.wheel.batch, firing{due: due, run: sp.run, special: sp})
	if sp.repeat != nil && sp.repeat.beginLocked() {
		s.timers.Reset(h, parked)
		return
	}
	*place = nil
	s.wheel.discharge(1)
}
