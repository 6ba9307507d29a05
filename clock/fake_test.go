package clock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
)

func TestOr(t *testing.T) {
	fake := new(clock.Fake)
	if got := clock.Or(fake); got != fake {
		t.Errorf("a clock becomes %v", got)
	}
	if got := clock.Or(nil); got != (clock.Real{}) {
		t.Errorf("nil becomes %v, want the real clock", got)
	}
}

func TestFakeShowsPackageTimeUntilItIsStepped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f clock.Fake
		began := time.Now()
		steps := []struct {
			name string
			do   func()
			want time.Duration // since began
		}{
			{"at first", func() {}, 0},
			{"as time passes", func() { time.Sleep(time.Hour) }, time.Hour},
			{"set forward", func() { f.Step(time.Minute) }, time.Hour + time.Minute},
			{"as time passes again", func() { time.Sleep(time.Microsecond) }, time.Hour + time.Minute + time.Microsecond},
			{"set back", func() { f.Step(-3 * time.Hour) }, time.Minute - 2*time.Hour + time.Microsecond},
			{"not set at all", func() { f.Step(0) }, time.Minute - 2*time.Hour + time.Microsecond},
		}
		for _, s := range steps {
			s.do()
			if got := f.Now().Sub(began.Round(0)); got != s.want {
				t.Errorf("%s: %s, want %s", s.name, got, s.want)
			}
		}
	})
}

// TestFakeHasNoMonotonicReading, since differences between two readings of a
// clock that was set have to show it.
func TestFakeHasNoMonotonicReading(t *testing.T) {
	var f clock.Fake
	if now := f.Now(); now != now.Round(0) {
		t.Errorf("%s has a monotonic reading", now)
	}
	before := f.Now()
	f.Step(-time.Hour)
	if d := f.Now().Sub(before); d > -time.Minute {
		t.Errorf("set back by an hour, the difference is %s", d)
	}
}

func TestFakeTellsEveryWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f clock.Fake
		ctx, cancel := context.WithCancel(t.Context())
		var heard [3]atomic.Int64
		for i := range heard {
			go f.WatchSteps(ctx, func() { heard[i].Add(1) })
		}
		synctest.Wait()
		for n := range int64(4) {
			for i := range heard {
				if got := heard[i].Load(); got != n {
					t.Errorf("watcher %d heard of %d steps, want %d", i, got, n)
				}
			}
			f.Step(time.Second)
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		f.Step(time.Second)
		synctest.Wait()
		for i := range heard {
			if got := heard[i].Load(); got != 4 {
				t.Errorf("watcher %d heard of %d steps, of which 4 before its end", i, got)
			}
		}
	})
}

// TestFakeMayForgetNoStep: a watcher that is busy while the clock is set hears of
// it afterwards; many steps may become one word of them, none may become none.
func TestFakeMayForgetNoStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f clock.Fake
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var seen []time.Time // what the clock showed whenever the watcher heard
		go f.WatchSteps(ctx, func() {
			seen = append(seen, f.Now())
			time.Sleep(time.Minute)
		})
		synctest.Wait()
		f.Step(time.Hour)
		time.Sleep(time.Second)
		for range 5 {
			f.Step(time.Hour)
		}
		want := f.Now().Add(59 * time.Second)
		time.Sleep(10 * time.Minute)
		cancel()
		synctest.Wait()
		if len(seen) != 2 || !seen[1].Equal(want) {
			t.Errorf("heard at %v, want two times, the second at %s", seen, want)
		}
	})
}

// TestFakeStepsFromItsOwnWatcher: a callback may set the clock.
func TestFakeStepsFromItsOwnWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f clock.Fake
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.WatchSteps(ctx, func() {
				if calls++; calls == 3 {
					cancel()
					return
				}
				f.Step(time.Second)
			})
		}()
		synctest.Wait()
		f.Step(time.Second)
		<-done
		if calls != 3 {
			t.Errorf("%d calls, want 3", calls)
		}
	})
}

func TestFakeWatcherThatBeginsAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f clock.Fake
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.WatchSteps(ctx, func() { t.Error("heard of a step that never was") })
	})
}
