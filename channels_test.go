package timewheel_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// received waits until the bubble is at rest and takes what is in the channel: the
// time since start, or -1 for nothing.
func received(c <-chan time.Time, start time.Time) time.Duration {
	synctest.Wait()
	select {
	case at := <-c:
		return at.Sub(start)
	default:
		return -1
	}
}

const none = time.Duration(-1)

// mustReceive compares what is in a channel now.
func mustReceive(t *testing.T, c <-chan time.Time, start time.Time, want time.Duration) {
	t.Helper()
	if got := received(c, start); got != want {
		t.Errorf("after %v received %v, want %v (-1ns is nothing)", time.Since(start), got, want)
	}
}

func TestNewTimerSendsTheTimeOnce(t *testing.T) {
	for _, c := range []struct{ d, want time.Duration }{
		{time.Second, time.Second},
		{time.Second + 1, time.Second + 100*time.Microsecond},
		{1, 100 * time.Microsecond},
		{0, 0},
		{-1, 0},
		{math.MinInt64, 0},
	} {
		inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
			start := time.Now()
			timer := w.NewTimer(c.d)
			if c.want > 0 {
				time.Sleep(c.want - 1)
				mustReceive(t, timer.C, start, none)
				time.Sleep(time.Nanosecond)
			}
			mustReceive(t, timer.C, start, c.want)
			time.Sleep(time.Hour)
			mustReceive(t, timer.C, start, none)
			if n := w.Len(); n != 0 {
				t.Errorf("Len is %d after firing", n)
			}
		})
	}
}

func TestTheTimeOnAChannelIsThatOfFiring(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		timer := w.NewTimer(time.Second)
		time.Sleep(time.Hour) // nobody listens
		mustReceive(t, timer.C, start, time.Second)
	})
}

func TestStopOfAChannelTimer(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  func(timer *timewheel.ChanTimer)
		stopped bool
	}{
		{"while it waits", func(*timewheel.ChanTimer) {}, true},
		{"after it fired", func(*timewheel.ChanTimer) { time.Sleep(time.Minute) }, true}, // nobody has received it
		{"after it was received", func(timer *timewheel.ChanTimer) { <-timer.C }, false},
		{"after Stop", func(timer *timewheel.ChanTimer) { timer.Stop() }, false},
		{"after firing and Stop", func(timer *timewheel.ChanTimer) { time.Sleep(time.Minute); timer.Stop() }, false},
		{"after Reset", func(timer *timewheel.ChanTimer) { timer.Reset(time.Minute) }, true},
		{"after receiving and Reset", func(timer *timewheel.ChanTimer) { <-timer.C; timer.Reset(time.Minute) }, true},
		{"after Stop and Reset", func(timer *timewheel.ChanTimer) { timer.Stop(); timer.Reset(time.Minute) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				timer := w.NewTimer(time.Second)
				c.before(timer)
				synctest.Wait()
				if got := timer.Stop(); got != c.stopped {
					t.Errorf("Stop returned %t", got)
				}
				if n := w.Len(); n != 0 {
					t.Errorf("Len is %d after Stop", n)
				}
				for range 3 {
					mustReceive(t, timer.C, time.Time{}, none)
					time.Sleep(time.Hour)
				}
			})
		})
	}
}

func TestResetOfAChannelTimer(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(timer *timewheel.ChanTimer)
		kept   bool
	}{
		{"while it waits", func(*timewheel.ChanTimer) {}, true},
		{"after it fired", func(*timewheel.ChanTimer) { time.Sleep(time.Minute) }, true},
		{"after it was received", func(timer *timewheel.ChanTimer) { <-timer.C }, false},
		{"after Stop", func(timer *timewheel.ChanTimer) { timer.Stop() }, false},
		{"after firing and Stop", func(timer *timewheel.ChanTimer) { time.Sleep(time.Minute); timer.Stop() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				timer := w.NewTimer(time.Second)
				c.before(timer)
				synctest.Wait()
				start := time.Now()
				if got := timer.Reset(5 * time.Second); got != c.kept {
					t.Errorf("Reset returned %t", got)
				}
				time.Sleep(5*time.Second - 1)
				mustReceive(t, timer.C, start, none)
				time.Sleep(100 * time.Microsecond)
				if got := received(timer.C, start); got < 5*time.Second || got > 5*time.Second+100*time.Microsecond {
					t.Errorf("received %v after Reset(5s)", got)
				}
				time.Sleep(time.Hour)
				mustReceive(t, timer.C, start, none)
				if timer.Stop() {
					t.Error("Stop after receiving returned true")
				}
			})
		})
	}
}

