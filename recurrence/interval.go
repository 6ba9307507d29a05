package recurrence

import (
	"fmt"
	"math/bits"
	"time"
)

// IntervalRule is what [Every] makes.
type IntervalRule struct {
	every  time.Duration
	anchor time.Time
}

// Every returns a rule with an occurrence at anchor and at every whole multiple
// of d before and after it, from the year 1 to 9999, without a clock's changes or a
// rounding ever moving them. They are in anchor's time zone. The zero Time stands
// for the Unix epoch.
//
// Every panics if d is less than a millisecond, or if anchor is not of those
// years.
func Every(d time.Duration, anchor time.Time) *IntervalRule {
	if d < time.Millisecond {
		panic(fmt.Sprintf("recurrence: the interval is %v; it must be a millisecond or more", d))
	}
	if anchor.IsZero() {
		anchor = time.Unix(0, 0).UTC()
	}
	if anchor.Before(dawn) || anchor.After(dusk) {
		panic("recurrence: the anchor must be from the year 1 to 9999")
	}
	return &IntervalRule{d, anchor.Round(0)}
}

// Intervals have occurrences strictly after dawn and up to dusk. Dawn, the zero
// Time, can be none: it means that there is none.
var (
	dawn = time.Time{}
	dusk = time.Date(9999, time.December, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// Next returns the first occurrence strictly after an instant.
func (r *IntervalRule) Next(after time.Time) time.Time {
	if after.Before(dawn) {
		after = dawn
	}
	if !after.Before(dusk) {
		return time.Time{}
	}
	return r.occurrence(after.Add(r.every - sinceLast(after, r.anchor, r.every)))
}

// Previous returns the last occurrence strictly before an instant.
func (r *IntervalRule) Previous(before time.Time) time.Time {
	if before.After(dusk) {
		before = dusk.Add(1)
	}
	if !before.After(dawn) {
		return time.Time{}
	}
	back := sinceLast(before, r.anchor, r.every)
	if back == 0 {
		back = r.every
	}
	return r.occurrence(before.Add(-back))
}

func (r *IntervalRule) occurrence(t time.Time) time.Time {
	if !t.After(dawn) || t.After(dusk) {
		return time.Time{}
	}
	return t.Round(0).In(r.anchor.Location())
}

// sinceLast returns how long before t the last whole multiple of d from anchor
// is, from 0 up to d. The years 1 to 9999 are more nanoseconds than 64 bits hold,
// so it counts in 128.
func sinceLast(t, anchor time.Time, d time.Duration) time.Duration {
	if t.Before(anchor) {
		if rest := sinceLast(anchor, t, d); rest != 0 {
			return d - rest
		}
		return 0
	}
	sec, ns := t.Unix()-anchor.Unix(), t.Nanosecond()-anchor.Nanosecond()
	if ns < 0 {
		sec, ns = sec-1, ns+int(time.Second)
	}
	high, low := bits.Mul64(uint64(sec), uint64(time.Second))
	low, carry := bits.Add64(low, uint64(ns), 0)
	return time.Duration(bits.Rem64(high+carry, low, uint64(d)))
}
