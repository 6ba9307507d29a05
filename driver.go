package timewheel

import (
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// batchSize is how many timers the driver takes out under one hold of the lock.
const batchSize = 256

// armLocked sees to it that the driver looks at that tick at the latest. If it
// returns true, the caller must call wake.
//
// No wake-up can be missed: the driver decides how long to sleep under the same
// lock, and writes it to armed there. Whoever sets an earlier timer after that
// finds armed too late and leaves a token, which the sleeping driver takes, or
// finds when it comes to sleep.
func (w *Wheel) armLocked(due uint64) (wake bool) {
	if due >= w.armed {
		return false
	}
	w.armed = due
	if w.driven {
		return true
	}
	w.driven = true
	w.users.Add(1)
	go w.drive()
	return false
}

// wake makes the driver look. A token that is there already serves as well.
func (w *Wheel) wake() {
	select {
	case w.wakeup <- struct{}{}:
	default:
	}
}

// drive is the driver: it fires what is due and sleeps until something is,
// until the wheel is stopped.
func (w *Wheel) drive() {
	defer w.release()
	timer := time.NewTimer(forever)
	defer timer.Stop()
	for {
		until, ok := w.fireDue()
		if !ok {
			return
		}
		w.sleep(timer, until)
	}
}

// fireDue fires all that is due. It returns the tick at which to look again, or
// false if the wheel is stopped.
func (w *Wheel) fireDue() (until uint64, ok bool) {
	for more := true; more; {
		until, more, ok = w.takeDue()
		for _, f := range w.batch {
			go w.call(f)
		}
		clear(w.batch) // let go of the functions
		w.batch = w.batch[:0]
	}
	return until, ok
}

// takeDue takes timers that are due out of the wheel and into the batch. If
// there are no more of them, it arms: until is the tick to sleep to.
func (w *Wheel) takeDue() (until uint64, more, ok bool) {
	present := w.ticks.present(w.now())
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return 0, false, false
	}
	w.armed = 0 // awake: nobody needs to wake the driver
	more = w.timers.Advance(present, batchSize, w.expire)
	w.users.Add(int64(len(w.batch)))
	if more {
		return 0, true, true
	}
	w.armed = asleep
	if next, ok := w.timers.Next(); ok {
		w.armed = next
	}
	return w.armed, false, true
}

// expireLocked takes one timer that has expired into the batch.
func (w *Wheel) expireLocked(h wheel.Handle) {
	if w.postponeLocked(h) {
		return
	}
	f := w.funcs.At(h.Index())
	w.batch = append(w.batch, *f)
	*f = nil
}

// sleep returns when the tick begins, or when there is a token.
func (w *Wheel) sleep(timer *time.Timer, until uint64) {
	if until == asleep {
		<-w.wakeup
		return
	}
	timer.Reset(w.ticks.begin(until) - w.now())
	select {
	case <-timer.C:
	case <-w.wakeup:
	}
}

// call runs a callback. If that panics, the program ends, as with
// time.AfterFunc.
func (w *Wheel) call(f func()) {
	defer w.release()
	f()
}
