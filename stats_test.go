package timewheel_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func TestStatsCount(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		expect := func(when string, live int, set, fired, cancelled uint64) {
			t.Helper()
			synctest.Wait()
			st := w.Stats()
			if st.Live != live || st.Set != set || st.Fired != fired || st.Cancelled != cancelled {
				t.Errorf("%s: %d live, %d set, %d fired, %d cancelled; want %d, %d, %d, %d",
					when, st.Live, st.Set, st.Fired, st.Cancelled, live, set, fired, cancelled)
			}
			if got := st.Lateness.Count(); got != fired {
				t.Errorf("%s: %d latenesses, want one for each of %d expiries", when, got, fired)
			}
			if n := w.Len(); n != live {
				t.Errorf("%s: Len is %d, want %d", when, n, live)
			}
		}
		expect("at first", 0, 0, 0, 0)
		timer := w.AfterFunc(time.Second, nothing)
		w.AfterFunc(time.Second, nothing)
		expect("two timers", 2, 2, 0, 0)
		timer.Reset(time.Minute)
		expect("a reset", 2, 2, 0, 0)
		time.Sleep(time.Second)
		expect("one fired", 1, 2, 1, 0)
		timer.Stop()
		timer.Stop()
		expect("one stopped", 0, 2, 1, 1)
		every := w.Repeat(time.Second, 5, nothing)
		time.Sleep(3 * time.Second)
		expect("a repeating one fired three times", 1, 3, 4, 1)
		every.Stop()
		expect("it was stopped", 0, 3, 4, 2)
		w.Repeat(time.Second, 2, nothing)
		time.Sleep(time.Minute)
		expect("one had its two times", 0, 4, 6, 2)
		w.At(time.Now(), nothing)
		channel, ticker := w.NewTimer(time.Second), w.NewTicker(time.Second)
		time.Sleep(time.Second)
		expect("an instant, a channel, a tick", 1, 7, 9, 2)
		channel.Stop()
		ticker.Stop()
		expect("the ticker was stopped", 0, 7, 9, 3)
	})
}

func TestStatsOfAStoppedWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		w.AfterFunc(time.Second, nothing)
		w.AfterFunc(time.Hour, nothing)
		time.Sleep(time.Minute)
		stop(t, w)
		w.AfterFunc(0, nothing)
		if st := w.Stats(); st.Live != 0 || st.Set != 2 || st.Fired != 1 || w.Len() != 0 {
			t.Errorf("%d live, %d set, %d fired; want 0, 2, 1", st.Live, st.Set, st.Fired)
		}
	})
}

func TestLatenessIsMeasuredFromTheTick(t *testing.T) {
	inBubble(t, timewheel.Config{Tick: time.Millisecond}, func(t *testing.T, w *timewheel.Wheel) {
		for range 3 {
			w.AfterFunc(1, nothing) // due at 1 ms, and punctual
		}
		time.Sleep(time.Second)
		w.Pause()
		w.AfterFunc(time.Second-time.Millisecond/2, nothing)
		time.Sleep(8 * time.Second)
		w.Resume() // 7 s late
		synctest.Wait()
		late := w.Stats().Lateness
		if late.Sum != 7*time.Second || late.Count() != 4 || late.Counts[0] != 3 {
			t.Errorf("%d latenesses, %d below 1 µs, sum %v; want 4, 3, 7 s", late.Count(), late.Counts[0], late.Sum)
		}
		if p50, most := late.Quantile(0.5), late.Quantile(1); p50 != time.Microsecond || most <= 7*time.Second || most > 14*time.Second {
			t.Errorf("median below %v and maximum below %v", p50, most)
		}
	})
}

func TestHistogramBounds(t *testing.T) {
	var h timewheel.Histogram
	for bucket, want := range map[int]time.Duration{
		0:                              time.Microsecond,
		1:                              2 * time.Microsecond,
		10:                             1024 * time.Microsecond,
		timewheel.HistogramBuckets - 2: time.Microsecond << (timewheel.HistogramBuckets - 2),
		timewheel.HistogramBuckets - 1: math.MaxInt64,
		timewheel.HistogramBuckets:     math.MaxInt64,
		1000:                           math.MaxInt64,
	} {
		if got := h.Bound(bucket); got != want {
			t.Errorf("Bound(%d) = %v, want %v", bucket, got, want)
		}
	}
	if h.Count() != 0 || h.Quantile(0) != 0 || h.Quantile(1) != 0 {
		t.Error("an empty histogram has something in it")
	}
}

func TestHistogramQuantiles(t *testing.T) {
	var h timewheel.Histogram
	h.Counts[2], h.Counts[5], h.Counts[9] = 90, 9, 1
	for _, c := range []struct {
		q    float64
		want int
	}{{0, 2}, {0.5, 2}, {0.89, 2}, {0.91, 5}, {0.98, 5}, {0.999, 9}, {1, 9}} {
		if got := h.Quantile(c.q); got != h.Bound(c.want) {
			t.Errorf("Quantile(%v) = %v, want %v", c.q, got, h.Bound(c.want))
		}
	}
	var one timewheel.Histogram
	one.Counts[timewheel.HistogramBuckets-1] = 1
	for _, q := range []float64{0, 0.5, 1} {
		if got := one.Quantile(q); got != math.MaxInt64 {
			t.Errorf("Quantile(%v) of one in the last bucket = %v", q, got)
		}
	}
}

func TestOccupiedSlots(t *testing.T) {
	for _, scheme := range timewheel.Schemes() {
		inBubble(t, timewheel.Config{Scheme: scheme, Shards: 1, Tick: time.Hour}, func(t *testing.T, w *timewheel.Wheel) {
			slotless := scheme == timewheel.Heap || scheme == timewheel.List
			if got := w.Stats().Occupied; slotless && got != nil || sum(got) != 0 {
				t.Errorf("%v: Occupied is %v", scheme, got)
			}
			if slotless {
				return
			}
			for _, ticks := range []time.Duration{1, 1, 2, 100} {
				w.AfterFunc(ticks*time.Hour, nothing)
			}
			if got := w.Stats().Occupied; sum(got) != 3 {
				t.Errorf("%v: Occupied is %v, want 3 in all", scheme, got)
			}
			time.Sleep(101 * time.Hour)
			synctest.Wait()
			if got := w.Stats().Occupied; sum(got) != 0 {
				t.Errorf("%v: Occupied is %v when all have fired", scheme, got)
			}
		})
	}
}

func sum(counts []int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

func TestAnIdleWheelSleeps(t *testing.T) {
	for _, scheme := range []timewheel.Scheme{timewheel.Hierarchical, timewheel.DelayQueue, timewheel.Heap, timewheel.List} {
		inBubble(t, timewheel.Config{Scheme: scheme}, func(t *testing.T, w *timewheel.Wheel) {
			for range 1000 {
				w.AfterFunc(24*time.Hour+time.Second, nothing)
			}
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			if n := w.Stats().Wakes; n > 64 {
				t.Errorf("%v: the driver woke %d times in a day without a due timer", scheme, n)
			}
		})
	}
}
