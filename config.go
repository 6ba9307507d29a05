package timewheel

import (
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
)

const (
	defaultTick = time.Millisecond
	minTick     = time.Microsecond
	maxTick     = time.Hour
)

// Config says how a wheel works. The zero Config is a good one.
type Config struct {
	// Tick is the resolution: due instants are rounded up to whole ticks since New.
	// From 1 µs to 1 h; 0 means 1 ms. A coarser tick saves wake-ups, since what is
	// due within one tick fires together.
	Tick time.Duration

	// Clock is the wall clock that At follows. nil means the real one; a test may
	// take a clock.Fake. AfterFunc does not look at it.
	Clock clock.Clock
}

// Validate reports every fault of the configuration, or nil.
func (c Config) Validate() error {
	var faults []error
	if c.Tick != 0 && (c.Tick < minTick || c.Tick > maxTick) {
		faults = append(faults, fmt.Errorf("timewheel: Config.Tick is %v; it must be from %v to %v, or 0 for %v", c.Tick, minTick, maxTick, defaultTick))
	}
	return errors.Join(faults...)
}

// withDefaults returns the configuration with its zero fields filled in.
func (c Config) withDefaults() Config {
	if c.Tick == 0 {
		c.Tick = defaultTick
	}
	c.Clock = clock.Or(c.Clock)
	return c
}
