package timewheel_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// inKeyedBubble runs a test in a bubble, with a Keyed whose wheel is stopped at
// the end, when no task may be left.
func inKeyedBubble(t *testing.T, cfg timewheel.Config, test func(*testing.T, *timewheel.Keyed[string])) {
	t.Helper()
	inBubble(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
		k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
		test(t, k)
		k.Drain()
		if k.Len() != 0 || w.Len() != 0 {
			t.Errorf("after Drain, the Keyed has %d tasks and the wheel %d timers", k.Len(), w.Len())
		}
	})
}

// noteKey is the note of a fired for a Keyed.
func (f *fired) noteKey(string) { f.note() }

// runsAt checks that f runs for the nth time when d has passed, and not 1 ns before.
func (f *fired) runsAt(t *testing.T, n int, d time.Duration) {
	t.Helper()
	time.Sleep(d - 1)
	if got := f.times(); got != n-1 {
		t.Errorf("ran %d times by 1 ns before %v, want %d", got, d, n-1)
	}
	time.Sleep(time.Nanosecond)
	if got := f.times(); got != n {
		t.Errorf("ran %d times by %v, want %d", got, d, n)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestKeyedRunsAtTheTickAndNotANanosecondBefore(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var once, at, every, twice fired
		noError(t, k.Delay(5*time.Millisecond+1, "delay", once.noteKey))
		once.runsAt(t, 1, 5100*time.Microsecond)
		noError(t, k.At(time.Now().Add(time.Second), "at", at.noteKey))
		at.runsAt(t, 1, time.Second)
		noError(t, k.Every(time.Second, "every", every.noteKey))
		every.runsAt(t, 1, time.Second)
		every.runsAt(t, 2, time.Second)
		noError(t, k.Repeat(time.Minute, 2, "repeat", twice.noteKey))
		twice.runsAt(t, 1, time.Minute)
		twice.runsAt(t, 2, time.Minute)
		time.Sleep(time.Hour)
		if once.times() != 1 || at.times() != 1 || twice.times() != 2 {
			t.Errorf("ran %d, %d and %d times in all, want 1, 1 and 2", once.times(), at.times(), twice.times())
		}
		if k.Len() != 1 || !k.Has("every") || k.Has("delay") || k.Has("repeat") {
			t.Errorf("%d tasks are left, want the one that repeats for ever", k.Len())
		}
	})
}

func TestKeyedCallsTheFunctionWithItsKeyOrTheDefault(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunInline, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		var calls []string
		k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{
			Default: func(key string) { calls = append(calls, "default "+key) },
		})
		noError(t, k.Delay(1*time.Second, "a", nil))
		noError(t, k.Delay(2*time.Second, "b", func(key string) { calls = append(calls, "own "+key) }))
		noError(t, k.At(time.Now().Add(3*time.Second), "c", nil))
		noError(t, k.Repeat(4*time.Second, 1, "d", nil))
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"default a", "own b", "default c", "default d"}; !slices.Equal(calls, want) {
			t.Errorf("called %q, want %q", calls, want)
		}
	})
}

// setters sets a task in each way there is, to run first after d.
var setters = map[string]func(k *timewheel.Keyed[string], d time.Duration, key string, f func(string)) error{
	"Delay": func(k *timewheel.Keyed[string], d time.Duration, key string, f func(string)) error {
		return k.Delay(d, key, f)
	},
	"At": func(k *timewheel.Keyed[string], d time.Duration, key string, f func(string)) error {
		return k.At(time.Now().Add(d), key, f)
	},
	"Every": func(k *timewheel.Keyed[string], d time.Duration, key string, f func(string)) error {
		return k.Every(d, key, f)
	},
	"Repeat": func(k *timewheel.Keyed[string], d time.Duration, key string, f func(string)) error {
		return k.Repeat(d, 1, key, f)
	},
}

