package timewheel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// ErrInsideCallback is what Stop returns when a callback calls it: the wheel is
// stopped, but Stop has not waited for callbacks, since it would wait for its own
// caller.
var ErrInsideCallback = errors.New("timewheel: the wheel is stopped, but a callback that stops it can't wait for itself; its callbacks may still be running")

// Pending is a timer that had not fired when its wheel was stopped.
type Pending struct {
	// Due is when it was to fire: the instant given to At, or that of AfterFunc
	// rounded up to a tick.
	Due time.Time
	// Func is the function that was not called.
	Func func()
}

// Stop ends the wheel: no timer fires any more and none can be set. It returns
// those that had not fired, in the order in which they were due. Then it waits for the callbacks that
// are running. When it returns a nil error, none runs and none will.
//
// If ctx is done first, Stop returns its error, wrapped; the wheel is stopped all
// the same. Called from inside a callback, of this wheel or of another, it does
// not wait and returns [ErrInsideCallback]. A second Stop returns no timers, and
// waits in the same way.
func (w *Wheel) Stop(ctx context.Context) ([]Pending, error) {
	pending := w.shut()
	if w.isIdle() {
		return pending, nil
	}
	if insideCallback() {
		return pending, ErrInsideCallback
	}
	select {
	case <-w.idle:
		return pending, nil
	case <-ctx.Done():
		return pending, fmt.Errorf("timewheel: the wheel is stopped, but callbacks are still running: %w", context.Cause(ctx))
	}
}

func (w *Wheel) isIdle() bool {
	select {
	case <-w.idle:
		return true
	default:
		return false
	}
}

// shut stops the wheel, if it is not stopped yet, lets go of its memory and
// returns the timers that were set.
func (w *Wheel) shut() []Pending {
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return nil
	}
	w.stopped = true
	pending := w.pendingLocked()
	w.timers, w.funcs, w.wall = nil, wheel.Slab[func()]{}, nil
	if w.unwatch != nil {
		w.unwatch()
	}
	w.mu.Unlock()
	w.wake()
	w.release()
	return pending
}

// pendingLocked takes all timers out by going to the end of time.
func (w *Wheel) pendingLocked() []Pending {
	pending := make([]Pending, 0, w.timers.Len())
	w.timers.Advance(asleep, 0, func(h wheel.Handle) {
		due, follows := w.wall[h]
		if !follows {
			tick, _ := w.timers.Due(h) // an expiring timer has a due
			due = w.start.Add(w.ticks.begin(tick))
		}
		pending = append(pending, Pending{due, *w.funcs.At(h.Index())})
	})
	return pending
}

// callName is the name under which a running callback shows on the stack.
var callName = runtime.FuncForPC(reflect.ValueOf((*Wheel).call).Pointer()).Name()

// insideCallback reports whether a callback is on the stack of this goroutine.
func insideCallback() bool {
	callers := make([]uintptr, 64)
	n := runtime.Callers(1, callers)
	for n == len(callers) {
		callers = make([]uintptr, 2*n)
		n = runtime.Callers(1, callers)
	}
	frames := runtime.CallersFrames(callers[:n])
	for {
		frame, more := frames.Next()
		if frame.Function == callName {
			return true
		}
		if !more {
			return false
		}
	}
}
