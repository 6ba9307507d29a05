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

	queued atomic.Int64 // jobs that wait

	mu      sync.Mutex
	workers int  // guarded by mu
	waiting fifo // guarded by mu
}

func (p *pool) open(w *Wheel, most int) { p.wheel, p.most = w, most }

// job is what a worker does.
type job struct {
	run  func()
	ends bool // the timer is not pending any more once this has started
}

// put has a job done by a worker, a new one if there may be one more.
func (p *pool) put(j job) {
	p.mu.Lock()
	if p.workers == p.most {
		p.waiting.push(j)
		p.queued.Add(1)
		p.mu.Unlock()
		return
	}
	p.workers++
	p.mu.Unlock()
	go p.work(j)
}

// work is a worker. It does the job and those that wait, until none does. If a callback
// ends the goroutine by runtime.Goexit, another worker takes over.
func (p *pool) work(j job) {
	done := false
	defer func() {
		if done {
			return
		}
		if next, ok := p.next(); ok {
			go p.work(next)
		}
	}()
	for ok := true; ok; j, ok = p.next() {
		p.wheel.started(j.ends)
		p.wheel.call(j.run)
	}
	done = true
}

// next returns what a worker is to do next, or false: then it is a worker no more.
func (p *pool) next() (job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j, ok := p.waiting.pop()
	if ok {
		p.queued.Add(-1)
	} else {
		p.workers--
	}
	return j, ok
}

// fifo is a queue of jobs in a ring that grows as it must, and goes back to
// nothing when it is empty.
type fifo struct {
	ring []job // its length is a power of two
	head int
	n    int
}

func (q *fifo) push(j job) {
	if q.n == len(q.ring) {
		bigger := make([]job, max(64, 2*len(q.ring)))
		copy(bigger, q.ring[q.head:])
		copy(bigger[len(q.ring)-q.head:], q.ring[:q.head])
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = j
	q.n++
}

// pop returns the oldest, or false if there is none.
func (q *fifo) pop() (job, bool) {
	if q.n == 0 {
		return job{}, false
	}
	j := q.ring[q.head]
	q.ring[q.head] = job{}
	q.head = (q.head + 1) & (len(q.ring) - 1)
	if q.n--; q.n == 0 && len(q.ring) > 1024 {
		q.ring, q.head = nil, 0
	}
	return j, true
}
