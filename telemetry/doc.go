// Package telemetry turns what the scheduler tells into metrics for Prometheus.
//
//	scheduler.Events ──▶ counters, histograms ──┐
//	                                            ├──▶ registry ──▶ GET /metrics
//	Stats, Queues    ◀── read at each scrape ───┘
//
// It owns the names, labels and buckets of the metrics (docs/reference/metrics.md
// lists them), and the bound on how many queues get a label of their own: the
// first MaxQueues; the others share the label "_other", which no queue can be
// called.
//
// It refuses to know the core's insides: it hears events and asks for figures.
// It never sees a payload.
//
// Events come from many goroutines at once and are counted without a lock once a
// queue has its counters. Scrapes read the counts of all queues from the store.
// The package starts no goroutines.
package telemetry
