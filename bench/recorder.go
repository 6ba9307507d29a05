package main

import (
	"slices"
	"sync/atomic"
	"time"
)

// recorder notes how late callbacks run. All instants are since start.
type recorder struct {
	start time.Time
	late  []time.Duration // in the order of firing, which spares the caches a random write
	begun atomic.Int64    // callbacks that have taken a place in late
	fired atomic.Int64    // callbacks that have written it
	done  chan struct{}   // closed by the last one to write
}

func newRecorder(n int) *recorder {
	return &recorder{late: make([]time.Duration, n), done: make(chan struct{})}
}

// callback returns the function of a timer that is due at that instant.
func (r *recorder) callback(due time.Duration) func() {
	return func() {
		late := time.Since(r.start) - due
		place := int(r.begun.Add(1)) - 1
		if place >= len(r.late) {
			return // something fired twice; the workload stress looks into that
		}
		r.late[place] = late
		if int(r.fired.Add(1)) == len(r.late) {
			close(r.done)
		}
	}
}

// wait returns when all have fired, or after patience: a rival may lose some.
func (r *recorder) wait(patience time.Duration) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-r.done:
	case <-deadline.C:
	}
}

// figures sums the lateness up. Early ones count with their negative lateness.
func (r *recorder) figures() figures {
	fired := int(r.fired.Load())
	late := slices.Sorted(slices.Values(r.late[:fired]))
	early, _ := slices.BinarySearch(late, 0)
	f := figures{"early": float64(early), "lost": float64(len(r.late) - fired)}
	if fired > 0 {
		f["p50_us"] = microseconds(percentile(late, 50))
		f["p99_us"] = microseconds(percentile(late, 99))
		f["max_us"] = microseconds(late[fired-1])
	}
	return f
}

// percentile returns the smallest of the sorted values, of which there is at
// least one, that q percent of them do not exceed.
func percentile(sorted []time.Duration, q int) time.Duration {
	return sorted[max((len(sorted)*q+99)/100, 1)-1]
}
