package timewheel

// Pause keeps timers from firing until Resume. Time goes on: timers may be set,
// stopped and reset as ever, and those that came due meanwhile fire, late, at
// Resume; repeating ones by their [Missed] policy. What has expired already still
// runs. To pause a paused wheel does nothing.
func (w *Wheel) Pause() { w.waker.interrupt(func() { w.waker.paused = true }) }

// Resume ends a Pause. To resume a wheel that is not paused does nothing.
func (w *Wheel) Resume() { w.waker.interrupt(func() { w.waker.paused = false }) }
