package timewheel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// inBubble runs a test in a bubble, with a wheel that is stopped at the end.
func inBubble(t *testing.T, cfg timewheel.Config, test func(t *testing.T, w *timewheel.Wheel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(cfg)
		test(t, w)
		if _, err := w.Stop(t.Context()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
}

// mustNotRun returns a callback that fails the test.
func mustNotRun(t *testing.T) func() {
	return func() { t.Error("a callback ran that must not") }
}

// fired is a callback that notes when it ran.
type fired struct {
	mu sync.Mutex
	at []time.Time // guarded by mu
}

func (f *fired) note() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = append(f.at, time.Now())
}

// times waits until the bubble is at rest and returns how often it ran.
func (f *fired) times() int {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.at)
}

func TestATimerFiresAtItsTickAndNotANanosecondBefore(t *testing.T) {
	for _, c := range []struct{ tick, offset, delay, want time.Duration }{
		{0, 0, 5 * time.Millisecond, 5 * time.Millisecond},
		{0, 0, 1, 100 * time.Microsecond},
		{0, 0, 5*time.Millisecond + 1, 5100 * time.Microsecond},
		{time.Millisecond, 0, 1, time.Millisecond},
		{time.Millisecond, 0, 5*time.Millisecond - 1, 5 * time.Millisecond},
		{time.Millisecond, 0, 5*time.Millisecond + 1, 6 * time.Millisecond},
		{time.Millisecond, 300 * time.Microsecond, time.Millisecond, 1700 * time.Microsecond},
		{time.Millisecond, 999999, 64 * time.Millisecond, 64*time.Millisecond + 1},
		{0, 0, 30 * 24 * time.Hour, 30 * 24 * time.Hour},
		{time.Microsecond, 17, 250 * time.Microsecond, 251*time.Microsecond - 17},
		{time.Hour, time.Minute, time.Second, 59 * time.Minute},
		{time.Hour, 0, 100 * 365 * 24 * time.Hour, 100 * 365 * 24 * time.Hour},
		{333 * time.Microsecond, 0, 333*time.Microsecond + 1, 666 * time.Microsecond},
	} {
		inBubble(t, timewheel.Config{Tick: c.tick}, func(t *testing.T, w *timewheel.Wheel) {
			var f fired
			time.Sleep(c.offset)
			w.AfterFunc(c.delay, f.note)
			time.Sleep(c.want - 1)
			if n := f.times(); n != 0 {
				t.Errorf("%+v: fired %d times 1 ns before its tick", c, n)
			}
			time.Sleep(2 * time.Nanosecond)
			if n := f.times(); n != 1 {
				t.Errorf("%+v: fired %d times by 1 ns after its tick", c, n)
			}
			time.Sleep(10 * time.Hour)
			if n := f.times(); n != 1 {
				t.Errorf("%+v: fired %d times in all", c, n)
			}
		})
	}
}

func TestZeroAndNegativeDelaysFireAtOnce(t *testing.T) {
	for _, d := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
		inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
			var f fired
			time.Sleep(1300 * time.Microsecond)
			w.AfterFunc(d, f.note)
			if n := f.times(); n != 1 {
				t.Errorf("AfterFunc(%d) has fired %d times before time moved", d, n)
			}
		})
	}
}

func TestAHugeDelayNeverFiresAndStopsLikeAnyOther(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		time.Sleep(time.Hour)
		huge := w.AfterFunc(math.MaxInt64, f.note)
		moved := w.AfterFunc(time.Hour, f.note)
		if !moved.Reset(math.MaxInt64) {
			t.Error("Reset to a huge delay returned false")
		}
		time.Sleep(100 * 365 * 24 * time.Hour)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times within a century", n)
		}
		if !huge.Stop() || !moved.Stop() {
			t.Error("Stop of a timer that has not fired returned false")
		}
	})
}

func TestStopKeepsATimerFromFiring(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		timer := w.AfterFunc(time.Second, f.note)
		time.Sleep(time.Second - 1)
		if !timer.Stop() {
			t.Error("Stop 1 ns before the due instant returned false")
		}
		if timer.Stop() || timer.Reset(time.Second) {
			t.Error("a stopped timer could be stopped or reset")
		}
		time.Sleep(time.Hour)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times after Stop", n)
		}
	})
}

func TestAFiredTimerIsGone(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var first, tenant fired
		timer := w.AfterFunc(time.Second, first.note)
		time.Sleep(time.Second)
		synctest.Wait()
		w.AfterFunc(time.Second, tenant.note) // takes the place of the first
		if timer.Stop() || timer.Reset(time.Hour) {
			t.Error("a timer that has fired could be stopped or reset")
		}
		time.Sleep(time.Second)
		if first.times() != 1 || tenant.times() != 1 {
			t.Errorf("fired %d and %d times, want once each", first.times(), tenant.times())
		}
	})
}

