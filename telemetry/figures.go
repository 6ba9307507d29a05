package telemetry

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// Source is what is asked at each scrape. *scheduler.Scheduler is one.
type Source interface {
	Stats() scheduler.Stats
	Queues(ctx context.Context, after string, limit int) ([]scheduler.QueueInfo, error)
}

const (
	scrapeTimeout = 5 * time.Second // for reading all queues' counts
	queuesPerRead = 1000
)

// figures is the collector of what is read at each scrape.
type figures struct {
	queues *queueSet
	source atomic.Pointer[Source]

	occurrences *prometheus.CounterVec

	tasks, schedules, wheel, ready, pushing, claims, shards *prometheus.Desc
}

func newFigures(queues *queueSet, occurrences *prometheus.CounterVec) *figures {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &figures{
		queues: queues, occurrences: occurrences,
		tasks:     desc("timewheel_tasks", "Tasks in the store, by queue and state.", "queue", "state"),
		schedules: desc("timewheel_schedules", "Schedules in the store, by queue.", "queue"),
		wheel:     desc("timewheel_wheel_entries", "Entries in the wheels: the waits that are near."),
		ready:     desc("timewheel_ready_entries", "Ready tasks held in memory, waiting to be claimed or pushed."),
		pushing:   desc("timewheel_pushes_running", "Webhook pushes running now."),
		claims:    desc("timewheel_claims_waiting", "Claims of workers that wait for a task now."),
		shards:    desc("timewheel_shards", "Shards that this node owns."),
	}
}

func (f *figures) watch(src Source) { f.source.Store(&src) }

// Describe implements prometheus.Collector.
func (f *figures) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{f.tasks, f.schedules, f.wheel, f.ready, f.pushing, f.claims, f.shards} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (f *figures) Collect(out chan<- prometheus.Metric) {
	src := f.source.Load()
	if src == nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	stats := (*src).Stats()
	gauge(f.wheel, float64(stats.Wheel))
	gauge(f.ready, float64(stats.Ready))
	gauge(f.pushing, float64(stats.Pushing))
	gauge(f.claims, float64(stats.Claims))
	gauge(f.shards, float64(stats.Shards))
	counts, err := f.counts(*src)
	if err != nil {
		out <- prometheus.NewInvalidMetric(f.tasks, err)
		return
	}
	for label, c := range counts {
		for _, s := range task.States {
			gauge(f.tasks, float64(c.tasks[s]), label, s.String())
		}
		gauge(f.schedules, float64(c.schedules), label)
		if c.schedules > 0 {
			f.showAllFates(label)
		}
	}
}

// showAllFates has a queue's counters of occurrences begin at 0, not at the first
// one that is counted: what grows from nothing is no increase to Prometheus.
func (f *figures) showAllFates(label string) {
	for _, fate := range scheduler.Fates[scheduler.FateFired:] {
		f.occurrences.WithLabelValues(label, fate)
	}
}

// count is how much a queue has, or those that share a label.
type count struct {
	tasks     task.Counts
	schedules int64
}

// counts reads the counts of all queues, those beyond the limit added up.
func (f *figures) counts(src Source) (map[string]count, error) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	counts := make(map[string]count)
	after := ""
	for {
		queues, err := src.Queues(ctx, after, queuesPerRead)
		if err != nil {
			return nil, err
		}
		for _, q := range queues {
			after = q.Name
			label := f.queues.label(q.Name)
			sum := counts[label]
			for i, n := range q.Counts {
				sum.tasks[i] += n
			}
			sum.schedules += q.Schedules
			counts[label] = sum
		}
		if len(queues) < queuesPerRead {
			return counts, nil
		}
	}
}
