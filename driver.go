package timewheel

import (
	"runtime"
	"unsafe"
)

// batchSize is how many timers the driver takes out under one hold of a lock.
const batchSize = 256

// firing is a timer that has expired and is to run.
type firing struct {
	due     uint64
	run     func()
	index   uint32   // of the function in the shard, until that is collected
	ends    bool     // the timer is not pending any more once this has started
	special *special // nil for most
}

// drive is the driver: it fires what is due and sleeps until something is,
// until the wheel is stopped.
//
// An inline callback may end its goroutine by runtime.Goexit; then another one
// takes over in the middle of the batch.
func (w *Wheel) drive() {
	over := false
	defer func() {
		if over {
			w.release()
		} else if w.mode == RunInline {
			go w.drive()
		}
	}()
	if w.precise {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
	}
	w.fire() // what the one before has left
	for {
		w.fireDue()
		if !w.waker.sleep() {
			over = true
			return
		}
		w.lateness.woke()
	}
}

// startDriver is called once, under the waker's lock.
func (w *Wheel) startDriver() alarm {
	w.users.Add(1)
	go w.drive()
	return newAlarm(w)
}

// earliest returns the least next of all shards.
func (w *Wheel) earliest() uint64 {
	least := uint64(asleep)
	for i := range w.shards {
		least = min(least, w.shards[i].next.Load())
	}
	return least
}

// fireDue fires until nothing is due. It goes round the shards, a batch each, so
// that a shard with very many timers does not hold up the others.
func (w *Wheel) fireDue() {
	for again := true; again; {
		again = false
		present := w.ticks.present(w.now())
		for i := range w.shards {
			s := &w.shards[i]
			if s.next.Load() <= present && s.takeDue(present) {
				w.fire()
				again = true
			}
		}
	}
}

// takeDue takes timers that are due out of the shard and into the batch. It
// returns false if the wheel is stopped or paused.
func (s *shard) takeDue(present uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.wheel.waker.paused.Load() {
		return false
	}
	next := uint64(asleep)
	s.expiring = true
	more := s.timers.Advance(present, batchSize, s.expire)
	s.collectLocked()
	if more {
		next = 0 // there is more
	} else if n, ok := s.timers.Next(); ok {
		next = n
	}
	s.next.Store(next)
	s.wheel.users.Add(int64(len(s.wheel.batch)))
	return true
}

// fire runs the batch.
func (w *Wheel) fire() {
	if w.next == 0 {
		w.warm()
	}
	now := w.now()
	for w.next < len(w.batch) {
		f := &w.batch[w.next]
		w.next++
		w.lateness.note(now - w.ticks.begin(f.due))
		w.dispatch(f)
		if w.mode == RunInline {
			now = w.now() // the function took its time
		}
	}
	w.lateness.publish()
	clear(w.batch) // let go of the functions
	w.batch, w.next = w.batch[:0], 0
}

// warm reads where each function of the batch begins, so that the processor has
// fetched them when they are called, one after the other. A function value points
// to its code's address, with the captures behind it.
func (w *Wheel) warm() {
	for i := range w.batch {
		w.warmth += **(**uintptr)(unsafe.Pointer(&w.batch[i].run)) //nolint:gosec // read, and never used
	}
}
