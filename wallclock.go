package timewheel

import (
	"context"
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// At calls f in a goroutine of its own when the wall clock shows t, and never
// while it shows less. The rules of [Wheel.AfterFunc] hold for a t that is past or
// far away, for a stopped wheel and for a nil f.
//
// When somebody sets the clock, the timer follows: on Linux at once, elsewhere
// within a second. A monotonic reading that t may carry is ignored.
func (w *Wheel) At(t time.Time, f func()) Timer {
	mustHave(f)
	t = t.Round(0)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return Timer{}
	}
	w.watchLocked()
	due := w.dueAt(t)
	h := w.timers.Add(due)
	w.funcs.Set(h.Index(), f)
	w.wall[h] = t
	if w.armLocked(due) {
		w.wake()
	}
	return Timer{w, h}
}

// dueAt returns the tick at which the wall clock will show t if nobody sets it.
// The monotonic clock is read last, so the tick is late rather than early.
func (w *Wheel) dueAt(t time.Time) uint64 {
	left := t.Sub(w.clock.Now())
	return w.ticks.after(w.now(), left)
}

// postponeLocked looks at the wall clock when a timer has expired. If the timer
// follows the wall clock and that was set back, it sets the timer anew and
// returns true.
func (w *Wheel) postponeLocked(h wheel.Handle) bool {
	t, ok := w.wall[h]
	if !ok {
		return false
	}
	if t.After(w.clock.Now()) {
		return w.timers.Reset(h, w.dueAt(t))
	}
	delete(w.wall, h)
	return false
}

// unfollowLocked forgets that the timer follows the wall clock.
func (w *Wheel) unfollowLocked(h wheel.Handle) {
	if len(w.wall) > 0 {
		delete(w.wall, h)
	}
}

// watchLocked starts the watch of the wall clock, once.
func (w *Wheel) watchLocked() {
	if w.wall != nil {
		return
	}
	w.wall = make(map[wheel.Handle]time.Time)
	ctx, cancel := context.WithCancel(context.Background())
	w.unwatch = cancel
	w.users.Add(1)
	go func() {
		defer w.release()
		w.clock.WatchSteps(ctx, w.follow)
	}()
}

// follow moves the timers that follow the wall clock after it was set.
func (w *Wheel) follow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	wake := false
	for h, t := range w.wall {
		due := w.dueAt(t)
		w.timers.Reset(h, due)
		wake = w.armLocked(due) || wake
	}
	if wake {
		w.wake()
	}
}
