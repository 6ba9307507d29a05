package timewheel_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// withDefault runs a test in a bubble with the default wheel started anew.
func withDefault(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		timewheel.Stop()
		timewheel.Start()
		defer timewheel.Stop()
		test(t)
	})
}

// defaultSetters sets a task on the default wheel in each way there is, to run
// first after d.
var defaultSetters = map[string]func(d time.Duration, key string, f func()) error{
	"Delay":  timewheel.Delay,
	"At":     func(d time.Duration, key string, f func()) error { return timewheel.At(time.Now().Add(d), key, f) },
	"Every":  func(d time.Duration, key string, f func()) error { return timewheel.Every(d, key, f) },
	"Repeat": func(d time.Duration, key string, f func()) error { return timewheel.Repeat(d, 1, key, f) },
}

func TestTheDefaultWheelRunsTasksOnTime(t *testing.T) {
	withDefault(t, func(t *testing.T) {
		for name, set := range defaultSetters {
			var f fired
			noError(t, set(time.Second, name, f.note))
			f.runsAt(t, 1, time.Second)
			if cancelled := timewheel.Cancel(name); cancelled != (name == "Every") {
				t.Errorf("%s: Cancel after it ran returned %t", name, cancelled)
			}
		}
		var f fired
		noError(t, timewheel.Repeat(time.Minute, 3, "thrice", f.note))
		for n := range 3 {
			f.runsAt(t, n+1, time.Minute)
		}
		noError(t, timewheel.Every(time.Minute, "phase", f.note, timewheel.Anchor(time.Now().Add(-50*time.Second).Round(0))))
		f.runsAt(t, 4, 10*time.Second)
		f.runsAt(t, 5, time.Minute)
	})
}

func TestTheDefaultWheelReplacesAndCancelsByKey(t *testing.T) {
	withDefault(t, func(t *testing.T) {
		for first, setFirst := range defaultSetters {
			for second, setSecond := range defaultSetters {
				var f fired
				noError(t, setFirst(time.Second, "key", mustNotRun(t)))
				noError(t, setSecond(time.Minute, "key", f.note))
				f.runsAt(t, 1, time.Minute)
				noError(t, setFirst(time.Second, "key", mustNotRun(t)))
				if !timewheel.Cancel("key") || timewheel.Cancel("key") {
					t.Errorf("%s, %s: Cancel must be true for what is there, once", first, second)
				}
			}
		}
		time.Sleep(time.Hour)
	})
}

func TestTheDefaultWheelRefusesWithAReason(t *testing.T) {
	withDefault(t, func(t *testing.T) {
		for name, set := range defaultSetters {
			if err := set(time.Second, "", mustNotRun(t)); !errors.Is(err, timewheel.ErrKey) || !strings.Contains(err.Error(), "give each task one of its own") {
				t.Errorf("%s without key: %v, want ErrKey that says what to do", name, err)
			}
			if err := set(time.Second, "key", nil); !errors.Is(err, timewheel.ErrNoFunc) {
				t.Errorf("%s without function: %v, want ErrNoFunc", name, err)
			}
		}
		if err := timewheel.Every(0, "key", mustNotRun(t)); !errors.Is(err, timewheel.ErrInterval) {
			t.Errorf("Every(0): %v, want ErrInterval", err)
		}
		if err := timewheel.Repeat(time.Second, 0, "key", mustNotRun(t)); !errors.Is(err, timewheel.ErrTimes) {
			t.Errorf("Repeat 0 times: %v, want ErrTimes", err)
		}
		if timewheel.Cancel("") || timewheel.Cancel("key") {
			t.Error("a task was set that was refused")
		}
		time.Sleep(time.Hour)
	})
}

