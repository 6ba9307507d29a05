package timewheel_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func TestStopHandsBackWhatHasNotFired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		start := time.Now()
		var ran []string
		note := func(name string) func() { return func() { ran = append(ran, name) } }
		w.AfterFunc(3*time.Hour, note("three"))
		w.AfterFunc(1500*time.Microsecond, note("fired"))
		w.At(start.Add(2*time.Hour+1), note("two"))
		stopped := w.AfterFunc(time.Hour, note("stopped"))
		stopped.Stop()
		late := w.AfterFunc(time.Hour+1, note("one"))
		time.Sleep(time.Minute)

		pending, err := w.Stop(t.Context())
		if err != nil {
			t.Fatalf("Stop: %v", err)
		}
		if late.Stop() || late.Reset(time.Second) {
			t.Error("a timer that was handed back could be stopped or reset")
		}
		time.Sleep(10 * time.Hour)
		want := []struct {
			due  time.Duration
			name string
		}{{time.Hour + 100*time.Microsecond, "one"}, {2*time.Hour + 1, "two"}, {3 * time.Hour, "three"}}
		if len(pending) != len(want) || len(ran) != 1 || ran[0] != "fired" {
			t.Fatalf("%d handed back and %q ran, want %d and the one that fired", len(pending), ran, len(want))
		}
		for i, p := range pending {
			p.Func()
			if due := p.Due.Sub(start); due != want[i].due || ran[i+1] != want[i].name {
				t.Errorf("timer %d is %q, due after %v, want %q after %v", i, ran[i+1], due, want[i].name, want[i].due)
			}
		}
	})
}

func TestAStoppedWheelTakesNoTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		w.AfterFunc(time.Hour, mustNotRun(t))
		for range 2 {
			if _, err := w.Stop(t.Context()); err != nil {
				t.Errorf("Stop: %v", err)
			}
		}
		for _, timer := range []timewheel.Timer{w.AfterFunc(0, mustNotRun(t)), w.At(time.Now(), mustNotRun(t))} {
			if err := timer.Err(); !errors.Is(err, timewheel.ErrStopped) || timer.Stop() || timer.Reset(0) {
				t.Errorf("a stopped wheel returned the timer %v with the error %v", timer, err)
			}
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestStopOfAWheelThatNeverHadATimer(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	for range 2 {
		if pending, err := w.Stop(context.Background()); err != nil || len(pending) != 0 {
			t.Errorf("Stop() = %v, %v", pending, err)
		}
	}
}

func TestStopWaitsForRunningCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		var f fired
		w.AfterFunc(time.Second, func() {
			time.Sleep(time.Minute)
			f.note()
		})
		time.Sleep(time.Second)
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Stop with a callback running beyond its deadline: %v", err)
		}
		if f.times() != 0 {
			t.Error("the callback had ended before Stop gave up")
		}
		if _, err := w.Stop(t.Context()); err != nil || f.times() != 1 {
			t.Errorf("a second Stop returned %v after %d callbacks", err, f.times())
		}
	})
}

func TestStopFromInsideACallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		w.AfterFunc(time.Hour, mustNotRun(t))
		var fromInside error
		var pending []timewheel.Pending
		w.AfterFunc(time.Second, func() {
			pending, fromInside = deep(100, func() ([]timewheel.Pending, error) { return w.Stop(context.Background()) })
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !errors.Is(fromInside, timewheel.ErrInsideCallback) || len(pending) != 1 {
			t.Errorf("Stop from inside a callback returned %d timers and %v", len(pending), fromInside)
		}
		if _, err := w.Stop(t.Context()); err != nil {
			t.Errorf("Stop from outside, after that: %v", err)
		}
	})
}

// deep calls f from a depth of n frames.
func deep(n int, f func() ([]timewheel.Pending, error)) ([]timewheel.Pending, error) {
	if n == 0 {
		return f()
	}
	pending, err := deep(n-1, f)
	return pending, err
}

func TestStopFromManySidesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		for range 1000 {
			w.AfterFunc(time.Second, func() { time.Sleep(time.Second) })
			w.AfterFunc(time.Hour, mustNotRun(t))
		}
		handedBack := make(chan int, 10)
		time.Sleep(time.Second + 1)
		for range 10 {
			go func() {
				pending, err := w.Stop(t.Context())
				if err != nil {
					t.Errorf("Stop: %v", err)
				}
				handedBack <- len(pending)
			}()
		}
		sum := 0
		for range 10 {
			sum += <-handedBack
		}
		if sum != 1000 {
			t.Errorf("%d timers were handed back, want each of 1000 once", sum)
		}
	})
}
