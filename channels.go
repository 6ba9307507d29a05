package timewheel

import (
	"context"
	"sync"
	"time"
)

// ChanTimer is a timer with a channel, like [time.Timer] since Go 1.23: once Stop
// or Reset has returned, nothing of before is received. It differs in that its
// channel has room for one value, and that the wheel holds it until it fires or
// is stopped, though nobody may listen any more.
type ChanTimer struct {
	C <-chan time.Time // gets the time of firing

	channel channel
}

// NewTimer returns a timer that sends the time on its channel when d has passed,
// and never before. On a stopped or full wheel it never sends; see
// [ChanTimer.Err].
func (w *Wheel) NewTimer(d time.Duration) *ChanTimer {
	t := &ChanTimer{}
	t.C = t.channel.open(w)
	t.Reset(d)
	return t
}

// Stop takes the timer out. It returns true if that kept the time from being
// received: what was sent and not received yet is taken back.
func (t *ChanTimer) Stop() bool { return t.channel.set(nil) }

// Reset makes the timer send when d has passed, whether it has fired, was stopped
// or still waits. It returns what Stop would have.
func (t *ChanTimer) Reset(d time.Duration) bool {
	return t.channel.set(func(w *Wheel) (*special, Timer) {
		sp := &special{inline: true}
		sp.run = func() { t.channel.send(sp) }
		return sp, w.addSpecial(sp, w.ticks.after(w.now(), d))
	})
}

// Err returns why the timer could not be set the last time, ErrStopped or
// ErrFull, or nil.
func (t *ChanTimer) Err() error { return t.channel.err() }

// Ticker sends the time on its channel again and again, like [time.Ticker] since
// Go 1.23: ticks are dropped while one has not been received yet, the phase is
// kept, and once Stop or Reset has returned, nothing of before is received. The
// wheel holds it until it is stopped.
type Ticker struct {
	C <-chan time.Time // gets the time of each tick

	channel channel
}

// NewTicker returns a ticker with that interval. It panics if d is not positive.
// On a stopped or full wheel it never sends; see [Ticker.Err].
func (w *Wheel) NewTicker(d time.Duration) *Ticker {
	t := &Ticker{}
	t.C = t.channel.open(w)
	t.Reset(d)
	return t
}

// Stop ends the ticks. It does not close the channel.
func (t *Ticker) Stop() { t.channel.set(nil) }

// Reset makes the ticker tick with another interval, also after Stop; the first
// tick is d from now. It panics if d is not positive.
func (t *Ticker) Reset(d time.Duration) {
	mustBePositive(d)
	t.channel.set(func(w *Wheel) (*special, Timer) {
		r := newRepeat(w, -1, nil)
		r.interval = d
		r.prepare(func() { t.channel.send(&r.special) })
		r.f, r.inline = nil, true
		return &r.special, r.start()
	})
}

// Err returns why the ticker could not be set the last time, ErrStopped or
// ErrFull, or nil.
func (t *Ticker) Err() error { return t.channel.err() }

// After returns the channel of a [Wheel.NewTimer]. On a stopped or full wheel
// nothing is ever sent; where that matters, take NewTimer.
func (w *Wheel) After(d time.Duration) <-chan time.Time { return w.NewTimer(d).C }

// Tick returns the channel of a [Wheel.NewTicker] that nobody can stop, or nil if
// d is not positive.
func (w *Wheel) Tick(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return w.NewTicker(d).C
}

// Sleep returns nil when d has passed, and not before; at once if d is not
// positive. It returns the context's error as soon as that is done, ErrStopped as
// soon as the wheel is stopped, and ErrFull if there is no room for its timer.
func (w *Wheel) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.stopped.Load() {
		return ErrStopped
	}
	if d <= 0 {
		return nil
	}
	t := w.NewTimer(d)
	if err := t.Err(); err != nil {
		return err
	}
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		t.Stop()
		return ctx.Err()
	case <-w.over:
		return ErrStopped
	}
}

// channel is what sends times, and takes back what is stale.
type channel struct {
	wheel *Wheel
	times chan time.Time

	mu      sync.Mutex
	timer   Timer    // guarded by mu
	current *special // guarded by mu; the one that may send; nil after Stop
	sent    bool     // guarded by mu; it has
}

func (c *channel) open(w *Wheel) <-chan time.Time {
	c.wheel, c.times = w, make(chan time.Time, 1)
	return c.times
}

// set stops what was set and then sets anew by start, unless that is nil. It
// returns whether it kept a time from being received.
func (c *channel) set(start func(*Wheel) (*special, Timer)) (kept bool) {
	if c.times == nil {
		panic("timewheel: this timer is not from NewTimer or NewTicker")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kept = c.current != nil && !c.sent
	c.timer.Stop()
	select {
	case <-c.times:
		kept = true
	default:
	}
	c.current, c.sent = nil, false
	if start != nil {
		if c.current, c.timer = start(c.wheel); c.timer.Err() != nil {
			c.current = nil
		}
	}
	return kept
}

// send sends the time, if the sender is the current one and there is room.
func (c *channel) send(from *special) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != from {
		return // stopped or reset after it expired
	}
	c.sent = true
	select {
	case c.times <- time.Now():
	default:
	}
}

func (c *channel) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer.Err()
}
