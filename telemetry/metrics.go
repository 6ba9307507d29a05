package telemetry

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are all metrics of one daemon, in a registry of their own.
type Metrics struct {
	registry *prometheus.Registry
	queues   *queueSet

	lateness      prometheus.Histogram
	commitSeconds prometheus.Histogram
	commitRecords prometheus.Histogram
	occurrences   *prometheus.CounterVec
	trouble       prometheus.Counter
	figures       *figures
}

// New returns the metrics of a daemon of the given version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		queues:   newQueueSet(MaxQueues),
		lateness: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "timewheel_fire_lateness_seconds",
			Help:    "How long after it was due an attempt was claimed. For pulled tasks this includes the wait for a worker.",
			Buckets: latenessBuckets,
		}),
		commitSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "timewheel_store_commit_seconds",
			Help:    "How long one commit of a shard's batch took, until it was on stable storage.",
			Buckets: prometheus.ExponentialBuckets(0.000_125, 2, 17),
		}),
		commitRecords: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "timewheel_store_commit_records",
			Help:    "How many records one commit wrote.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 15),
		}),
		occurrences: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "timewheel_occurrences_total",
			Help: "Occurrences of schedules, by what became of them: " + fates + ".",
		}, []string{"queue", "fate"}),
		trouble: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "timewheel_trouble_total",
			Help: "Faults inside the daemon that no caller was told of. The log has each.",
		}),
	}
	m.figures = newFigures(m.queues, m.occurrences)
	m.registry.MustRegister(
		m.lateness, m.commitSeconds, m.commitRecords, m.occurrences, m.trouble, m.figures, buildInfo(version),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.registry.MustRegister(m.queues.collectors()...)
	return m
}

// fates says what the values of the label fate mean.
const fates = "fired (became a task), missed (got no task of its own after an outage), skipped (an earlier one was not finished), " +
	"queued (waits for an earlier one), replaced (its task was cancelled for a later one)"

// latenessBuckets go from 250 µs, near what a timer can do, to 10 minutes, when
// somebody has been waiting.
var latenessBuckets = []float64{
	0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
	1, 2.5, 5, 10, 30, 60, 300, 600,
}

func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "timewheel_build_info",
		Help: "Always 1; the labels say which program this is.",
	}, []string{"version", "go_version"})
	g.WithLabelValues(version, runtime.Version()).Set(1)
	return g
}

// Watch makes scrapes read the figures of src as well. Call it once, before the
// first scrape.
func (m *Metrics) Watch(src Source) { m.figures.watch(src) }

// Handler serves the metrics in the formats of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry:            m.registry,
		MaxRequestsInFlight: 4,
		ErrorHandling:       promhttp.ContinueOnError,
	})
}
