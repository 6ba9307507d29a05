package main

import (
	"container/heap"
	"math"
	"sync"
	"time"
)

// heapTimers is what one writes on an afternoon: a binary heap by due under one
// lock, and a goroutine that sleeps until the top is due. Each callback runs in
// a goroutine of its own. It is the measure of what the wheel is worth beyond
// being another scheduler beside the one of package time.
type heapTimers struct {
	start time.Time
	wake  chan struct{} // holds a token when the top has changed

	mu   sync.Mutex
	heap dueHeap // guarded by mu
}

// heapTimer is one timer of heapTimers. Its fields are guarded by the lock.
type heapTimer struct {
	due time.Duration // since start
	at  int           // its index in the heap; -1 when it is out
	f   func()
}

func plainHeap() rival {
	return rival{name: "heap", measure: measurements(traits{}, func() timers[*heapTimer] { return newHeapTimers() })}
}

func newHeapTimers() *heapTimers {
	t := &heapTimers{start: time.Now(), wake: make(chan struct{}, 1)}
	go t.drive()
	return t
}

func (t *heapTimers) AfterFunc(d time.Duration, f func()) *heapTimer {
	timer := &heapTimer{due: time.Since(t.start) + d, f: f}
	t.mu.Lock()
	heap.Push(&t.heap, timer)
	first := timer.at == 0
	t.mu.Unlock()
	if first {
		t.look()
	}
	return timer
}

func (t *heapTimers) Stop(timer *heapTimer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if timer.at < 0 {
		return false
	}
	heap.Remove(&t.heap, timer.at)
	return true
}

func (t *heapTimers) Reset(timer *heapTimer, d time.Duration) bool {
	due := time.Since(t.start) + d
	t.mu.Lock()
	in := timer.at >= 0
	if in {
		timer.due = due
		heap.Fix(&t.heap, timer.at)
	}
	first := timer.at == 0
	t.mu.Unlock()
	if first {
		t.look()
	}
	return in
}

// look makes the driver look at the top again.
func (t *heapTimers) look() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// drive fires what is due and sleeps until the next due, for ever.
func (t *heapTimers) drive() {
	sleep := time.NewTimer(math.MaxInt64)
	var batch []*heapTimer
	for {
		var next time.Duration
		batch, next = t.take(batch[:0])
		for _, timer := range batch {
			go timer.f()
		}
		clear(batch)
		sleep.Reset(next)
		select {
		case <-sleep.C:
		case <-t.wake:
		}
	}
}

// take moves what is due to batch, and returns how long nothing else will be.
func (t *heapTimers) take(batch []*heapTimer) (_ []*heapTimer, next time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for now := time.Since(t.start); len(t.heap) > 0; {
		if wait := t.heap[0].due - now; wait > 0 {
			return batch, wait
		}
		batch = append(batch, heap.Pop(&t.heap).(*heapTimer))
	}
	return batch, math.MaxInt64
}

// dueHeap implements heap.Interface.
type dueHeap []*heapTimer

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due < h[j].due }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push appends x, a *heapTimer.
func (h *dueHeap) Push(x any) {
	timer := x.(*heapTimer)
	timer.at = len(*h)
	*h = append(*h, timer)
}

// Pop takes the last one out.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	timer := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	timer.at = -1
	return timer
}
