package main

import (
	"runtime"
	"time"
	"unsafe"
)

// memory measures the heap that a live timer takes. The slice of handles is made
// before, and does not count: how a program keeps its handles is its own matter.
// Their size is a figure of its own.
func memory[H any](t timers[H], p plan) figures {
	n, ds := p.count(1_000_000), p.delays()
	live := make([]H, n)
	before := heapNow()
	for i := range live {
		live[i] = t.AfterFunc(ds.at(i), nothing)
	}
	after := heapNow()
	runtime.KeepAlive(live)
	var handle H
	return figures{
		"bytes":        perTimer(before.HeapAlloc, after.HeapAlloc, n),
		"objects":      perTimer(before.HeapObjects, after.HeapObjects, n),
		"handle_bytes": float64(unsafe.Sizeof(handle)),
	}
}

// perTimer spreads what has come over n timers. What was there before may be
// gone by now, hence the signs.
func perTimer(before, after uint64, n int) float64 {
	return float64(int64(after)-int64(before)) / float64(n)
}

// collect measures what live timers add to a collection of garbage, first with
// all handles held in a slice, then with the timers alone.
func collect[H any](t timers[H], p plan) figures {
	live := fill(t, p.count(manyLive), p.delays())
	settle()
	held := bestCollection()
	runtime.KeepAlive(live) // the last use: from here on the handles are garbage
	settle()
	alone := bestCollection()
	runtime.KeepAlive(t)
	return figures{"held_ms": milliseconds(held), "alone_ms": milliseconds(alone)}
}

// bestCollection returns the wall time of the quickest of three collections.
func bestCollection() time.Duration {
	best := time.Hour
	for range 3 {
		begin := time.Now()
		runtime.GC()
		best = min(best, time.Since(begin))
	}
	return best
}
