package wheelvar

import (
	"expvar"

	"github.com/timewheel-dev/timewheel"
)

// Source is what is asked at each request. *timewheel.Wheel is one.
type Source interface {
	Stats() timewheel.Stats
}

// New returns a variable that reads w whenever it is shown. Publish it under a
// name of your choice: New does not, so that it can be shown in other ways too.
func New(w Source) expvar.Var {
	return expvar.Func(func() any { return viewOf(w.Stats()) })
}

// view is what is shown of a wheel.
type view struct {
	Live      int      `json:"live"`
	Set       uint64   `json:"set"`
	Fired     uint64   `json:"fired"`
	Cancelled uint64   `json:"cancelled"`
	Queued    int      `json:"queued"`
	Wakes     uint64   `json:"wakes"`
	Lateness  lateness `json:"lateness"`
	Occupied  []int    `json:"occupied,omitempty"`
}

type lateness struct {
	Count   uint64                             `json:"count"`
	Sum     float64                            `json:"sum_seconds"`
	P50     float64                            `json:"p50_seconds"`
	P99     float64                            `json:"p99_seconds"`
	P999    float64                            `json:"p999_seconds"`
	Buckets [timewheel.HistogramBuckets]uint64 `json:"buckets"`
}

func viewOf(s timewheel.Stats) view {
	h := &s.Lateness
	return view{
		Live: s.Live, Set: s.Set, Fired: s.Fired, Cancelled: s.Cancelled,
		Queued: s.Queued, Wakes: s.Wakes, Occupied: s.Occupied,
		Lateness: lateness{
			Count: h.Count(), Sum: h.Sum.Seconds(),
			P50: h.Quantile(0.5).Seconds(), P99: h.Quantile(0.99).Seconds(), P999: h.Quantile(0.999).Seconds(),
			Buckets: h.Counts,
		},
	}
}
