package recurrence

import (
	"math"
	"time"
)

// zone answers what the clocks of a place do. Its instants are Unix seconds.
//
// A span is a stretch of time of constant offset from UTC. Two neighbours may have
// the same offset: a zone may change its name only, and package time ends the spans
// of recent years with the year.
type zone struct{ loc *time.Location }

// maxOffset is more than any zone is off UTC, either way, in seconds. RFC 8536 has
// under 26 hours.
const maxOffset = 27 * hour

const (
	alpha = math.MinInt64 // the start of a zone's first span
	omega = math.MaxInt64 // the end of its last
)

func (z zone) offset(at int64) int64 {
	_, seconds := time.Unix(at, 0).In(z.loc).Zone()
	return int64(seconds)
}

// end returns an instant after one, such that the offset is the same until then.
func (z zone) end(at int64) int64 {
	_, end := time.Unix(at, 0).In(z.loc).ZoneBounds()
	switch {
	case end.IsZero():
		return omega
	case end.Unix() > at:
		return end.Unix()
	default: // package time leaves the last day of a leap year out
		day, _ := floorDiv(at, daySecs)
		return (day + 1) * daySecs
	}
}

// start returns the first instant at or before one, such that the offset is the same
// since then.
func (z zone) start(at int64) int64 {
	bound, _ := time.Unix(at, 0).In(z.loc).ZoneBounds()
	if bound.IsZero() {
		return alpha
	}
	// Package time may go back past the last change that the zone's data list,
	// into the time of another offset.
	start := bound.Unix()
	for end := z.end(start); end <= at; end = z.end(start) {
		start = end
	}
	return start
}

// changeBefore returns the last change of the offset at or before an instant and
// after another, and the offset before the change. It is told the offset at the
// instant.
func (z zone) changeBefore(at, offset, limit int64) (change, old int64, ok bool) {
	for start := z.start(at); start > limit; start = z.start(start - 1) {
		if old := z.offset(start - 1); old != offset {
			return start, old, true
		}
	}
	return 0, 0, false
}

// changeAfter returns the first change of the offset after an instant and at or
// before another, and the offset after the change. It is told the offset at the first.
func (z zone) changeAfter(at, offset, limit int64) (change, after int64, ok bool) {
	for end := z.end(at); end <= limit; end = z.end(end) {
		if after := z.offset(end); after != offset {
			return end, after, true
		}
	}
	return 0, 0, false
}