func TestTheSameKeyReplaces(t *testing.T) {
	for first, setFirst := range setters {
		for second, setSecond := range setters {
			inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
				var old, young fired
				noError(t, setFirst(k, time.Second, "key", old.noteKey))
				time.Sleep(time.Second - 1)
				noError(t, setSecond(k, time.Minute, "key", young.noteKey))
				if k.Len() != 1 {
					t.Errorf("%s, %s: %d tasks have one key", first, second, k.Len())
				}
				young.runsAt(t, 1, time.Minute+1) // the tick after 1 min
				if n := old.times(); n != 0 {
					t.Errorf("%s, %s: the replaced task ran %d times", first, second, n)
				}
				k.Cancel("key")
			})
		}
	}
}

func TestCancelByKey(t *testing.T) {
	for name, set := range setters {
		inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
			var other fired
			noError(t, set(k, time.Second, "key", func(string) { mustNotRun(t)() }))
			noError(t, set(k, time.Second, "other", other.noteKey))
			time.Sleep(time.Second - 1)
			if !k.Cancel("key") || k.Cancel("key") || k.Cancel("nobody's") {
				t.Errorf("%s: Cancel must be true for what is there, once", name)
			}
			if _, due := k.Due("key"); due || k.Has("key") || k.Len() != 1 {
				t.Errorf("%s: a cancelled task is still there", name)
			}
			other.runsAt(t, 1, 1)
		})
	}
}

func TestAKeyIsFreeWhenItsTaskStarts(t *testing.T) {
	for name, set := range setters {
		if name == "Every" {
			continue // its key is free when it is cancelled
		}
		inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
			var f, again fired
			noError(t, set(k, time.Second, "key", func(key string) {
				f.note()
				if k.Has(key) || k.Len() != 0 || k.Cancel(key) || k.Move(key, time.Hour) {
					t.Errorf("%s: the key is still in use while its last time runs", name)
				}
				noError(t, k.Delay(time.Second, key, again.noteKey))
			}))
			f.runsAt(t, 1, time.Second)
			again.runsAt(t, 1, time.Second)
			if k.Len() != 0 || k.Cancel("key") {
				t.Errorf("%s: an entry is left of a task that has run", name)
			}
		})
	}
}

func TestARunningTaskMayCancelOrReplaceItself(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var cancelled, replaced, young fired
		noError(t, k.Every(time.Second, "cancels", func(key string) {
			cancelled.note()
			if !k.Has(key) || !k.Cancel(key) || k.Has(key) {
				t.Error("a repeating task that runs must be there until it is cancelled")
			}
		}))
		noError(t, k.Every(time.Second, "replaces", func(key string) {
			replaced.note()
			noError(t, k.Repeat(time.Second, 3, key, young.noteKey))
		}))
		time.Sleep(time.Hour)
		if cancelled.times() != 1 || replaced.times() != 1 || young.times() != 3 || k.Len() != 0 {
			t.Errorf("ran %d, %d and %d times, want 1, 1 and 3; %d are left", cancelled.times(), replaced.times(), young.times(), k.Len())
		}
	})
}

func TestATaskThatReplacesARunningOneIsNotLost(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var f fired
		noError(t, k.Every(time.Second, "key", func(string) { time.Sleep(time.Minute) }))
		time.Sleep(2 * time.Second)
		noError(t, k.Delay(time.Second, "key", f.noteKey))
		f.runsAt(t, 1, time.Second)
		time.Sleep(time.Hour)
		if f.times() != 1 || k.Len() != 0 {
			t.Errorf("ran %d times, want once; %d are left", f.times(), k.Len())
		}
	})
}

func TestMoveByKey(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var f fired
		if k.Move("nobody's", time.Second) {
			t.Error("Move of a key without task returned true")
		}
		noError(t, k.Delay(time.Second, "key", f.noteKey))
		for _, d := range []time.Duration{time.Hour, 10 * time.Millisecond} {
			if !k.Move("key", d) {
				t.Errorf("Move(%v) returned false", d)
			}
			if due, ok := k.Due("key"); !ok || !due.Equal(time.Now().Add(d)) {
				t.Errorf("moved by %v, but due at %v, %t", d, due, ok)
			}
		}
		f.runsAt(t, 1, 10*time.Millisecond)
		time.Sleep(2 * time.Hour)
		if f.times() != 1 || k.Move("key", 0) {
			t.Errorf("ran %d times, want once, and then no Move", f.times())
		}
	})
}

