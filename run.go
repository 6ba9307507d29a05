package timewheel

import (
	"fmt"
	"runtime/debug"
)

// Run says where a [Wheel] runs its callbacks. None ever runs under a lock, so a
// callback may set, stop and reset timers, and stop the wheel.
type Run uint8

const (
	// RunGoroutine runs each callback in a goroutine of its own, as time.AfterFunc
	// does: none waits for another.
	RunGoroutine Run = iota

	// RunInline runs callbacks in the driver's goroutine, one after the other: the
	// cheapest, for callbacks that are short and never wait. One that takes long
	// makes all timers late.
	RunInline

	// RunPool runs callbacks in up to Config.Workers goroutines, in the order in which
	// they expired. What has no worker yet waits; timers do not become late by it, only
	// their callbacks.
	RunPool
)

// String returns the name of the mode in lower case.
func (r Run) String() string {
	if r > RunPool {
		return fmt.Sprintf("Run(%d)", uint8(r))
	}
	return [...]string{"goroutine", "inline", "pool"}[r]
}

// dispatch has a function run, unless somebody has claimed otherwise. The driver
// has added its use already.
func (w *Wheel) dispatch(f *firing) {
	switch {
	case f.special != nil && f.special.claim != nil && !f.special.claim():
		w.started(f.ends)
		w.release()
	case w.mode == RunInline || f.special != nil && f.special.inline:
		w.started(f.ends)
		w.call(f.run)
	case w.mode == RunPool:
		w.pool.put(job{f.run, f.ends})
	default:
		w.started(f.ends)
		go w.call(f.run)
	}
}

// call runs a callback. insideCallback knows it by its name.
func (w *Wheel) call(f func()) {
	defer w.release()
	if w.onPanic != nil {
		defer w.recover()
	}
	f()
}

// recover hands a panic to Config.OnPanic.
func (w *Wheel) recover() {
	if value := recover(); value != nil {
		w.onPanic(value, debug.Stack())
	}
}