func TestStartAndStopAnyNumberOfTimes(t *testing.T) {
	withDefault(t, func(t *testing.T) {
		var f fired
		for range 3 {
			timewheel.Start()
			timewheel.Start()
			if !timewheel.Running() {
				t.Error("not running after Start")
			}
			noError(t, timewheel.Delay(time.Second, "runs", f.note))
			noError(t, timewheel.Every(time.Hour, "key", mustNotRun(t)))
			timewheel.Start()
			time.Sleep(time.Minute)
			timewheel.Stop()
			timewheel.Stop()
			if timewheel.Running() {
				t.Error("running after Stop")
			}
			for name, set := range defaultSetters {
				if err := set(time.Second, "key", mustNotRun(t)); !errors.Is(err, timewheel.ErrStopped) {
					t.Errorf("%s after Stop: %v, want ErrStopped", name, err)
				}
			}
			if timewheel.Cancel("key") || timewheel.Running() {
				t.Error("a call after Stop has started the wheel")
			}
			time.Sleep(2 * time.Hour)
		}
		if f.times() != 3 {
			t.Errorf("%d of 3 tasks ran", f.times())
		}
	})
}

func TestATaskMayDoAnythingWithTheDefaultWheel(t *testing.T) {
	withDefault(t, func(t *testing.T) {
		var f fired
		noError(t, timewheel.Every(time.Second, "key", func() {
			if !timewheel.Running() || !timewheel.Cancel("key") {
				t.Error("a running task does not see itself")
			}
			timewheel.Stop()
			if err := timewheel.Delay(time.Second, "key", mustNotRun(t)); !errors.Is(err, timewheel.ErrStopped) {
				t.Errorf("Delay after Stop: %v", err)
			}
			timewheel.Start()
			noError(t, timewheel.Delay(time.Second, "key", f.note))
		}))
		time.Sleep(time.Second)
		f.runsAt(t, 1, time.Second)
	})
}

func TestStopDoesNotWaitForARunningTask(t *testing.T) {
	withDefault(t, func(t *testing.T) {
		var ended fired
		noError(t, timewheel.Delay(time.Second, "slow", func() {
			time.Sleep(time.Hour)
			ended.note()
		}))
		time.Sleep(2 * time.Second)
		before := time.Now()
		timewheel.Stop()
		if waited := time.Since(before); waited != 0 {
			t.Errorf("Stop has waited for %v", waited)
		}
		ended.runsAt(t, 1, time.Hour-time.Second)
	})
}

// Whatever comes at the same time, every call returns, and when the last Stop has
// returned nothing runs that had not begun.
func TestTheDefaultWheelUnderStress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timewheel.Stop()
		var over atomic.Bool
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := range 1000 {
					useDefault(t, (i+n)%8, string(rune('a'+(i+n)%20)), &over)
				}
			})
		}
		wg.Wait()
		timewheel.Stop()
		synctest.Wait() // for what had begun
		over.Store(true)
		time.Sleep(time.Hour)
	})
}

// useDefault makes one of the calls of the default wheel.
func useDefault(t *testing.T, call int, key string, over *atomic.Bool) {
	switch call {
	case 0:
		timewheel.Start()
	case 1:
		timewheel.Stop()
	case 2:
		timewheel.Cancel(key)
	case 3:
		time.Sleep(time.Duration(len(key)) * time.Microsecond)
	default:
		err := timewheel.Repeat(time.Duration(call)*time.Microsecond, 2, key, func() {
			if over.Load() {
				t.Error("a task ran after Stop")
			}
			timewheel.Running()
		})
		if err != nil && !errors.Is(err, timewheel.ErrStopped) {
			t.Error(err)
		}
	}
}

func TestNoGoroutineBeforeFirstUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timewheel.Stop()
		before := runtime.NumGoroutine()
		timewheel.Start()
		timewheel.Running()
		timewheel.Cancel("key")
		if err := timewheel.Delay(time.Second, "", nil); err == nil {
			t.Error("a task without key was accepted")
		}
		if now := runtime.NumGoroutine(); now > before {
			t.Errorf("there are %d goroutines before the first task, %d before Start", now, before)
		}
		timewheel.Stop()
	})
}