// go-zero's MoveTimer runs a task that is moved to now, and again when it was due.
func TestMoveToNowRunsOnce(t *testing.T) {
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
			var f fired
			noError(t, k.Delay(time.Second, "key", f.noteKey))
			if !k.Move("key", d) || f.times() != 1 {
				t.Errorf("moved by %d, it has run %d times, want once", d, f.times())
			}
			time.Sleep(time.Hour)
			if f.times() != 1 || k.Has("key") {
				t.Errorf("moved by %d, it ran %d times in all, want once", d, f.times())
			}
		})
	}
}

func TestMoveOfARepeatingTaskShiftsItsPhase(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var f fired
		noError(t, k.Repeat(time.Second, 3, "key", f.noteKey))
		time.Sleep(500 * time.Millisecond)
		if !k.Move("key", 0) || f.times() != 1 {
			t.Errorf("moved to now, it has run %d times, want once", f.times())
		}
		f.runsAt(t, 2, time.Second)
		if !k.Move("key", time.Minute) {
			t.Error("Move of a repeating task returned false")
		}
		f.runsAt(t, 3, time.Minute)
		if k.Has("key") {
			t.Error("it is still there after its last time")
		}
	})
}

func TestKeyedRefusesWithAReason(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		run := func(any) { t.Error("a task ran that was refused") }
		k := timewheel.NewKeyed(w, timewheel.KeyedConfig[any]{})
		list := []int{1}
		type nested struct{ inner any }
		for name, c := range map[string]struct {
			got, want error
			says      string
		}{
			"no function":     {k.Delay(time.Second, "k", nil), timewheel.ErrNoFunc, "no function to call"},
			"interval 0":      {k.Every(0, "k", run), timewheel.ErrInterval, "it is 0s"},
			"interval -1":     {k.Repeat(-1, 3, "k", run), timewheel.ErrInterval, "it is -1ns"},
			"0 times":         {k.Repeat(time.Second, 0, "k", run), timewheel.ErrTimes, "0 times"},
			"NaN":             {k.Delay(time.Second, math.NaN(), run), timewheel.ErrKey, "NaN is not equal to itself"},
			"NaN inside":      {k.At(time.Now(), [2]any{1, math.NaN()}, run), timewheel.ErrKey, "not equal to itself"},
			"a slice":         {k.Delay(time.Second, list, run), timewheel.ErrKey, "[]int"},
			"a slice inside":  {k.Every(time.Second, nested{list}, run), timewheel.ErrKey, "timewheel_test.nested"},
			"a map, repeated": {k.Repeat(time.Second, 3, map[int]int{}, run), timewheel.ErrKey, "map[int]int"},
		} {
			if !errors.Is(c.got, c.want) || !strings.Contains(c.got.Error(), c.says) {
				t.Errorf("%s: the error is %q, want %q with %q", name, c.got, c.want, c.says)
			}
		}
		if k.Cancel(list) || k.Has(list) || k.Move(list, 0) || k.Cancel(math.NaN()) {
			t.Error("there is a task of a key that is none")
		}
		if _, ok := k.Due(list); ok || k.Len() != 0 || w.Len() != 0 {
			t.Error("a refused task has left something behind")
		}
		noError(t, k.Delay(time.Second, "k", func(any) {}))
		if !k.Cancel("k") {
			t.Error("the Keyed does not work any more after a key that is none")
		}
	})
}

