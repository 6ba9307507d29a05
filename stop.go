package timewheel

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// Pending is a timer that had not fired when its wheel was stopped.
type Pending struct {
	// Due is when it was to fire: the instant given to At or by a rule, or that of a
	// delay rounded up to a tick.
	Due time.Time
	// Func is the function that was not called.
	Func func()
}

// Stop ends the wheel: no timer fires any more and none can be set. It returns
// those that had not fired, in the order in which they were due; timers with a channel, and
// repeating ones whose function is running, are not among them. Then it waits for
// the callbacks that are running, or have expired and are about to. When it
// returns a nil error, none runs and none will.
//
// If ctx is done first, Stop returns its error, wrapped; the wheel is stopped all
// the same. Called from inside a callback, of this wheel or of another, it does
// not wait and returns [ErrInsideCallback]. A second Stop returns no timers, and
// waits in the same way. It can't know of a callback that waits for whoever calls
// Stop; give it a ctx that ends.
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
		return pending, fmt.Errorf("timewheel: the wheel is stopped, but callbacks are still running: %w", ctx.Err())
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
	w.mustBeMade()
	if w.stopped.Swap(true) {
		return nil
	}
	var unfired []unfired
	for i := range w.shards {
		unfired = w.shards[i].close(unfired)
	}
	w.watch.stop()
	w.waker.interrupt(func() { w.waker.closed = true })
	close(w.over)
	w.release()
	return inOrder(unfired)
}

// unfired is a timer that was taken out of its shard, with its tick: Due may be
// of a wall clock that shows something else than the time.
type unfired struct {
	tick uint64
	Pending
}

func inOrder(timers []unfired) []Pending {
	slices.SortStableFunc(timers, func(a, b unfired) int { return cmp.Compare(a.tick, b.tick) })
	pending := make([]Pending, len(timers))
	for i, t := range timers {
		pending[i] = t.Pending
	}
	return pending
}

// close takes all timers out and appends them.
func (s *shard) close(timers []unfired) []unfired {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.next.Store(asleep)
	if s.timers == nil {
		return timers
	}
	s.timers.Advance(asleep, 0, func(h wheel.Handle) {
		if due, ok := s.dueLocked(h); ok {
			if f := s.functionLocked(h); f != nil {
				tick, _ := s.timers.Due(h)
				timers = append(timers, unfired{tick, Pending{due, f}})
			}
		}
	})
	s.timers, s.funcs, s.specials = nil, wheel.Slab[func()]{}, wheel.Slab[*special]{}
	return timers
}

// functionLocked returns the user's function of a timer, or nil if there is none.
func (s *shard) functionLocked(h wheel.Handle) func() {
	if h.Marked() {
		return (*s.specials.At(h.Index())).f
	}
	return *s.funcs.At(h.Index())
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
