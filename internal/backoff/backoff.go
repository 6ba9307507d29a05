package backoff

import "time"

// Policy is a capped exponential backoff with proportional jitter. Out-of-range
// fields are taken as their nearest legal value; the zero Policy never waits.
type Policy struct {
	// Min is the delay after the first attempt, before jitter. Zero or less
	// means no delay at all.
	Min time.Duration
	// Max is what no delay exceeds, jitter included. Where it is below Min, it
	// wins.
	Max time.Duration
	// Jitter is the part of a delay, from 0 to 1, by which it may be shorter or
	// longer. 0.2 spreads ten seconds over eight to twelve.
	Jitter float64
}

// Delay returns how long to wait after the given attempt failed, before the
// next one starts. Attempts count from 1; anything less counts as 1. The number
// r, in [0,1), is the caller's randomness: 0 gives the shortest delay, and the
// delay grows with r.
//
// The delay is Min doubled for each further attempt and cut at Max, then spread
// evenly over the jitter's range. What of that range lies above Max is cut off
// before the spreading, not after it: else half of all capped delays would be
// exactly Max, and those tasks would all come back at once. The result is
// always within 0 and Max.
func Delay(p Policy, attempt int, r float64) time.Duration {
	limit := max(p.Max, 0)
	base := double(max(p.Min, 0), max(attempt, 1)-1, limit)
	width := part(base, p.Jitter)
	low := base - width
	high := base + min(width, limit-base)
	return low + part(high-low, r)
}

// double returns d × 2ⁿ, or limit where that is less. It compares after a right
// shift, which no n can overflow: Go shifts all bits out for any count past 63.
func double(d time.Duration, n int, limit time.Duration) time.Duration {
	if d > limit>>n {
		return limit
	}
	return d << n
}

// part returns d × f, with f taken into [0,1] and the result never above d,
// whatever floating point makes of 63 bits.
func part(d time.Duration, f float64) time.Duration {
	switch {
	case f >= 1:
		return d
	case f > 0:
		return min(time.Duration(float64(d)*f), d)
	default: // zero, negative, or not a number
		return 0
	}
}
