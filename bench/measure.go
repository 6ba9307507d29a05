package main

import (
	"runtime"
	"runtime/debug"
	"time"
)

// figures are what one measurement found, by the names in the workload's table.
type figures map[string]float64

// nothing is the callback of timers that are not to fire, one for all of them,
// so that what a callback captures does not count.
func nothing() {}

// fill sets n timers that are not to fire, and returns their handles.
func fill[H any](t timers[H], n int, ds *delays) []H {
	live := make([]H, n)
	for i := range live {
		live[i] = t.AfterFunc(ds.at(i), nothing)
	}
	return live
}

// settle clears away what setting up left behind: garbage, and free memory that
// the runtime would give back to the system in the midst of what is measured.
// The second collection frees what the first one's finalizers and pools held.
func settle() {
	runtime.GC()
	debug.FreeOSMemory()
}

// perOp returns the wall time of each of n operations in nanoseconds, when run
// does them all.
func perOp(n int, run func()) float64 {
	begin := time.Now()
	run()
	return float64(time.Since(begin).Nanoseconds()) / float64(n)
}

// heapNow returns the heap after two collections: the first one's sweep and
// finalizers leave things for the second.
func heapNow() runtime.MemStats {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
func microseconds(d time.Duration) float64 { return d.Seconds() * 1e6 }

// must ends the process: where a rival refuses a timer, or the system a figure,
// nothing is measured.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
