package timewheel

import (
	"math/bits"
	"sync"
	"time"
)

// Stats is what a wheel has done, and how it stands. Counts are since New.
type Stats struct {
	Live      int    // timers that are set
	Set       uint64 // timers that were set, ever
	Fired     uint64 // expiries; a repeating timer counts each time
	Cancelled uint64 // timers that were stopped or replaced; not those that Wheel.Stop hands back
	Queued    int    // callbacks that wait for a worker of RunPool
	Wakes     uint64 // how often the driver woke

	// Lateness is that of the expiries: from the tick at which a timer was due until
	// its callback was started, or handed to a worker.
	Lateness Histogram

	// Occupied is how many slots are not empty, by level, over all shards; timers that
	// were stopped may still count. It is nil for a scheme without slots.
	Occupied []int
}

// HistogramBuckets is how many buckets a [Histogram] has.
const HistogramBuckets = 32

// Histogram counts durations in buckets, each twice as wide as the one before:
// bucket i has those below 1 µs · 2^i that the buckets before it have not, and the
// last has all the rest. It is a value: subtract an earlier one to see what came since.
type Histogram struct {
	Counts [HistogramBuckets]uint64
	Sum    time.Duration
}

// Bound returns the upper bound of a bucket, which the durations in it are less
// than; that of the last is the longest duration there is.
func (h Histogram) Bound(bucket int) time.Duration {
	if bucket >= HistogramBuckets-1 {
		return forever
	}
	return time.Microsecond << max(0, bucket)
}

// Count returns the number of durations.
func (h Histogram) Count() uint64 {
	n := uint64(0)
	for _, count := range h.Counts {
		n += count
	}
	return n
}

// Quantile returns the bound of the bucket in which the q-th part of the durations
// ends, with q from 0 to 1, so the true quantile is less than that and, from the
// second bucket to the last but one, at least half of it. It is 0 if there are none.
func (h Histogram) Quantile(q float64) time.Duration {
	total := h.Count()
	if !(q > 0) { // NaN too
		q = 0
	}
	rank, seen := uint64(min(q, 1)*float64(total)), uint64(0)
	for bucket, count := range h.Counts {
		if seen += count; count > 0 && seen > min(rank, total-1) {
			return h.Bound(bucket)
		}
	}
	return 0
}

// note counts one duration.
func (h *Histogram) note(d time.Duration) {
	bucket := bits.Len64(uint64(max(0, d)) / uint64(time.Microsecond))
	h.Counts[min(bucket, HistogramBuckets-1)]++
	h.Sum += d
}

// latenesses is the histogram of a wheel: the driver's own, and what others may
// read.
type latenesses struct {
	Histogram // the driver's

	mu    sync.Mutex
	shown Histogram // guarded by mu
	wakes uint64    // guarded by mu
}

// publish shows what the driver has noted.
func (l *latenesses) publish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = l.Histogram
}

// woke counts a wake-up.
func (l *latenesses) woke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wakes++
}

// Stats returns what the wheel has done so far. Each shard is asked in turn, so
// the sums need not be those of any one moment.
func (w *Wheel) Stats() Stats {
	st := Stats{Queued: int(w.pool.queued.Load())}
	for i := range w.shards {
		w.shards[i].addTo(&st)
	}
	l := &w.lateness
	l.mu.Lock()
	defer l.mu.Unlock()
	st.Lateness, st.Wakes = l.shown, l.wakes
	return st
}

func (s *shard) addTo(st *Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Set += s.counts.set
	st.Fired += s.counts.fired
	st.Cancelled += s.counts.cancelled
	if s.timers == nil {
		return
	}
	st.Live += s.timers.Len()
	if slots, ok := s.timers.(interface{ Occupied() []int }); ok {
		for level, n := range slots.Occupied() {
			if level == len(st.Occupied) {
				st.Occupied = append(st.Occupied, 0)
			}
			st.Occupied[level] += n
		}
	}
}
