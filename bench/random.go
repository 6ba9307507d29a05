package main

import "runtime"

// manyLive is how many timers are live where a rival's memory must outgrow the
// processor's caches by far.
const manyLive = 5_000_000

// cancelRandom measures stopping a random one of many timers and setting
// another for it. There are as many operations as timers, so that what a rival
// puts off until later, it does before the end.
func cancelRandom[H any](t timers[H], p plan) figures {
	return eachRandom(t, p, func(live []H, i int, ds *delays) {
		t.Stop(live[i])
		live[i] = t.AfterFunc(ds.at(i), nothing)
	})
}

// resetRandom measures moving a random one of many timers, as often to an
// earlier due as to a later one.
func resetRandom[H any](t timers[H], p plan) figures {
	random := p.random(2)
	return eachRandom(t, p, func(live []H, i int, ds *delays) {
		t.Reset(live[i], ds.at(int(random.next()>>32)))
	})
}

// eachRandom measures an operation on random ones of many live timers.
func eachRandom[H any](t timers[H], p plan, do func(live []H, i int, ds *delays)) figures {
	n, ds, random := p.count(manyLive), p.delays(), p.random(1)
	live := fill(t, n, ds)
	loop := func(n int) {
		for range n {
			do(live, random.below(len(live)), ds)
		}
	}
	loop(n / warmUp)
	runtime.GC()
	f := figures{"ns": perOp(n, func() { loop(n) })}
	runtime.KeepAlive(live)
	return f
}
