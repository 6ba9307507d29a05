// Package clock is the seam for the wall clock: what it shows, and when it
// was set. Waiting needs no seam, since tests run in testing/synctest bubbles,
// where package time is fake; stepping the wall clock does, since no bubble
// can do that.
//
//	Real   time.Now, and the kernel's word of a step
//	Fake   time.Now and an offset that a test steps
//
// It knows nothing of tasks or wheels. A nil Clock means Real everywhere that
// one is asked for; [Or] says so in one place.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock shows the wall clock. Its methods may be called at once from any
// goroutine.
type Clock interface {
	// Now returns the wall clock's reading.
	Now() time.Time

	// WatchSteps calls stepped, never two calls at a time, whenever the wall
	// clock may have been set, until ctx is done; then it returns. A call too many is
	// harmless.
	WatchSteps(ctx context.Context, stepped func())
}

// Or returns c, or the real clock if c is nil.
func Or(c Clock) Clock {
	if c == nil {
		return Real{}
	}
	return c
}

// Real is the machine's clock.
type Real struct{}

// Now returns time.Now().
func (Real) Now() time.Time { return time.Now() }

// WatchSteps reports settings of the clock: at once where the kernel tells of
// them (Linux), else within a second. In a testing/synctest bubble, whose clock
// nobody sets, it just waits, so that the bubble's time goes on.
func (Real) WatchSteps(ctx context.Context, stepped func()) {
	if inBubble() {
		<-ctx.Done()
		return
	}
	watchSteps(ctx, stepped)
}

// inBubble reports whether time is fake here: a bubble's has no monotonic part.
func inBubble() bool {
	now := time.Now()
	return now == now.Round(0) //nolint:staticcheck // Equal would not see the monotonic part
}

// Stopwatch starts to measure, by the monotonic clock; the function that it
// returns tells how long ago that was.
func Stopwatch() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// stepTolerance is how far the wall clock and the monotonic clock may part
// within a second before it counts as a step: more than slewing does (500 ppm).
const stepTolerance = 2 * time.Millisecond

// pollSteps compares the two clocks every second.
func pollSteps(ctx context.Context, stepped func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		if parted := now.Round(0).Sub(last.Round(0)) - now.Sub(last); parted.Abs() > stepTolerance {
			stepped()
		}
		last = now
	}
}

// Fake is a clock for tests: package time moved by an offset. The zero Fake
// shows the real time; in a bubble, the bubble's.
type Fake struct {
	mu       sync.Mutex
	offset   time.Duration         // guarded by mu
	watchers map[int]chan struct{} // guarded by mu
	lastID   int                   // guarded by mu
}

// Now returns the moved time.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Now().Round(0).Add(f.offset)
}

// Step sets the clock forward by d, or back if d is negative, and tells the
// watchers.
func (f *Fake) Step(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.offset += d
	for _, w := range f.watchers {
		select {
		case w <- struct{}{}:
		default: // one notice is waiting already
		}
	}
}

// WatchSteps reports every Step until ctx is done.
func (f *Fake) WatchSteps(ctx context.Context, stepped func()) {
	steps := make(chan struct{}, 1)
	f.mu.Lock()
	if f.watchers == nil {
		f.watchers = make(map[int]chan struct{})
	}
	f.lastID++
	id := f.lastID
	f.watchers[id] = steps
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, id)
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-steps:
			stepped()
		}
	}
}
