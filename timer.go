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
	wheel  *Wheel
	handle wheel.Handle
}

// Stop takes the timer out. It returns true if that kept the function from
// running: it will not run any more, and the wheel has let go of it. It returns
// false if the timer has fired, was stopped before, or was handed back by
// [Wheel.Stop]. Stop does not wait for a function that is running.
func (t Timer) Stop() bool {
	w := t.wheel
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped || !w.timers.Cancel(t.handle) {
		return false
	}
	*w.funcs.At(t.handle.Index()) = nil
	w.unfollowLocked(t.handle)
	return true
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
// the wall clock any more.
func (t Timer) Reset(d time.Duration) bool {
	w := t.wheel
	if w == nil {
		return false
	}
	due := w.ticks.after(w.now(), d)
	w.mu.Lock()
	ok := !w.stopped && w.timers.Reset(t.handle, due)
	wake := false
	if ok {
		w.unfollowLocked(t.handle)
		wake = w.armLocked(due)
	}
	w.mu.Unlock()
	if wake {
		w.wake()
	}
	return ok
}
