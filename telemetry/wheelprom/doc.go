// Package wheelprom shows in-process wheels of package timewheel to Prometheus.
//
//	*timewheel.Wheel ── Stats() ──▶ collector ──▶ your registry ──▶ GET /metrics
//	                    read at each scrape
//
// It owns the names, labels and buckets of these metrics. All have the label
// wheel, which tells the wheels of a program apart:
//
//	timewheel_timers_live               gauge      timers that are set
//	timewheel_timers_set_total          counter    timers that were set
//	timewheel_timers_fired_total        counter    expiries
//	timewheel_timers_cancelled_total    counter    timers that Stop took out
//	timewheel_timer_lateness_seconds    histogram  from due to fire
//	timewheel_timer_callbacks_queued    gauge      callbacks that wait for a worker
//	timewheel_wheel_wakes_total         counter    wake-ups of the driver
//	timewheel_wheel_slots_occupied      gauge      slots with timers in them, by level
//
// How late is the slowest hundredth?
//
//	histogram_quantile(0.99, sum by (le, wheel) (rate(timewheel_timer_lateness_seconds_bucket[5m])))
//
// It refuses to know tasks, stores and the daemon, whose metrics are those of
// package telemetry: a program that has wheels alone compiles nothing of them.
// Package wheelvar shows the same without Prometheus.
//
// Scrapes may come from many goroutines at once. The package starts none, and
// timers pay nothing for being watched: a scrape takes each lock of the wheel
// once, for as long as it takes to add up some numbers.
package wheelprom
