package wheelprom

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timewheel-dev/timewheel"
)

// Source is what is asked at each scrape. *timewheel.Wheel is one.
type Source interface {
	Stats() timewheel.Stats
}

// collector implements prometheus.Collector.
type collector struct {
	source Source

	live, set, fired, cancelled, lateness, queued, wakes, occupied *prometheus.Desc
}

// NewCollector returns a collector that reads w at each scrape and gives all its
// metrics the label wheel with that name. A registry takes one wheel of each name,
// and refuses the second.
//
// A wheel that was stopped goes on to be shown, without live timers: unregister
// the collector when you drop the wheel.
func NewCollector(w Source, name string) prometheus.Collector {
	desc := func(metric, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(metric, help, labels, prometheus.Labels{"wheel": name})
	}
	return &collector{
		source:    w,
		live:      desc("timewheel_timers_live", "Timers that are set."),
		set:       desc("timewheel_timers_set_total", "Timers that were set."),
		fired:     desc("timewheel_timers_fired_total", "Expiries of timers; a repeating timer counts each time."),
		cancelled: desc("timewheel_timers_cancelled_total", "Timers that were stopped before they fired."),
		lateness:  desc("timewheel_timer_lateness_seconds", "From the tick at which a timer was due until its callback was started, or handed to a worker."),
		queued:    desc("timewheel_timer_callbacks_queued", "Callbacks that wait for a worker of the wheel's pool."),
		wakes:     desc("timewheel_wheel_wakes_total", "How often the wheel's driver woke."),
		occupied:  desc("timewheel_wheel_slots_occupied", "Slots that have timers in them, by level. Absent for schemes without slots.", "level"),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.live, c.set, c.fired, c.cancelled, c.lateness, c.queued, c.wakes, c.occupied} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, as prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, as, v, labels...)
	}
	stats := c.source.Stats()
	send(c.live, prometheus.GaugeValue, float64(stats.Live))
	send(c.set, prometheus.CounterValue, float64(stats.Set))
	send(c.fired, prometheus.CounterValue, float64(stats.Fired))
	send(c.cancelled, prometheus.CounterValue, float64(stats.Cancelled))
	send(c.queued, prometheus.GaugeValue, float64(stats.Queued))
	send(c.wakes, prometheus.CounterValue, float64(stats.Wakes))
	for level, slots := range stats.Occupied {
		send(c.occupied, prometheus.GaugeValue, float64(slots), strconv.Itoa(level))
	}
	out <- histogram(c.lateness, &stats.Lateness)
}

// histogram adds the buckets up, since those of Prometheus have all that is
// below their bound. The last is missing: it is the one that Prometheus adds by
// itself, +Inf. A duration of exactly a bound counts as above it here, and not
// below it, as Prometheus would have it; the difference is a nanosecond.
func histogram(d *prometheus.Desc, h *timewheel.Histogram) prometheus.Metric {
	const last = timewheel.HistogramBuckets - 1
	sum, below := uint64(0), make(map[float64]uint64, last)
	for bucket, count := range h.Counts[:last] {
		sum += count
		below[h.Bound(bucket).Seconds()] = sum
	}
	return prometheus.MustNewConstHistogram(d, h.Count(), h.Sum.Seconds(), below)
}
