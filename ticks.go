package timewheel

import (
	"math"
	"math/bits"
	"time"
)

// forever is the longest duration there is, about 292 years. Durations that
// would be longer are cut to it.
const forever = time.Duration(math.MaxInt64)

// ticks converts between durations since a wheel was made and its ticks. A due
// instant is rounded up and the present down; that is what keeps a timer from
// firing early, by even a nanosecond.
//
// It divides by multiplying, since every timer that is set takes a division:
// factor is 2^(64+shift) / size, rounded up, and that is exact for all
// durations (Granlund and Montgomery, 1994).
type ticks struct {
	size   uint64 // of a tick, in ns
	factor uint64
	shift  uint
}

func newTicks(size time.Duration) ticks {
	t := ticks{size: uint64(size), shift: uint(bits.Len64(uint64(size)-1) - 1)}
	factor, rest := bits.Div64(1<<t.shift, 0, t.size)
	if rest > 0 {
		factor++
	}
	t.factor = factor
	return t
}

// present returns the tick that the instant lies in.
func (t *ticks) present(at time.Duration) uint64 {
	high, _ := bits.Mul64(uint64(at), t.factor)
	return high >> t.shift
}

// due returns the first tick that begins at or after the instant.
func (t *ticks) due(at time.Duration) uint64 {
	tick := t.present(at)
	if tick*t.size != uint64(at) {
		tick++
	}
	return tick
}

// begin returns the instant at which the tick begins, or forever.
func (t *ticks) begin(tick uint64) time.Duration {
	if tick > uint64(forever)/t.size {
		return forever
	}
	return time.Duration(tick * t.size)
}

// after returns the tick at which something is due that is d away from the
// instant now. What is due already is due in the present tick.
func (t *ticks) after(now, d time.Duration) uint64 {
	switch {
	case d <= 0:
		return t.present(now)
	case d > forever-now:
		return t.due(forever)
	default:
		return t.due(now + d)
	}
}
