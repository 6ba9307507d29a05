package timewheel

import (
	"sync"
	"sync/atomic"
	"time"
)

// waker lets the driver sleep until the first timer is due, and no longer. It is
// where a wake-up could be missed, so here is why none is.
//
//	who sets a timer                        the driver
//	a  shard.next ← due, if earlier         1  until ← the least shard.next
//	b  if due < until: under mu,            2  if a shard.next is less: again
//	   until ← due and set the alarm        3  set the alarm, unlock mu, wait
//
// Of a and 2, one comes first, since these are sequentially consistent atomics.
// If it is a, the driver sees the timer in 2. If it is 2, then 1 came before b,
// which sees until and takes its turn at the alarm after 3. While the driver is
// awake until is 0, and nobody who sets a timer has anything to do with it.
//
// An alarm that rings for nothing is harmless: the driver looks, and sleeps.
type waker struct {
	earliest func() uint64              // the least shard.next
	begin    func(uint64) time.Duration // the instant at which a tick begins
	start    func() alarm               // starts the driver and returns its alarm
	fallback func() alarm               // takes over if that fails

	until  atomic.Uint64 // the tick to which the driver sleeps; 0 while it is awake
	paused atomic.Bool   // written under mu

	mu     sync.Mutex
	alarm  alarm // guarded by mu; nil before the first timer
	closed bool  // guarded by mu

	pass func(point string) // if not nil, is called between the steps, for a test to interleave them
}

// alarm wakes one who waits for it. set and close are called under waker.mu.
type alarm interface {
	// set makes the alarm ring at that instant since the wheel was made, and not for
	// what was set before; forever is never.
	set(at time.Duration)
	// wait returns when the alarm has rung since the last wait. It may also return
	// for no reason. Only the driver calls it.
	wait() error
	close()
}

// earlier is told that a timer is due at that tick, earlier than all others of
// its shard, whose next says so already.
func (k *waker) earlier(due uint64) {
	k.at("set")
	if due >= k.until.Load() {
		return
	}
	k.at("earlier")
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed || due >= k.until.Load():
	case k.alarm == nil:
		k.until.Store(0)
		k.alarm = k.start()
	default:
		k.until.Store(due)
		if !k.paused.Load() {
			k.alarm.set(k.begin(due))
		}
	}
}

// sleep returns when there may be something to do, or false if there will never
// be again.
func (k *waker) sleep() bool {
	a, ok := k.fallAsleep()
	if !ok {
		return false
	}
	err := a.wait()
	k.until.Store(0)
	if err != nil {
		k.replace()
	}
	return true
}

// fallAsleep sets the alarm, unless the waker is closed.
func (k *waker) fallAsleep() (alarm, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		k.alarm.close()
		return nil, false
	}
	if k.paused.Load() {
		k.alarm.set(forever)
		return k.alarm, true
	}
	for until := k.earliest(); ; {
		k.at("looked")
		k.until.Store(until)
		k.at("published")
		least := k.earliest()
		if least >= until {
			k.alarm.set(k.begin(until))
			return k.alarm, true
		}
		until = least
	}
}

// interrupt changes the waker under its lock, and then makes the driver look. A
// closed one has no driver any more, and perhaps no alarm.
func (k *waker) interrupt(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	change()
	if k.alarm != nil {
		k.alarm.set(0)
	}
}

// replace goes on with package time's alarm when the system's has failed.
func (k *waker) replace() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.alarm.close()
	k.alarm = k.fallback()
}

func (k *waker) at(point string) {
	if k.pass != nil {
		k.pass(point)
	}
}
