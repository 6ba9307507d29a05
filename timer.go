package timewheel

import (
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// Timer is a timer that was set on a [Wheel]. It is a small value: copy it, keep
// it in a struct; all copies mean the same timer. The zero Timer has never been
// set.
//
// A Timer stays harmless for ever: once its timer has fired or was stopped, its
// methods do nothing and return false, whatever else the wheel does by then.
type Timer struct {
	shard  *shard       // nil if it was never set
	handle wheel.Handle // then why not, or 0
}

// What the handle of a Timer says that was refused.
const (
	refusedStopped wheel.Handle = 1 + iota
	refusedFull
	refusedTimes
	refusedNoOccurrence
)

// Err returns why the timer could not be set: ErrStopped, ErrFull, ErrTimes or
// ErrNoOccurrence. It is nil for a timer that was set, whatever became of it, and
// for the zero Timer.
func (t Timer) Err() error {
	if t.shard != nil {
		return nil
	}
	switch t.handle {
	case refusedStopped:
		return ErrStopped
	case refusedFull:
		return ErrFull
	case refusedTimes:
		return ErrTimes
	case refusedNoOccurrence:
		return ErrNoOccurrence
	}
	return nil
}

// Stop takes the timer out. It returns true if that kept the function from
// running: it will not run any more, and the wheel has let go of it. It returns
// false if the timer has fired, was stopped before, or was handed back by
// [Wheel.Stop]. Stop does not wait for a function that is running.
//
// Of a repeating timer, it returns true if that ends the repeating; the function
// may be running for one of the earlier times.
func (t Timer) Stop() bool {
	s := t.shard
	if s == nil {
		return false
	}
	s.mu.Lock()
	ok := !s.closed && s.timers.Cancel(t.handle)
	if ok {
		s.forgetLocked(t.handle)
	}
	s.mu.Unlock()
	if ok {
		s.wheel.discharge()
	}
	return ok
}

// Reset moves the timer to d from now, by the rules of [Wheel.AfterFunc]. It
// returns true if that came in time: the timer will not fire for its old due
// instant. It returns false, and does nothing, where Stop would.
//
// This differs from [time.Timer], whose Reset also starts a timer that has fired
// or was stopped. Here such a timer is gone, its function let go of; call
// AfterFunc again.
//
// Reset of a timer that was set by [Wheel.At] makes it one that does not follow
// the wall clock any more. Of a repeating timer it moves the next time: those
// after it follow an interval apart from there, and a rule goes on after the
// occurrence that was moved. If the function is running, the next time is not before
// it has returned.
func (t Timer) Reset(d time.Duration) bool {
	s := t.shard
	if s == nil {
		return false
	}
	w := s.wheel
	now := w.now()
	due := w.ticks.after(now, d)
	s.mu.Lock()
	ok := !s.closed
	if ok && t.handle.Marked() {
		due, ok = s.moveSpecialLocked(t.handle, now, d)
	} else {
		ok = ok && s.timers.Reset(t.handle, due)
	}
	earlier := ok && s.noteLocked(due)
	s.mu.Unlock()
	if earlier {
		w.waker.earlier(due)
	}
	return ok
}

// Due returns when the timer is to fire: the instant that was given to At or
// comes from a rule, or else the tick that was rounded up to. It returns false
// if the timer does not wait: it has fired or was stopped, or it repeats and its
// function is running.
func (t Timer) Due() (time.Time, bool) {
	s := t.shard
	if s == nil {
		return time.Time{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return time.Time{}, false
	}
	return s.dueLocked(t.handle)
}

func (s *shard) dueLocked(h wheel.Handle) (time.Time, bool) {
	tick, ok := s.timers.Due(h)
	if !ok || tick == parked {
		return time.Time{}, false
	}
	if h.Marked() {
		if wall := (*s.specials.At(h.Index())).wall; !wall.IsZero() {
			return wall, true
		}
	}
	return s.wheel.begin(tick), true
}
