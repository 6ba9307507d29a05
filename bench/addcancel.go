package main

import (
	"runtime"
	"sync"
	"time"
)

// addCancel measures a timer that is set and stopped at once, the life of a
// timeout that did not happen: with none and with many live, from one goroutine
// and from two. Two goroutines' figure is the wall time by the operations of
// both. The figures hold the harness's two calls through an interface and its
// loop; harness_ns says how much that is.
func addCancel[H any](t timers[H], p plan) figures {
	pairs, ds := p.count(2_000_000), p.delays()
	f := figures{
		"harness_ns": timePairs[H](idler[H]{}, 1, pairs, ds),
		"live0_1_ns": timePairs(t, 1, pairs, ds),
		"live0_2_ns": timePairs(t, 2, pairs, ds),
	}
	live := fill(t, p.count(1_000_000), ds)
	clock := clockRead(pairs)
	before := mallocs()
	f["live1m_1_ns"] = timePairs(t, 1, pairs, ds)
	f["allocs"] = float64(mallocs()-before) / float64(pairs+pairs/warmUp)
	f["clock_ns"] = (clock + clockRead(pairs)) / 2
	f["floor_ns"] = clockAndLocks(pairs)
	f["live1m_2_ns"] = timePairs(t, 2, pairs, ds)
	f["above_clock_ns"] = f["live1m_1_ns"] - f["clock_ns"]
	runtime.KeepAlive(live)
	return f
}

// warmUp is the part of the operations, one in so many, that goes before the
// measured ones.
const warmUp = 20

// timePairs returns the time of a pair of add and cancel when so many
// goroutines do all the pairs between them.
func timePairs[H any](t timers[H], goroutines, pairs int, ds *delays) float64 {
	addAndCancel(t, pairs/warmUp, ds)
	runtime.GC()
	if goroutines == 1 {
		return perOp(pairs, func() { addAndCancel(t, pairs, ds) })
	}
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	ready.Add(goroutines)
	for range goroutines {
		done.Go(func() {
			ready.Done()
			<-begin
			addAndCancel(t, pairs/goroutines, ds)
		})
	}
	ready.Wait()
	return perOp(pairs, func() {
		close(begin)
		done.Wait()
	})
}

func addAndCancel[H any](t timers[H], pairs int, ds *delays) {
	for i := range pairs {
		t.Stop(t.AfterFunc(ds.at(i), nothing))
	}
}

// clockRead returns the time of one reading of the monotonic clock.
func clockRead(n int) float64 {
	start := time.Now()
	var last time.Duration
	each := perOp(n, func() {
		for range n {
			last = time.Since(start)
		}
	})
	runtime.KeepAlive(last)
	return each
}

// clockAndLocks returns the time of one reading of the clock and two holds of a
// mutex that nobody else wants: what a timer that is set and stopped under a lock
// costs before anything is done.
func clockAndLocks(n int) float64 {
	start := time.Now()
	var mu sync.Mutex
	var last time.Duration
	each := perOp(n, func() {
		for range n {
			last = time.Since(start)
			mu.Lock()
			last++
			mu.Unlock()
			mu.Lock()
			last++
			mu.Unlock()
		}
	})
	runtime.KeepAlive(last)
	return each
}

func mallocs() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}

// idler is timers that do nothing, to measure the harness by.
type idler[H any] struct{}

func (idler[H]) AfterFunc(time.Duration, func()) (h H) { return h }
func (idler[H]) Stop(H) bool                           { return true }
func (idler[H]) Reset(H, time.Duration) bool           { return true }