// Inline callbacks among timers with channels that are due in the same tick: what
// the driver has taken out already must not be sent after Stop or Reset.
func TestNothingStaleThoughTheDriverHasItAlready(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunInline, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		const n = 40
		start := time.Now()
		var stopped, reset, sooner [n]*timewheel.ChanTimer
		touched := false
		touch := func() {
			if touched {
				return
			}
			touched = true
			for i := range n {
				if !stopped[i].Stop() || !reset[i].Reset(time.Hour) || !sooner[i].Reset(0) {
					t.Error("Stop or Reset of what nobody has received returned false")
				}
			}
		}
		w.AfterFunc(time.Second, touch)
		for i := range n {
			stopped[i], reset[i], sooner[i] = w.NewTimer(time.Second), w.NewTimer(time.Second), w.NewTimer(time.Second)
		}
		w.AfterFunc(time.Second, touch)
		time.Sleep(time.Minute)
		for i := range n {
			mustReceive(t, stopped[i].C, start, none)
			mustReceive(t, reset[i].C, start, none)
			mustReceive(t, sooner[i].C, start, time.Second)
			mustReceive(t, sooner[i].C, start, none)
		}
		time.Sleep(2 * time.Hour)
		for i := range n {
			mustReceive(t, stopped[i].C, start, none)
			mustReceive(t, reset[i].C, start, time.Hour+time.Second)
			mustReceive(t, reset[i].C, start, none)
		}
	})
}

// On the real clock, with stops and resets as close to the firing as can be: a
// time is received, or kept from it, and never both or neither.
func TestAChannelTimerIsReceivedOrStopped(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	w := timewheel.New(timewheel.Config{Tick: time.Microsecond})
	timer := w.NewTimer(time.Hour)
	timer.Stop()
	until := time.Now().Add(300 * time.Millisecond)
	for time.Now().Before(until) {
		d := time.Duration(random.Int64N(int64(200 * time.Microsecond)))
		notBefore := time.Now().Add(d)
		if timer.Reset(d) {
			t.Fatalf("seed %d: Reset of an idle timer returned true", seed)
		}
		for spin := notBefore.Add(time.Duration(random.Int64N(int64(200*time.Microsecond))) - 100*time.Microsecond); time.Now().Before(spin); {
			runtime.Gosched()
		}
		var got bool
		if random.IntN(2) == 0 {
			got = tryReceive(t, timer, notBefore)
		}
		if kept := timer.Stop(); kept == got {
			t.Fatalf("seed %d: received: %t, Stop: %t", seed, got, kept)
		}
		if tryReceive(t, timer, notBefore) {
			t.Fatalf("seed %d: received after Stop", seed)
		}
	}
	stop(t, w)
}

func tryReceive(t *testing.T, timer *timewheel.ChanTimer, notBefore time.Time) bool {
	t.Helper()
	select {
	case at := <-timer.C:
		if at.Before(notBefore) {
			t.Errorf("sent %v early", notBefore.Sub(at))
		}
		return true
	default:
		return false
	}
}

func TestTickerTicksAndKeepsItsPhase(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		ticker := w.NewTicker(time.Second)
		for _, want := range []time.Duration{1, 2, 3} {
			time.Sleep(time.Second)
			mustReceive(t, ticker.C, start, want*time.Second)
		}
		time.Sleep(10*time.Second + 500*time.Millisecond) // a slow receiver: ticks are dropped
		mustReceive(t, ticker.C, start, 4*time.Second)
		mustReceive(t, ticker.C, start, none)
		time.Sleep(500 * time.Millisecond)
		mustReceive(t, ticker.C, start, 14*time.Second)
		ticker.Stop()
		time.Sleep(time.Minute)
		mustReceive(t, ticker.C, start, none)
		if n := w.Len(); n != 0 {
			t.Errorf("Len is %d after Stop", n)
		}
	})
}

func TestResetOfATicker(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		ticker := w.NewTicker(time.Second)
		time.Sleep(1500 * time.Millisecond) // the tick of 1 s is not received
		ticker.Reset(10 * time.Second)
		mustReceive(t, ticker.C, start, none)
		time.Sleep(10 * time.Second)
		mustReceive(t, ticker.C, start, 11500*time.Millisecond)
		time.Sleep(10 * time.Second)
		ticker.Stop()
		mustReceive(t, ticker.C, start, none)
		time.Sleep(time.Minute)
		ticker.Reset(time.Hour)
		time.Sleep(2 * time.Hour)
		mustReceive(t, ticker.C, start, 81500*time.Millisecond+time.Hour)
		mustPanic(t, "timewheel: the interval is 0s; it must be positive", func() { ticker.Reset(0) })
		mustPanic(t, "timewheel: the interval is -1s; it must be positive", func() { w.NewTicker(-time.Second) })
		if n := w.Len(); n != 1 {
			t.Errorf("Len is %d, want the ticker", n)
		}
	})
}

func TestATickerThatIsResetFromItsOwnReceiver(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		ticker := w.NewTicker(time.Second)
		for i := range 5 {
			<-ticker.C
			r.note()
			ticker.Reset(time.Duration(i+1) * time.Second)
		}
		ticker.Stop()
		r.mustBe(t, "1s 2s 4s 7s 11s")
	})
}

