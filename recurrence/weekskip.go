package recurrence

import (
	"math"
	"math/bits"
	"time"
)

const (
	weekdayNanos = uint64(24 * time.Hour)
	weekNanos    = 7 * weekdayNanos
)

// weekSkip returns how far the next occurrence of an interval, which is not on one
// of some weekdays, is from one that is on one of them, on a clock that is
// offset seconds ahead of UTC and stays so. Where back is set, it is that before.
//
// An interval goes round the week like the hand of a clock that jumps, and may do
// so for centuries before it meets another weekday, or never.
func weekSkip(t time.Time, offset int64, weekdays uint8, every time.Duration, back bool) (skip wide, ok bool) {
	day, clock := floorDiv(t.Unix()+offset, daySecs)
	_, weekday := floorDiv(day+thursday, 7)
	at := uint64(weekday)*weekdayNanos + uint64(clock)*uint64(time.Second) + uint64(t.Nanosecond())
	step := uint64(every) % weekNanos
	if back {
		step = (weekNanos - step) % weekNanos
	}
	least := uint64(math.MaxUint64)
	for w := range uint64(7) {
		if weekdays>>w&1 != 0 {
			continue
		}
		low := (w*weekdayNanos + weekNanos - at) % weekNanos
		if n, ok := firstMultiple(step, weekNanos, low, low+weekdayNanos-1); ok {
			least = min(least, n)
		}
	}
	if least == math.MaxUint64 {
		return wide{}, false
	}
	skip.high, skip.low = bits.Mul64(least, uint64(every))
	return skip, true
}

// wide is a number of nanoseconds that may be more than 64 bits hold.
type wide struct{ high, low uint64 }

// split returns whole seconds and the nanoseconds over. It returns not ok if that
// is longer than all time that the package knows.
func (w wide) split() (seconds, nanos int64, ok bool) {
	if w.high >= 1<<20 {
		return 0, 0, false
	}
	q, r := bits.Div64(w.high, w.low, uint64(time.Second))
	return int64(q), int64(r), true
}

// firstMultiple returns the least n for which low <= n*step mod m <= high. It must
// be 0 <= low <= high < m.
//
// If no multiple of the step is within the bounds at once, it asks how often to go
// round before one is: the same question about smaller numbers, as in Euclid's algorithm.
func firstMultiple(step, m, low, high uint64) (n uint64, ok bool) {
	switch {
	case low == 0:
		return 0, true
	case step == 0:
		return 0, false
	case step > m-step:
		return firstMultiple(m-step, m, m-high, m-low)
	}
	if n = (low + step - 1) / step; n*step <= high {
		return n, true
	}
	rounds, ok := firstMultiple(m%step, step, (step-high%step)%step, (step-low%step)%step)
	if !ok {
		return 0, false
	}
	hi, lo := bits.Mul64(rounds, m)
	lo, carry := bits.Add64(lo, low+step-1, 0)
	n, _ = bits.Div64(hi+carry, lo, step)
	return n, true
}
