package timewheel_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func TestDrainTakesAllInOrderOfDue(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		start := time.Now()
		never := func(string) { mustNotRun(t)() }
		noError(t, k.Delay(3*time.Hour, "c", never))
		noError(t, k.At(start.Add(time.Hour+1), "a", never))
		noError(t, k.Every(4*time.Hour, "d", never))
		noError(t, k.Repeat(2*time.Hour, 7, "b", never))
		tasks := k.Drain()
		if k.Len() != 0 || k.Has("a") || k.Cancel("b") || len(k.Drain()) != 0 {
			t.Error("Drain has left something behind")
		}
		want := []timewheel.KeyedTask[string]{
			{Key: "a", Due: start.Add(time.Hour + 1), Times: 1},
			{Key: "b", Due: start.Add(2 * time.Hour), Interval: 2 * time.Hour, Times: 7},
			{Key: "c", Due: start.Add(3 * time.Hour), Times: 1},
			{Key: "d", Due: start.Add(4 * time.Hour), Interval: 4 * time.Hour, Times: -1},
		}
		if len(tasks) != len(want) {
			t.Fatalf("drained %d tasks, want %d", len(tasks), len(want))
		}
		for i, got := range tasks {
			if got.Key != want[i].Key || !got.Due.Equal(want[i].Due) || got.Interval != want[i].Interval || got.Times != want[i].Times || got.Func == nil {
				t.Errorf("task %d is %+v, want %+v", i, got, want[i])
			}
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
	})
}

// go-zero's Drain leaves its key index as it was, and a key that is set again
// then never fires.
func TestADrainedKeyCanBeSetAgain(t *testing.T) {
	inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
		var f fired
		noError(t, k.Delay(time.Second, "key", f.noteKey))
		for _, task := range k.Drain() {
			noError(t, k.At(task.Due, task.Key, task.Func))
		}
		f.runsAt(t, 1, time.Second)
		noError(t, k.Delay(time.Minute, "key", f.noteKey))
		f.runsAt(t, 2, time.Minute)
	})
}

func TestDrainOfARunningTaskEndsItsRepeating(t *testing.T) {
	for _, move := range []time.Duration{0, time.Hour} {
		inKeyedBubble(t, timewheel.Config{}, func(t *testing.T, k *timewheel.Keyed[string]) {
			var f fired
			noError(t, k.Repeat(time.Second, 5, "key", func(string) {
				f.note()
				time.Sleep(500 * time.Millisecond)
			}))
			time.Sleep(1100 * time.Millisecond)
			due := time.Now().Add(900 * time.Millisecond)
			if move > 0 {
				k.Move("key", move)
				due = time.Now().Add(move)
			}
			tasks := k.Drain()
			if len(tasks) != 1 || !tasks[0].Due.Equal(due) || tasks[0].Times != 4 {
				t.Errorf("drained %+v, want one task that is due at %v, 4 times", tasks, due)
			}
			time.Sleep(2 * time.Hour)
			if f.times() != 1 {
				t.Errorf("ran %d times, want once", f.times())
			}
		})
	}
}

// Ten thousand tasks that were created at random instants run once an hour. With
// their creation as anchor they keep their phases when the program starts anew,
// and are spread over the hour, though all are set at the same instant.
func TestAnAnchorKeepsThePhaseOverRestartsAndSpreadsLoad(t *testing.T) {
	const n, interval = 10_000, time.Hour
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 1))
		epoch := time.Now()
		created := make([]time.Time, n)
		for i := range created {
			// whole ticks and whole milliseconds, in the past, in the future and exactly now
			created[i] = epoch.Add(time.Duration(random.IntN(3*int(interval/time.Millisecond))-2*int(interval/time.Millisecond)) * time.Millisecond).Round(0)
		}
		created[0] = epoch.Round(0)
		for run := range 2 {
			w := timewheel.New(timewheel.Config{Run: timewheel.RunInline, Shards: 1})
			k := timewheel.NewKeyed(w, timewheel.KeyedConfig[int]{})
			var fires [n]int
			var minutes [60]int
			began := time.Now()
			for i, at := range created {
				noError(t, k.Every(interval, i, func(i int) {
					fires[i]++
					minutes[int(time.Since(began)/time.Minute)%60]++
					if off := time.Since(at) % interval; off != 0 {
						t.Errorf("run %d: task %d ran %v off its phase", run, i, off)
					}
				}, timewheel.Anchor(at)))
			}
			time.Sleep(2 * interval)
			synctest.Wait()
			if _, err := w.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			for i, times := range fires {
				if times != 2 {
					t.Errorf("run %d: task %d ran %d times within two intervals, want twice", run, i, times)
				}
			}
			if least, most := slices.Min(minutes[:]), slices.Max(minutes[:]); least < 2*n/60*2/3 || most > 2*n/60*4/3 {
				t.Errorf("run %d: between %d and %d ran in the same minute, want about %d", run, least, most, 2*n/60)
			}
			time.Sleep(17*time.Minute + 3*time.Millisecond) // until the program is started anew
		}
	})
}

func TestKeyedLetsGoOfItsMemoryAfterAPeak(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{Default: func(string) {}})
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range 200_000 {
		noError(t, k.Delay(time.Hour, strconv.Itoa(i), nil))
	}
	peak := heap() - before
	for i := range 200_000 {
		if !k.Cancel(strconv.Itoa(i)) {
			t.Fatalf("task %d is not there", i)
		}
	}
	if left := heap() - before; left > peak/10 {
		t.Errorf("%d of %d bytes are left after all tasks were cancelled", left, peak)
	} else {
		t.Logf("%d bytes a task; %d bytes are left in all", peak/200_000, left)
	}
	runtime.KeepAlive(k)
	if _, err := w.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
