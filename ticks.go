package timewheel

import (
	"math"
	"time"
)

// forever is the longest duration there is, about 292 years. Durations that
// would be longer are cut to it.
const forever = time.Duration(math.MaxInt64)

// ticks converts between durations since a wheel was made and its ticks. A due
// instant is rounded up and the present down; that is what keeps a timer from
// firing early, by even a nanosecond.
type ticks struct {
	size uint64 // of a tick, in ns
}

// due returns the first tick that begins at or after the instant.
func (t ticks) due(at time.Duration) uint64 {
	return (uint64(at) + t.size - 1) / t.size // at is not negative, so this can't overflow
}

// present returns the tick that the instant lies in.
func (t ticks) present(at time.Duration) uint64 {
	return uint64(at) / t.size
}

// begin returns the instant at which the tick begins, or forever.
func (t ticks) begin(tick uint64) time.Duration {
	if tick > uint64(forever)/t.size {
		return forever
	}
	return time.Duration(tick * t.size)
}

// after returns the tick at which something is due that is d away from the
// instant now. What is due already is due in the present tick.
func (t ticks) after(now, d time.Duration) uint64 {
	switch {
	case d <= 0:
		return t.present(now)
	case d > forever-now:
		return t.due(forever)
	default:
		return t.due(now + d)
	}
}
