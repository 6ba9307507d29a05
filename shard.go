package timewheel

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

const (
	// asleep is later than any tick: the next of a shard without timers.
	asleep = math.MaxUint64

	// parked is the due of a repeating timer while its function runs: it keeps its
	// place and its handle, and never expires. No other timer is due then, since
	// durations end long before.
	parked = math.MaxUint64
)

// shard is a part of a wheel's timers with a lock of its own.
//
//	index     1   2   3   4 …       by Handle.Index
//	timers    ●   ●   ●   ●         due, generation, slot: 24 bytes, no pointers
//	funcs     f₁  f₂  ·   f₄        what to call
//	specials  ·   ·   s   ·         of marked handles, instead: see special
type shard struct {
	wheel  *Wheel
	expire func(wheel.Handle) // expireLocked, made once

	// next is a tick that no timer of the shard is due before. It is written under
	// mu, and read by all.
	next atomic.Uint64

	mu       sync.Mutex
	timers   wheel.Timers         // guarded by mu; nil before the first timer, and when closed
	funcs    wheel.Slab[func()]   // guarded by mu
	specials wheel.Slab[*special] // guarded by mu
	closed   bool                 // guarded by mu; the wheel is stopped
	expiring bool                 // guarded by mu; functions in the batch are not collected yet
	released []uint32             // guarded by mu; what to let go of after that
	counts   counts               // guarded by mu

	_ [64]byte // the next shard's lock is not on this one's cache line
}

// counts is what has happened to the timers of a shard since it was made.
type counts struct{ set, fired, cancelled uint64 }

// open makes the shard ready, without the memory for timers.
func (s *shard) open(w *Wheel) {
	s.wheel = w
	s.expire = s.expireLocked
	s.next.Store(asleep)
}

// buildLocked makes what timers are kept in, when the first one comes.
func (s *shard) buildLocked() {
	s.timers = s.wheel.scheme.build(s.wheel.geometry)
	s.timers.OnRelease(s.releaseLocked)
}

// releaseLocked lets go of the memory of indices that have no timers any more;
// if they belong to timers that are just expiring, when those have been collected.
func (s *shard) releaseLocked(index uint32) {
	if s.expiring {
		s.released = append(s.released, index)
		return
	}
	s.funcs.Drop(index)
	s.specials.Drop(index)
}

// lockOne locks a shard to set a timer in: the one of the calling goroutine,
// or the next that nobody holds.
func (w *Wheel) lockOne() *shard {
	w.mustBeMade()
	home := homeOf(len(w.shards))
	for i := range w.shards {
		s := &w.shards[(home+i)&(len(w.shards)-1)]
		if s.mu.TryLock() {
			return s
		}
	}
	s := &w.shards[home]
	s.mu.Lock()
	return s
}

// homeOf returns a number below n, a power of two, that is the same for a
// goroutine most of the time and differs between goroutines: where its stack
// lies. Nothing depends on it but speed.
func homeOf(n int) int {
	var here byte
	page := uint64(uintptr(unsafe.Pointer(&here))) >> 12 //nolint:gosec // only its number is used, never what is there
	return int(page*0x9e3779b97f4a7c15>>32) & (n - 1)
}

// noteLocked sees to it that the driver wakes for a timer that is due at that
// tick. If it returns true, the caller must call waker.earlier when it has
// unlocked the shard.
func (s *shard) noteLocked(due uint64) (earlier bool) {
	if due >= s.next.Load() {
		return false
	}
	s.next.Store(due)
	return true
}

// addSpecial sets a special timer in any shard, for that tick or, if it has one,
// for its wall time.
func (w *Wheel) addSpecial(sp *special, due uint64) Timer {
	s := w.lockOne()
	if refused := s.admitLocked(); refused != 0 {
		s.mu.Unlock()
		return Timer{handle: refused}
	}
	if !sp.wall.IsZero() {
		due = w.dueAt(sp.wall)
	}
	h := s.timers.Mark(s.timers.Add(due))
	sp.shard, sp.handle = s, h
	s.specials.Set(h.Index(), sp)
	earlier := s.noteLocked(due)
	s.mu.Unlock()
	if earlier {
		w.waker.earlier(due)
	}
	return Timer{s, h}
}

// expireLocked takes one timer that has expired into the driver's batch, for
// collectLocked to find its function.
func (s *shard) expireLocked(h wheel.Handle) {
	due, _ := s.timers.Due(h) // an expiring timer has a due
	if h.Marked() {
		s.expireSpecialLocked(h, due)
		return
	}
	s.counts.fired++
	s.wheel.batch = append(s.wheel.batch, firing{due: due, index: h.Index(), ends: true})
}

// collectLocked moves the functions of the batch out of the shard. In a loop of
// its own, since each is cold in the processor's cache: it fetches many at once
// while nothing else is done between them.
func (s *shard) collectLocked() {
	batch := s.wheel.batch
	for i := range batch {
		if f := &batch[i]; f.special == nil {
			place := s.funcs.At(f.index)
			f.run, *place = *place, nil
		}
	}
	s.expiring = false
	for _, index := range s.released {
		s.releaseLocked(index)
	}
	s.released = s.released[:0]
}

// forgetLocked lets go of what a cancelled timer was to run, unless the memory
// has gone already, with the timer.
func (s *shard) forgetLocked(h wheel.Handle) {
	s.counts.cancelled++
	if h.Marked() {
		s.specials.Zero(h.Index())
	} else {
		s.funcs.Zero(h.Index())
	}
}

// begin returns the instant at which a tick of the wheel begins.
func (w *Wheel) begin(tick uint64) time.Time { return w.start.Add(w.ticks.begin(tick)) }
