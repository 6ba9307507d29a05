package main

import (
	"runtime"
	"time"
)

// idle measures the processor time of a process whose timers are all far off.
func idle[H any](t timers[H], p plan) figures {
	live := make([]H, p.count(100_000))
	for i := range live {
		live[i] = t.AfterFunc(time.Hour, nothing)
	}
	settle()
	time.Sleep(p.span(time.Second)) // the collector's workers and the rival come to rest
	span := p.span(10 * time.Second)
	before := cpuTime()
	time.Sleep(span)
	used := cpuTime() - before
	runtime.KeepAlive(live)
	return figures{"cpu_ms": milliseconds(used)}
}
