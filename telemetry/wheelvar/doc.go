// Package wheelvar shows in-process wheels of package timewheel through package
// expvar, as JSON at /debug/vars.
//
//	*timewheel.Wheel ── Stats() ──▶ expvar.Var ──▶ GET /debug/vars
//	                    read at each request
//
//	expvar.Publish("timers", wheelvar.New(w))
//
// It owns the names of the fields. Durations are in seconds:
//
//	{
//	  "live": 7, "set": 20, "fired": 4, "cancelled": 9,
//	  "queued": 2,             callbacks that wait for a worker
//	  "wakes": 3,              of the driver
//	  "lateness": {
//	    "count": 4, "sum_seconds": 0.002,
//	    "p50_seconds": …, "p99_seconds": …, "p999_seconds": …,
//	    "buckets": [1, 1, …]   as those of timewheel.Histogram
//	  },
//	  "occupied": [5, 0, 1]    slots with timers in them, by level
//	}
//
// The quantiles are upper bounds, and of the wheel's whole life; two readings of
// the buckets, one subtracted from the other, tell of the time between.
// "occupied" is left out for schemes without slots, and for a wheel that was
// stopped.
//
// It refuses to know Prometheus, for which there is package wheelprom: a program
// that takes this one compiles the standard library and the timers alone. It is a
// package of its own since expvar brings an HTTP server with it.
//
// Requests may come from many goroutines at once. The package starts none.
package wheelvar
