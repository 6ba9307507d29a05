package timewheel

import (
	"sync"
	"sync/atomic"
)

// pool runs callbacks in a bounded number of goroutines. They live only while
// there is work, so nothing has to stop them. What waits is bounded by the timers
// that were set: a repeating one is not set again before it has run.
type pool struct {
	wheel *Wheel
	most  int // workers

	queued atomic.Int64 // functions that wait

	mu      sync.Mutex
	workers int  // guarded by mu
	waiting fifo // guarded by mu
}

func (p *pool) open(w *Wheel, most int) { p.wheel, p.most = w, most }

// put has f run by a worker, a new one if there may be one more.
func (p *pool) put(f func()) {
	p.mu.Lock()
	if p.workers == p.most {
		p.waiting.push(f)
		p.queued.Add(1)
		p.mu.Unlock()
		return
	}
	p.workers++
	p.mu.Unlock()
	go p.work(f)
}

// work is a worker. It runs f and what waits, until nothing does. If a callback
// ends the goroutine by runtime.Goexit, another worker takes over.
func (p *pool) work(f func()) {
	done := false
	defer func() {
		if !done {
			if next := p.next(); next != nil {
				go p.work(next)
			}
		}
	}()
	for ; f != nil; f = p.next() {
		p.wheel.call(f)
	}
	done = true
}

// next returns what a worker is to run next, or nil: then it is a worker no more.
func (p *pool) next() func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.waiting.pop()
	if f == nil {
		p.workers--
	} else {
		p.queued.Add(-1)
	}
	return f
}

// fifo is a queue of functions in a ring that grows as it must, and goes back to
// nothing when it is empty.
type fifo struct {
	ring []func() // its length is a power of two
	head int
	n    int
}

func (q *fifo) push(f func()) {
	if q.n == len(q.ring) {
		bigger := make([]func(), max(64, 2*len(q.ring)))
		copy(bigger, q.ring[q.head:])
		copy(bigger[len(q.ring)-q.head:], q.ring[:q.head])
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = f
	q.n++
}

// pop returns the oldest, or nil.
func (q *fifo) pop() func() {
	if q.n == 0 {
		return nil
	}
	f := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	if q.n--; q.n == 0 && len(q.ring) > 1024 {
		q.ring, q.head = nil, 0
	}
	return f
}