func TestAfterAndTick(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		after, tick := w.After(1500*time.Millisecond), w.Tick(time.Second)
		if at := <-after; at.Sub(start) != 1500*time.Millisecond {
			t.Errorf("After sent at %v", at.Sub(start))
		}
		for want := time.Second; want <= 3*time.Second; want += time.Second {
			if at := <-tick; at.Sub(start) != want {
				t.Errorf("Tick sent at %v, want %v", at.Sub(start), want)
			}
		}
		if w.Tick(0) != nil || w.Tick(-1) != nil {
			t.Error("Tick of nothing is not nil")
		}
	})
}

func TestSleep(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		soon, cancelSoon := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancelSoon()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for _, c := range []struct {
			name string
			ctx  context.Context
			d    time.Duration
			err  error
			took time.Duration
		}{
			{"zero", t.Context(), 0, nil, 0},
			{"negative", t.Context(), math.MinInt64, nil, 0},
			{"cancelled before", over, time.Second, context.Canceled, 0},
			{"cancelled before, zero", over, 0, context.Canceled, 0},
			{"deadline", soon, time.Hour, context.DeadlineExceeded, 300 * time.Millisecond},
			{"whole", t.Context(), time.Second, nil, time.Second},
			{"one nanosecond", t.Context(), 1, nil, 100 * time.Microsecond},
		} {
			start := time.Now()
			if err := w.Sleep(c.ctx, c.d); !errors.Is(err, c.err) || time.Since(start) != c.took {
				t.Errorf("%s: %v after %v, want %v after %v", c.name, err, time.Since(start), c.err, c.took)
			}
			if n := w.Len(); n != 0 {
				t.Errorf("%s: left %d timers behind", c.name, n)
			}
		}
	})
}

func TestStopOfTheWheelEndsASleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		r := newRecord()
		for range 3 {
			go func() {
				if err := w.Sleep(t.Context(), math.MaxInt64); !errors.Is(err, timewheel.ErrStopped) {
					t.Errorf("Sleep returned %v", err)
				}
				r.note()
			}()
		}
		time.Sleep(time.Minute)
		if pending, err := w.Stop(t.Context()); err != nil || len(pending) != 0 {
			t.Errorf("Stop handed back %d timers and %v", len(pending), err)
		}
		r.mustBe(t, "1m0s 1m0s 1m0s")
		if err := w.Sleep(t.Context(), time.Second); !errors.Is(err, timewheel.ErrStopped) {
			t.Errorf("Sleep on a stopped wheel returned %v", err)
		}
	})
}

func TestChannelsOfAStoppedWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		before, ticking := w.NewTimer(time.Second), w.NewTicker(time.Second)
		if before.Err() != nil || ticking.Err() != nil {
			t.Error("a timer that was set has an error")
		}
		if pending, err := w.Stop(t.Context()); err != nil || len(pending) != 0 {
			t.Errorf("Stop handed back %d timers and %v; those with a channel have nothing to call", len(pending), err)
		}
		timer, ticker, after := w.NewTimer(0), w.NewTicker(time.Second), w.After(0)
		if !errors.Is(timer.Err(), timewheel.ErrStopped) || !errors.Is(ticker.Err(), timewheel.ErrStopped) {
			t.Errorf("Err is %v and %v, want ErrStopped", timer.Err(), ticker.Err())
		}
		time.Sleep(time.Hour)
		before.Reset(0)
		ticking.Reset(time.Second)
		ticking.Stop()
		timer.Stop()
		time.Sleep(time.Hour)
		for _, c := range []<-chan time.Time{before.C, ticking.C, timer.C, ticker.C, after} {
			mustReceive(t, c, time.Time{}, none)
		}
	})
}

func TestChannelsOfAFullWheel(t *testing.T) {
	inBubble(t, timewheel.Config{MaxPending: 1}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		first := w.NewTimer(time.Second)
		second, ticker := w.NewTimer(time.Second), w.NewTicker(time.Second)
		if first.Err() != nil || !errors.Is(second.Err(), timewheel.ErrFull) || !errors.Is(ticker.Err(), timewheel.ErrFull) {
			t.Errorf("Err is %v, %v and %v, want nil and twice ErrFull", first.Err(), second.Err(), ticker.Err())
		}
		if err := w.Sleep(t.Context(), time.Second); !errors.Is(err, timewheel.ErrFull) {
			t.Errorf("Sleep on a full wheel returned %v", err)
		}
		first.Reset(2 * time.Second) // takes its own place again
		time.Sleep(3 * time.Second)
		mustReceive(t, first.C, start, 2*time.Second)
		mustReceive(t, second.C, start, none)
		ticker.Reset(time.Second) // there is room now
		if ticker.Err() != nil {
			t.Errorf("Err after a Reset that found room is %v", ticker.Err())
		}
		time.Sleep(time.Second)
		mustReceive(t, ticker.C, start, 4*time.Second)
		ticker.Stop()
		second.Reset(0)
		mustReceive(t, second.C, start, 4*time.Second)
	})
}

func TestAChannelTimerOfNoWheelPanics(t *testing.T) {
	mustPanic(t, "timewheel: this timer is not from NewTimer", func() { new(timewheel.ChanTimer).Stop() })
	mustPanic(t, "timewheel: this timer is not from NewTimer", func() { new(timewheel.Ticker).Reset(1) })
}
