package timewheel

import "time"

// softAlarm is the alarm of package time, for systems without a better one and
// for testing/synctest bubbles. It does not select on a timer's channel: the
// race detector's runtime of Go 1.26 can crash there, in a bubble.
type softAlarm struct {
	now   func() time.Duration
	timer *time.Timer
	rang  chan struct{} // holds a token when the alarm has rung
}

func newSoftAlarm(now func() time.Duration) *softAlarm {
	a := &softAlarm{now: now, rang: make(chan struct{}, 1)}
	a.timer = time.AfterFunc(forever, a.ring)
	return a
}

func (a *softAlarm) ring() {
	select {
	case a.rang <- struct{}{}:
	default: // it rings already
	}
}

func (a *softAlarm) set(at time.Duration) {
	switch left := at - a.now(); {
	case at == forever:
		a.timer.Stop()
	case left <= 0:
		a.timer.Stop()
		a.ring()
	default:
		a.timer.Reset(left)
	}
}

func (a *softAlarm) wait() error {
	<-a.rang
	return nil
}

func (a *softAlarm) close() { a.timer.Stop() }
