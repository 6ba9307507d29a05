package timewheel

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// Wheel keeps timers and fires them. Make one with [New]; the zero Wheel does
// not work. Its methods may be called from any goroutine.
type Wheel struct {
	ticks  ticks
	start  time.Time // the instant of tick 0, with its monotonic reading
	clock  clock.Clock
	wakeup chan struct{}      // holds a token while the driver has reason to look again
	expire func(wheel.Handle) // expireLocked, made once

	// users counts who may still run something: the wheel until it is stopped, the
	// driver, the one who watches the clock, every callback. The last one to
	// release closes idle.
	users atomic.Int64
	idle  chan struct{}

	mu      sync.Mutex
	timers  *wheel.Hierarchical        // guarded by mu
	funcs   wheel.Slab[func()]         // guarded by mu; by Handle.Index
	wall    map[wheel.Handle]time.Time // guarded by mu; the timers that follow the wall clock
	unwatch func()                     // guarded by mu; ends the watch of the wall clock, or nil
	armed   uint64                     // guarded by mu; the driver looks by itself at this tick at the latest
	driven  bool                       // guarded by mu; the driver has been started
	stopped bool                       // guarded by mu
	batch   []func()                   // filled under mu, emptied by the driver alone
}

// asleep is the value of armed of a driver that waits for nothing but a token.
const asleep = math.MaxUint64

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
		ticks:  ticks{uint64(cfg.Tick)},
		start:  time.Now(),
		clock:  cfg.Clock,
		wakeup: make(chan struct{}, 1),
		idle:   make(chan struct{}),
		timers: wheel.NewHierarchical(wheel.Geometry{}, 0),
		armed:  asleep,
	}
	w.expire = w.expireLocked
	w.users.Store(1)
	return w
}

// AfterFunc calls f in a goroutine of its own when d has passed, and never
// before. A d of zero or less means at once. A d that reaches beyond 292 years
// from New, the range of [time.Duration], means then, so math.MaxInt64 is as
// good as never.
//
// On a stopped wheel nothing is set: f never runs, and the returned Timer is the
// zero Timer, whose Stop and Reset report false. AfterFunc panics if f is nil.
func (w *Wheel) AfterFunc(d time.Duration, f func()) Timer {
	mustHave(f)
	due := w.ticks.after(w.now(), d)
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return Timer{}
	}
	h := w.timers.Add(due)
	w.funcs.Set(h.Index(), f)
	wake := w.armLocked(due)
	w.mu.Unlock()
	if wake {
		w.wake()
	}
	return Timer{w, h}
}

// now returns the monotonic time since tick 0.
func (w *Wheel) now() time.Duration { return time.Since(w.start) }

// release gives back a use; see the field users.
func (w *Wheel) release() {
	if w.users.Add(-1) == 0 {
		close(w.idle)
	}
}

// mustHave panics here, where the mistake is, and not when the timer fires.
func mustHave(f func()) {
	if f == nil {
		panic("timewheel: the function to call is nil")
	}
}
