package timewheel

import "github.com/timewheel-dev/timewheel/internal/wheel"

// admitLocked counts a timer that is about to be set, or says why it can't be.
func (s *shard) admitLocked() (refused wheel.Handle) {
	if s.closed {
		return refusedStopped
	}
	if w := s.wheel; w.maxPending > 0 && !w.charge() {
		return refusedFull
	}
	if s.timers == nil {
		s.buildLocked()
	}
	s.counts.set++
	return 0
}

// charge counts a timer as pending, unless as many are as may be.
func (w *Wheel) charge() bool {
	for {
		n := w.pending.Load()
		if n >= w.maxPending {
			return false
		}
		if w.pending.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// discharge counts a timer that is not pending any more.
func (w *Wheel) discharge() {
	if w.maxPending > 0 {
		w.pending.Add(-1)
	}
}

// started counts a timer as pending no more, if this was its last time.
func (w *Wheel) started(ends bool) {
	if ends {
		w.discharge()
	}
}