func TestResetMovesATimer(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		timer := w.AfterFunc(time.Second, f.note)
		for _, d := range []time.Duration{time.Hour, 2 * time.Second, 10 * time.Millisecond} {
			time.Sleep(5 * time.Millisecond)
			if !timer.Reset(d) {
				t.Errorf("Reset(%v) of a pending timer returned false", d)
			}
		}
		time.Sleep(10*time.Millisecond - 1)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times before the last Reset's delay", n)
		}
		time.Sleep(2 * time.Nanosecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times, want once", n)
		}
	})
}

func TestTheZeroTimerDoesNothing(t *testing.T) {
	var timer timewheel.Timer
	if timer.Stop() || timer.Reset(time.Second) {
		t.Error("the zero Timer could be stopped or reset")
	}
}

func TestAnEarlierTimerWakesTheSleepingDriver(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		w.AfterFunc(1000*time.Hour, func() {})
		synctest.Wait() // the driver sleeps for 1000 hours
		for d := time.Hour; d > 0; d /= 3 {
			var f fired
			w.AfterFunc(d, f.note)
			late := w.AfterFunc(2000*time.Hour, func() {})
			synctest.Wait()
			time.Sleep(d + time.Millisecond)
			if n := f.times(); n != 1 {
				t.Errorf("a timer of %v had fired %d times a tick after it", d, n)
			}
			late.Reset(time.Millisecond)
			time.Sleep(2 * time.Millisecond)
			if late.Stop() {
				t.Error("a timer that was reset to an earlier instant had not fired by then")
			}
		}
	})
}

// Time in a bubble moves only when everybody sleeps, so a wake-up that gets lost
// shows as a timer that is late, and lateness must be nothing but the tick.
func TestNoWakeUpIsMissed(t *testing.T) {
	inBubble(t, timewheel.Config{Tick: time.Millisecond}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		var adders sync.WaitGroup
		var count atomic.Int64
		for seed := range uint64(50) {
			adders.Go(func() {
				random := rand.New(rand.NewPCG(seed, 1))
				for range 200 {
					time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
					due := time.Since(start) + time.Duration(random.Int64N(int64(50*time.Millisecond))) + 1
					tick := (due + time.Millisecond - 1).Truncate(time.Millisecond)
					w.AfterFunc(due-time.Since(start), func() {
						count.Add(1)
						if at := time.Since(start); at != tick {
							t.Errorf("seed %d: due %v fired at %v, want %v", seed, due, at, tick)
						}
					})
				}
			})
		}
		adders.Wait()
		time.Sleep(51 * time.Millisecond)
		synctest.Wait()
		if n := count.Load(); n != 50*200 {
			t.Errorf("%d fired, want %d", n, 50*200)
		}
	})
}

func TestACallbackMayUseTheWheel(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		other := w.AfterFunc(time.Hour, mustNotRun(t))
		var again func()
		again = func() {
			f.note()
			other.Stop()
			if f.times() < 5 {
				w.AfterFunc(time.Second, again)
			}
		}
		w.AfterFunc(time.Second, again)
		time.Sleep(time.Minute)
		if n := f.times(); n != 5 {
			t.Errorf("a timer that sets itself anew 4 times fired %d times", n)
		}
	})
}

func TestASlowCallbackDelaysNobody(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		w.AfterFunc(time.Millisecond, func() { time.Sleep(time.Hour) })
		w.AfterFunc(time.Millisecond, f.note)
		w.AfterFunc(2*time.Millisecond, f.note)
		time.Sleep(2 * time.Millisecond)
		if n := f.times(); n != 2 {
			t.Errorf("%d of 2 timers fired beside a slow callback", n)
		}
	})
}

func TestMoreTimersThanABatchFireInOneTick(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		const n = 10_000
		var f fired
		for range n {
			w.AfterFunc(time.Minute, f.note)
		}
		time.Sleep(time.Minute)
		if got := f.times(); got != n {
			t.Errorf("%d of %d fired in their tick", got, n)
		}
	})
}

func TestANilFunctionPanicsAtOnce(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	for name, call := range map[string]func(){
		"AfterFunc": func() { w.AfterFunc(time.Second, nil) },
		"At":        func() { w.At(time.Now(), nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != "timewheel: the function to call is nil" {
					t.Errorf("%s(nil) panicked with %v", name, got)
				}
			}()
			call()
		}()
	}
	if _, err := w.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

func TestConfigReportsItsFaults(t *testing.T) {
	for _, tick := range []time.Duration{-1, 1, time.Microsecond - 1, time.Hour + 1, math.MinInt64} {
		cfg := timewheel.Config{Tick: tick}
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "Config.Tick is "+tick.String()) {
			t.Errorf("Tick %d: Validate() = %v", tick, err)
		}
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || err.Error() != cfg.Validate().Error() {
					t.Errorf("Tick %d: New panicked with %v, want the error of Validate", tick, err)
				}
			}()
			timewheel.New(cfg)
		}()
	}
	for _, tick := range []time.Duration{0, time.Microsecond, time.Hour} {
		if err := (timewheel.Config{Tick: tick}).Validate(); err != nil {
			t.Errorf("Tick %d: Validate() = %v", tick, err)
		}
	}
}
