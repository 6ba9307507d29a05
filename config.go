package timewheel

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
)

const (
	defaultTick = 100 * time.Microsecond
	minTick     = time.Microsecond
	maxTick     = time.Hour

	shardsPerProcessor = 4
	mostShards         = 256
)

// Config says how a wheel works. The zero Config is a good one.
type Config struct {
	// Tick is the resolution: due instants are rounded up to whole ticks since New.
	// From 1 µs to 1 h; 0 means 100 µs. What is due within one tick fires together, so
	// a coarser tick saves wake-ups where many timers fire.
	Tick time.Duration

	// Run says where callbacks run. The default is a goroutine each.
	Run Run

	// Workers is how many goroutines RunPool has at most; 0 means GOMAXPROCS.
	// It must be 0 for any other Run.
	Workers int

	// OnPanic is called with what a callback panicked with, and its stack, in the
	// callback's goroutine. nil means that the program ends, as with time.AfterFunc.
	OnPanic func(value any, stack []byte)

	// MaxPending is how many timers may be set at a time, those included that wait for
	// a worker of RunPool; 0 means any number. What is beyond is not set, and its
	// [Timer.Err] is ErrFull. Counting costs some nanoseconds for each timer.
	MaxPending int

	// Clock is the wall clock that At and Schedule follow. nil means the real one; a
	// test may take a clock.Fake. All else goes by the monotonic clock. Its Now must not
	// call the wheel.
	Clock clock.Clock

	// CountSuspend counts the time that the machine is suspended as time: a timer of an
	// hour is due after an hour, though the machine slept meanwhile. Without it, as with
	// package time, the clock of timers stands still then. It costs a system call for
	// each timer that is set. Linux only: elsewhere Validate reports it, and New panics.
	CountSuspend bool

	// Precise gives the driver a thread of its own, which wakes early and watches the
	// clock for the last 60 µs: lateness is some microseconds beyond the tick, for up to
	// 60 µs of processor time each wake-up. Take a small Tick with it. It only has an
	// effect on Linux.
	Precise bool

	// Scheme is the structure that timers are kept in, and Geometry its shape. The zero
	// values are the right ones unless you compare. The shape is that of each shard.
	Scheme   Scheme
	Geometry Geometry

	// Shards is into how many parts with a lock each the timers are spread, so that
	// processors don't queue. A power of two up to 256; 0 means 4 for each of
	// GOMAXPROCS, rounded up. With 1, timers fire in the order of their ticks; with
	// more, only what one goroutine set and nobody else's is so ordered, and not always.
	Shards int
}

// Validate reports every fault of the configuration, or nil.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("timewheel: Config."+format, args...))
	}
	if c.Tick != 0 && (c.Tick < minTick || c.Tick > maxTick) {
		fault("Tick is %v; it must be from %v to %v, or 0 for %v", c.Tick, minTick, maxTick, defaultTick)
	}
	if c.Run > RunPool {
		fault("Run is %d; it must be RunGoroutine, RunInline or RunPool", c.Run)
	}
	if c.Workers < 0 || c.Workers > 0 && c.Run != RunPool {
		fault("Workers is %d; it must be at least 0, and 0 unless Run is RunPool", c.Workers)
	}
	if c.MaxPending < 0 {
		fault("MaxPending is %d; it must be at least 0, which means any number", c.MaxPending)
	}
	if c.CountSuspend && !countsSuspend {
		fault("CountSuspend needs Linux; this is %s", runtime.GOOS)
	}
	if c.Shards < 0 || c.Shards > mostShards || bits.OnesCount(uint(c.Shards)) > 1 {
		fault("Shards is %d; it must be a power of two up to %d, or 0 for as many as suit the processors", c.Shards, mostShards)
	}
	if c.Scheme > List {
		fault("Scheme is %d; take one of %v", uint8(c.Scheme), Schemes())
	} else if err := c.Scheme.check(c.Geometry); err != nil {
		fault("Geometry: %w", err)
	}
	return errors.Join(faults...)
}

// withDefaults returns the configuration with its zero fields filled in.
func (c Config) withDefaults() Config {
	processors := runtime.GOMAXPROCS(0)
	if c.Tick == 0 {
		c.Tick = defaultTick
	}
	if c.Shards == 0 {
		c.Shards = min(mostShards, 1<<bits.Len(uint(shardsPerProcessor*processors-1)))
	}
	if c.Workers == 0 {
		c.Workers = processors
	}
	c.Clock = clock.Or(c.Clock)
	return c
}