func TestAReplacementThatIsRefusedLeavesTheOldTask(t *testing.T) {
	inBubble(t, timewheel.Config{MaxPending: 2}, func(t *testing.T, w *timewheel.Wheel) {
		k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
		var old fired
		noError(t, k.Delay(time.Second, "key", old.noteKey))
		noError(t, k.Delay(time.Minute, "other", func(string) {}))
		for name, set := range setters {
			if err := set(k, 10*time.Millisecond, "key", func(string) { mustNotRun(t)() }); !errors.Is(err, timewheel.ErrFull) {
				t.Errorf("%s on a full wheel: %v, want ErrFull", name, err)
			}
			if err := set(k, 10*time.Millisecond, "new", func(string) { mustNotRun(t)() }); !errors.Is(err, timewheel.ErrFull) || k.Has("new") {
				t.Errorf("%s of a new key on a full wheel: %v, want ErrFull", name, err)
			}
		}
		if err := k.Every(0, "key", old.noteKey); err == nil {
			t.Error("Every with no interval was accepted")
		}
		if !k.Move("other", time.Hour) {
			t.Error("Move needs room on a full wheel")
		}
		old.runsAt(t, 1, time.Second)
		noError(t, k.Delay(time.Second, "new", func(string) {}))
		if !k.Cancel("new") || !k.Cancel("other") || k.Len() != 0 {
			t.Error("the tasks that were accepted are not there")
		}
	})
}

func TestKeyedAfterTheWheelHasStopped(t *testing.T) {
	for name, set := range setters {
		synctest.Test(t, func(t *testing.T) {
			w := timewheel.New(timewheel.Config{})
			k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
			var f fired
			noError(t, set(k, time.Second, "key", f.noteKey))
			pending, err := w.Stop(t.Context())
			noError(t, err)
			if len(pending) != 1 || !pending[0].Due.Equal(time.Now().Add(time.Second)) {
				t.Fatalf("%s: Stop handed back %v, want the task", name, pending)
			}
			pending[0].Func()
			if f.times() != 1 {
				t.Errorf("%s: the function that was handed back is another", name)
			}
			_, due := k.Due("key")
			if due || k.Has("key") || k.Len() != 0 || k.Cancel("key") || k.Move("key", 0) || len(k.Drain()) != 0 {
				t.Errorf("%s: the task was handed back, and is still there", name)
			}
			if err := set(k, time.Second, "key", f.noteKey); !errors.Is(err, timewheel.ErrStopped) {
				t.Errorf("%s on a stopped wheel: %v, want ErrStopped", name, err)
			}
			time.Sleep(time.Hour)
			if f.times() != 1 {
				t.Errorf("%s: ran after Stop", name)
			}
		})
	}
}

func TestStopLetsGoOfKeyedFunctions(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	var released atomic.Int64
	for name, set := range setters {
		captured := &[1 << 16]byte{}
		runtime.AddCleanup(captured, func(int) { released.Add(1) }, 0)
		noError(t, set(k, time.Hour, name, func(string) { captured[0]++ }))
	}
	if _, err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); released.Load() < int64(len(setters)); runtime.Gosched() {
		runtime.GC()
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d functions were let go of", released.Load(), len(setters))
		}
	}
	runtime.KeepAlive(k)
}

func TestNewKeyedPanicsWithoutAWheel(t *testing.T) {
	defer func() {
		if got := recover(); got != "timewheel: the wheel is nil; make one with New" {
			t.Errorf("panicked with %v", got)
		}
	}()
	timewheel.NewKeyed(nil, timewheel.KeyedConfig[int]{})
}

func TestKeyedsOfOneWheelDoNotShareKeys(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f, g fired
		a := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{Default: f.noteKey})
		b := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{Default: g.noteKey})
		noError(t, a.Delay(time.Second, "key", nil))
		noError(t, b.Delay(time.Second, "key", nil))
		if !b.Cancel("key") {
			t.Error("the second task with the key is not there")
		}
		f.runsAt(t, 1, time.Second)
		if g.times() != 0 {
			t.Error("the cancelled task ran")
		}
	})
}

// On a ring, tasks of exactly one turn are put back into the slot that is being
// run; some wheels then run them for ever within one tick.
func TestTasksOfExactlyOneTurn(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{Tick: time.Millisecond}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var f fired
		for _, turn := range []time.Duration{64, 64 * 64, 64 * 64 * 64} {
			before := f.times()
			noError(t, k.Every(turn*time.Millisecond, "a", f.noteKey))
			noError(t, k.Every(turn*time.Millisecond, "b", f.noteKey))
			time.Sleep(10*turn*time.Millisecond + time.Millisecond/2)
			if n := f.times() - before; n != 20 {
				t.Errorf("two tasks of %d ticks ran %d times within ten turns", turn, n)
			}
		}
	})
}
