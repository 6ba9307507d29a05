package wheelprom

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	"github.com/timewheel-dev/timewheel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixed is a source whose figures don't change.
type fixed timewheel.Stats

func (f fixed) Stats() timewheel.Stats { return timewheel.Stats(f) }

// figures have three expiries in the buckets below 1, 2 and 8 µs, and one that
// is beyond all bounds.
func figures() fixed {
	f := fixed{Live: 7, Set: 20, Fired: 4, Cancelled: 9, Queued: 2, Wakes: 3, Occupied: []int{5, 0, 1}}
	f.Lateness.Counts[0], f.Lateness.Counts[1], f.Lateness.Counts[3] = 1, 1, 1
	f.Lateness.Counts[timewheel.HistogramBuckets-1] = 1
	f.Lateness.Sum = time.Hour + 10*time.Microsecond
	return f
}

const plain = `
# HELP timewheel_timer_callbacks_queued Callbacks that wait for a worker of the wheel's pool.
# TYPE timewheel_timer_callbacks_queued gauge
timewheel_timer_callbacks_queued{wheel="sessions"} 2
# HELP timewheel_timers_cancelled_total Timers that were stopped before they fired.
# TYPE timewheel_timers_cancelled_total counter
timewheel_timers_cancelled_total{wheel="sessions"} 9
# HELP timewheel_timers_fired_total Expiries of timers; a repeating timer counts each time.
# TYPE timewheel_timers_fired_total counter
timewheel_timers_fired_total{wheel="sessions"} 4
# HELP timewheel_timers_live Timers that are set.
# TYPE timewheel_timers_live gauge
timewheel_timers_live{wheel="sessions"} 7
# HELP timewheel_timers_set_total Timers that were set.
# TYPE timewheel_timers_set_total counter
timewheel_timers_set_total{wheel="sessions"} 20
# HELP timewheel_wheel_slots_occupied Slots that have timers in them, by level. Absent for schemes without slots.
# TYPE timewheel_wheel_slots_occupied gauge
timewheel_wheel_slots_occupied{level="0",wheel="sessions"} 5
timewheel_wheel_slots_occupied{level="1",wheel="sessions"} 0
timewheel_wheel_slots_occupied{level="2",wheel="sessions"} 1
# HELP timewheel_wheel_wakes_total How often the wheel's driver woke.
# TYPE timewheel_wheel_wakes_total counter
timewheel_wheel_wakes_total{wheel="sessions"} 3
`

// cumulative is how many latenesses are below 1 µs, 2 µs, 4 µs …
func cumulative(bucket int) int { return min(bucket+1, 2) + min(bucket/3, 1) }

func TestAScrapeShowsTheStats(t *testing.T) {
	var want strings.Builder
	want.WriteString(plain + "# HELP timewheel_timer_lateness_seconds From the tick at which a timer was due until its callback was started, or handed to a worker.\n" +
		"# TYPE timewheel_timer_lateness_seconds histogram\n")
	for bucket := range 31 {
		fmt.Fprintf(&want, "timewheel_timer_lateness_seconds_bucket{wheel=\"sessions\",le=\"%v\"} %d\n",
			(time.Microsecond << bucket).Seconds(), cumulative(bucket))
	}
	want.WriteString("timewheel_timer_lateness_seconds_bucket{wheel=\"sessions\",le=\"+Inf\"} 4\n" +
		"timewheel_timer_lateness_seconds_sum{wheel=\"sessions\"} 3600.00001\n" +
		"timewheel_timer_lateness_seconds_count{wheel=\"sessions\"} 4\n")
	if err := testutil.CollectAndCompare(NewCollector(figures(), "sessions"), strings.NewReader(want.String())); err != nil {
		t.Error(err)
	}
}

func TestTheNamesFollowTheConventions(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(NewCollector(figures(), "sessions"))
	problems, err := testutil.GatherAndLint(reg)
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestOneRegistryTakesSeveralWheels(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(NewCollector(figures(), "sessions"), NewCollector(fixed{}, ""))
	if n, err := testutil.GatherAndCount(reg, "timewheel_timers_live"); n != 2 || err != nil {
		t.Errorf("of two wheels %d are shown: %v", n, err)
	}
	if err := reg.Register(NewCollector(fixed{}, "sessions")); err == nil {
		t.Error("a second wheel of the same name was taken")
	}
}

// TestScrapesWhileTimersFire looks at a wheel at work: no scrape may fail, and no
// count may go back.
func TestScrapesWhileTimersFire(t *testing.T) {
	const setters, each = 4, 500
	w := timewheel.New(timewheel.Config{Run: timewheel.RunPool})
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(NewCollector(w, "busy"))
	var setting, firing sync.WaitGroup
	for range setters {
		setting.Go(func() {
			for i := range each {
				firing.Add(1)
				w.AfterFunc(time.Duration(i)*time.Microsecond, firing.Done)
				w.AfterFunc(time.Hour, firing.Done).Stop()
			}
		})
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		setting.Wait()
		firing.Wait()
	}()
	last := map[string]float64{}
	for running := true; running; {
		select {
		case <-over:
			running = false // one scrape more
		default:
		}
		scrape(t, reg, last)
	}
	for name, want := range map[string]float64{
		"timewheel_timers_live": 0, "timewheel_timers_set_total": 2 * setters * each,
		"timewheel_timers_fired_total": setters * each, "timewheel_timers_cancelled_total": setters * each,
	} {
		if last[name] != want {
			t.Errorf("in the end %s is %v, want %v", name, last[name], want)
		}
	}
	if _, err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	scrape(t, reg, last) // of a stopped wheel
	if last["timewheel_timer_lateness_seconds"] != setters*each {
		t.Errorf("there are %v latenesses, want %d", last["timewheel_timer_lateness_seconds"], setters*each)
	}
}

// scrape puts what is shown into last, after it has compared the two.
func scrape(t *testing.T, reg prometheus.Gatherer, last map[string]float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		now, name := f.GetMetric()[0].GetGauge().GetValue(), f.GetName()
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			now = f.GetMetric()[0].GetCounter().GetValue()
		case dto.MetricType_HISTOGRAM:
			now = rising(t, f.GetMetric()[0].GetHistogram())
		default:
		}
		if f.GetType() != dto.MetricType_GAUGE && now < last[name] {
			t.Errorf("%s went from %v back to %v", name, last[name], now)
		}
		last[name] = now
	}
}

// rising wants buckets that rise up to the count, which it returns.
func rising(t *testing.T, h *dto.Histogram) float64 {
	t.Helper()
	bound, below := math.Inf(-1), uint64(0)
	for _, b := range h.GetBucket() {
		if b.GetUpperBound() <= bound || b.GetCumulativeCount() < below || b.GetCumulativeCount() > h.GetSampleCount() {
			t.Errorf("%v below %v after %v below %v, of %v", b.GetCumulativeCount(), b.GetUpperBound(), below, bound, h.GetSampleCount())
		}
		bound, below = b.GetUpperBound(), b.GetCumulativeCount()
	}
	return float64(h.GetSampleCount())
}
