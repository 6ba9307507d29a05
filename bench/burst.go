package main

import (
	"runtime"
	"time"
)

const (
	// burstLead is the time from the first add to the earliest due, enough for all
	// rivals to be done with the adding, at 2.5 µs each for the slowest.
	burstLead = 4 * time.Second
	burstSpan = time.Second
	// patience is how long after the last due a rival may still fire.
	patience = 30 * time.Second
)

// burst measures very many timers that are due within one second, in random
// order: the processor time from the first add to the end of the last callback,
// and the lateness. The callbacks, each of which captures its due, are made
// before: they are the harness's.
func burst[H any](t timers[H], p plan) figures {
	n := p.count(1_000_000)
	r, random := newRecorder(n), p.random(1)
	dues, callbacks := make([]time.Duration, n), make([]func(), n)
	for i := range dues {
		dues[i] = p.span(burstLead) + random.within(p.span(burstSpan))
		callbacks[i] = r.callback(dues[i])
	}
	settle()
	r.start = time.Now()
	before := cpuTime()
	r.set(dues, func(i int, d time.Duration) { t.AfterFunc(d, callbacks[i]) })
	r.wait(p.span(burstLead) + patience)
	f := r.figures()
	f["cpu_s"] = (cpuTime() - before).Seconds()
	runtime.KeepAlive(callbacks)
	return f
}

// lateness measures punctuality where nothing else goes on: few timers, spread
// over a long time.
func lateness[H any](t timers[H], p plan) figures {
	n, span := p.count(2000), p.span(10*time.Second)
	r, random := newRecorder(n), p.random(1)
	dues, callbacks := make([]time.Duration, n), make([]func(), n)
	for i := range dues {
		dues[i] = minSpan + random.within(span)
		callbacks[i] = r.callback(dues[i])
	}
	settle()
	r.start = time.Now()
	r.set(dues, func(i int, d time.Duration) { t.AfterFunc(d, callbacks[i]) })
	r.wait(span + patience)
	runtime.KeepAlive(callbacks)
	return r.figures()
}

// set sets a timer for each due. The delay is what is left at the moment, so a
// timer is never asked for before its due; a rival that adds so slowly that a
// due has passed is as late as that.
func (r *recorder) set(dues []time.Duration, add func(i int, d time.Duration)) {
	for i, due := range dues {
		add(i, due-time.Since(r.start))
	}
}
