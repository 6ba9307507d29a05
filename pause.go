package timewheel

// Pause keeps timers from firing until Resume. Time goes on: timers may be set,
// stopped and reset as ever, and those that came due meanwhile fire, late, at
// Resume; repeating ones by their [Missed] policy. What has expired already still
// runs. To pause a paused wheel does nothing.
func (w *Wheel) Pause() {
	w.waker.interrupt(func() { w.waker.paused.Store(true) })
	for i := range w.shards {
		s := &w.shards[i]
		s.mu.Lock()   // the driver may be here, not having seen it yet
		s.mu.Unlock() //nolint:staticcheck,gocritic // nothing to do but to wait for it
	}
}

// Resume ends a Pause. To resume a wheel that is not paused does nothing.
func (w *Wheel) Resume() { w.waker.interrupt(func() { w.waker.paused.Store(false) }) }
