package timewheel

import (
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
)

// Wheel keeps timers and fires them. Make one with [New]; the zero Wheel does
// not work. Its methods may be called from any goroutine.
type Wheel struct {
	ticks      ticks
	start      time.Time            // the instant of tick 0, with its monotonic reading
	boot       func() time.Duration // the time since then with suspends; nil to do without
	clock      clock.Clock
	scheme     Scheme
	geometry   Geometry
	maxPending int64
	mode       Run
	onPanic    func(any, []byte)
	precise    bool

	shards []shard
	waker  waker
	pool   pool

	pending atomic.Int64 // timers that are set, if maxPending is

	// users counts who may still run something: the wheel until it is stopped, the
	// driver, the one who watches the clock, every callback. The last one to
	// release closes idle.
	users atomic.Int64
	idle  chan struct{}

	stopped atomic.Bool   // Stop has been called
	over    chan struct{} // closed by Stop

	_        [64]byte // users, above, is written by all
	batch    []firing // the driver's: what has expired, filled under a shard's mu
	next     int      // the driver's: how far the batch has been fired
	warmth   uintptr  // the driver's: of no use but to make warm read
	lateness latenesses

	watch watch
}

// New returns a wheel without timers. It panics if cfg.Validate reports a fault.
//
// A wheel that has ever had a timer holds a goroutine: Stop it when it is not
// needed any more.
func New(cfg Config) *Wheel {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	cfg = cfg.withDefaults()
	w := &Wheel{
		ticks:      newTicks(cfg.Tick),
		start:      time.Now(),
		clock:      cfg.Clock,
		scheme:     cfg.Scheme,
		geometry:   cfg.Geometry,
		maxPending: int64(cfg.MaxPending),
		mode:       cfg.Run,
		onPanic:    cfg.OnPanic,
		precise:    cfg.Precise,
		shards:     make([]shard, cfg.Shards),
		idle:       make(chan struct{}),
		over:       make(chan struct{}),
	}
	if cfg.CountSuspend && !inBubble() {
		w.boot = bootClock()
	}
	for i := range w.shards {
		w.shards[i].open(w)
	}
	w.pool.open(w, cfg.Workers)
	w.waker = waker{earliest: w.earliest, begin: w.ticks.begin, start: w.startDriver, fallback: func() alarm { return newSoftAlarm(w.now) }}
	w.waker.until.Store(asleep)
	w.users.Store(1)
	return w
}

// AfterFunc calls f when d has passed, and never before; Config.Run says where.
// A d of zero or less means at once. A d that reaches beyond 292 years from New,
// the range of [time.Duration], means then, so math.MaxInt64 is as good as never.
//
// On a stopped or full wheel nothing is set: f never runs, and the returned
// Timer, whose Stop and Reset report false, says why in its Err. AfterFunc panics
// if f is nil.
func (w *Wheel) AfterFunc(d time.Duration, f func()) Timer {
	mustHave(f)
	due := w.ticks.after(w.now(), d)
	s := w.lockOne()
	if refused := s.admitLocked(); refused != 0 {
		s.mu.Unlock()
		return Timer{handle: refused}
	}
	h := s.timers.Add(due)
	s.funcs.Set(h.Index(), f)
	earlier := s.noteLocked(due)
	s.mu.Unlock()
	if earlier {
		w.waker.earlier(due)
	}
	return Timer{s, h}
}

// Len returns the number of timers that are set: that have not fired and were
// not stopped. A repeating timer counts as one until it ends.
func (w *Wheel) Len() int {
	n := 0
	for i := range w.shards {
		s := &w.shards[i]
		s.mu.Lock()
		if s.timers != nil {
			n += s.timers.Len()
		}
		s.mu.Unlock()
	}
	return n
}

// now returns the time since tick 0.
func (w *Wheel) now() time.Duration {
	if w.boot != nil {
		return w.boot()
	}
	return time.Since(w.start)
}

// release gives back a use; see the field users.
func (w *Wheel) release() {
	if w.users.Add(-1) == 0 {
		close(w.idle)
	}
}

// mustBeMade panics here rather than somewhere inside.
func (w *Wheel) mustBeMade() {
	if w.shards == nil {
		panic("timewheel: this wheel is not from New")
	}
}

// mustHave panics here, where the mistake is, and not when the timer fires.
func mustHave(f func()) {
	if f == nil {
		panic("timewheel: the function to call is nil")
	}
}

// inBubble reports whether this goroutine is in a testing/synctest bubble, where
// time is package time's alone: there, time.Now has no monotonic reading.
func inBubble() bool {
	now := time.Now()
	return now == now.Round(0) //nolint:staticcheck // Equal would not see the monotonic part
}
