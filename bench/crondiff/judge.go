package main

import "time"

// judge returns the first occurrence after an instant, found by stepping through
// the minutes and nothing else, or limit if there is none before it. It goes by
// the defaults of recurrence: of a fixed time that clocks skip, once at the first
// instant after; of one that they show twice, the first; of all else, what the
// clock shows.
//
// It is for zones whose offsets are whole minutes.
func judge(e expression, after, limit time.Time) time.Time {
	last := after.Truncate(time.Minute).Add(-26 * time.Hour) // to know what clocks have shown already
	shown := wallOf(last)
	for last.Before(limit) {
		at := last.Add(stride(e, last))
		wall := wallOf(at)
		if at.After(after) && occurs(e, wallOf(last), wall, shown, at.Sub(last)) {
			return at
		}
		if wall.After(shown) {
			shown = wall
		}
		last = at
	}
	return limit
}

// occurs reports whether e has an occurrence at the end of a step of real time,
// over which the wall clock moved from one time to another, the latest that it
// had shown being shown.
func occurs(e expression, from, to, shown time.Time, step time.Duration) bool {
	if e.matches(to) && (!e.fixed() || to.After(shown)) {
		return true
	}
	if !e.fixed() {
		return false
	}
	for skipped := from.Add(step); skipped.Before(to); skipped = skipped.Add(time.Minute) {
		if skipped.After(shown) && e.matches(skipped) {
			return true
		}
	}
	return false
}

// stride is how far judge may step without passing over anything: a minute, or an
// hour in which neither the date nor the offset changes, if e does not name the
// date.
func stride(e expression, at time.Time) time.Duration {
	later := at.Add(time.Hour)
	_, before := at.Zone()
	_, after := later.Zone()
	if before == after && at.Day() == later.Day() && !e.matchesDate(at) {
		return time.Hour
	}
	return time.Minute
}

// wallOf returns what the clock shows, as an instant of UTC: such times can be
// subtracted and compared as the clock's face would be.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}
