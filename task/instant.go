package task

import "time"

// Instant is a point in time: whole microseconds since the Unix epoch, UTC.
// The zero Instant means "none". Microseconds in 64 bits reach past the year
// 9999, which nanoseconds do not.
type Instant int64

// MaxInstant is the last instant a task can be due: the end of the year 9999,
// the last that RFC 3339 can write.
var MaxInstant = CeilInstant(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))

// CeilInstant rounds t up to a whole microsecond. Due instants go through
// here, so that what fires at the rounded instant is never early.
func CeilInstant(t time.Time) Instant {
	i := FloorInstant(t)
	if t.Nanosecond()%1000 != 0 {
		i++
	}
	return i
}

// FloorInstant rounds t down to a whole microsecond. Readings of "now" go
// through here, for the same reason. Times that an Instant can't hold, some
// 292,000 years from the epoch, are held at its ends.
func FloorInstant(t time.Time) Instant {
	const last = (1<<63-1)/1_000_000 - 1 // leaves room for the fraction of a second
	sec := min(max(t.Unix(), -last), last)
	return Instant(sec*1_000_000 + int64(t.Nanosecond()/1000))
}

// Time returns i as a UTC time; the zero Time for the zero Instant.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i)).UTC()
}

// Add returns i moved by d, rounded up to a whole microsecond and held within
// (0, MaxInstant].
func (i Instant) Add(d time.Duration) Instant {
	us := int64(d / time.Microsecond)
	if d%time.Microsecond > 0 {
		us++
	}
	sum := min(max(i, -1<<62), 1<<62) + Instant(us) // can't overflow: us is under 1<<54
	return min(max(sum, 1), MaxInstant)
}

// Sub returns i − j, held within the range of time.Duration (292 years).
func (i Instant) Sub(j Instant) time.Duration {
	const limit = int64(1<<63-1) / 1000
	us := int64(i) - int64(j)
	switch {
	case i >= j && (us > limit || us < 0): // under 0 by overflow
		return 1<<63 - 1
	case i < j && (us < -limit || us > 0):
		return -1 << 63
	}
	return time.Duration(us) * time.Microsecond
}
