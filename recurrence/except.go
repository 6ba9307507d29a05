package recurrence

import "time"

// Except returns a rule with those occurrences of another that are not on one of
// the days, by the calendar of a time zone; nil is UTC.
//
// It skips runs of excluded days, however many occurrences are in them. When it has
// skipped some thousands of runs and found nothing between, which is more than the
// calendar needs to repeat itself, it takes it that no occurrence is left.
func Except(rule Rule, days Days, loc *time.Location) Rule {
	if loc == nil {
		loc = time.UTC
	}
	return &exceptRule{rule, days, loc}
}

type exceptRule struct {
	rule Rule
	days Days
	zone *time.Location
}

// maxSkips bounds the search. A run takes a skip, or a few where clocks change
// in it. If each week has one, 2500 are 48 years: days of the week come back to the
// same dates after 28, or over the end of a century after 40. Each span of dates may
// have runs of the other kinds beside it.
func (e *exceptRule) maxSkips() int { return 2500 + 4*len(e.days.spans) }

// Next returns the first occurrence strictly after an instant that is not on an
// excluded day.
func (e *exceptRule) Next(after time.Time) time.Time {
	t := e.rule.Next(after)
	for range e.maxSkips() {
		if t.IsZero() || !e.excludes(t) {
			return t
		}
		t = e.rule.Next(e.skip(t).Add(-1))
	}
	return time.Time{}
}

// Previous returns the last occurrence strictly before an instant that is not on
// an excluded day.
func (e *exceptRule) Previous(before time.Time) time.Time {
	t := e.rule.Previous(before)
	for range e.maxSkips() {
		if t.IsZero() || !e.excludes(t) {
			return t
		}
		t = e.rule.Previous(e.skipBack(t))
	}
	return time.Time{}
}

func (e *exceptRule) excludes(t time.Time) bool {
	at := t.Unix()
	return e.days.has(dayAt(at, zone{e.zone}.offset(at)))
}

// skip returns an instant after t, which is on an excluded day, with nothing but
// excluded days up to it.
//
// Until the clocks change, days follow each other, so the run of excluded days
// ends at a midnight. Clocks may be set back over one. But whatever they do, a local
// date is less than two days off the date in UTC, so what lies two days within the
// run by UTC's calendar needs no look at the clocks.
func (e *exceptRule) skip(t time.Time) time.Time {
	z, at := zone{e.zone}, t.Unix()
	offset, change := z.offset(at), z.end(at)
	target := midnight(e.days.runEnd(dayAt(at, offset))+1, offset)
	if target <= change {
		return time.Unix(target, 0)
	}
	if day := dayAt(at, 0); e.days.has(day - 2) {
		if last := e.days.runEnd(day-2) - 2; last >= day {
			return time.Unix(midnight(last+1, 0), 0)
		}
	}
	return time.Unix(change, 0)
}

// skipBack returns an instant up to t, which is on an excluded day, with nothing
// but excluded days from it on. See skip.
func (e *exceptRule) skipBack(t time.Time) time.Time {
	z, at := zone{e.zone}, t.Unix()
	offset, change := z.offset(at), z.start(at)
	target := midnight(e.days.runStart(dayAt(at, offset)), offset)
	if target >= change {
		return time.Unix(target, 0)
	}
	if day := dayAt(at, 0); e.days.has(day + 2) {
		if first := e.days.runStart(day+2) + 2; first <= day {
			return time.Unix(midnight(first, 0), 0)
		}
	}
	return time.Unix(change, 0)
}

// dayAt returns the date at a Unix second, as days since 1970-01-01, on a clock
// that is offset seconds ahead of UTC.
func dayAt(at, offset int64) int64 {
	day, _ := floorDiv(at+offset, daySecs)
	return day
}

// midnight is the reverse: the Unix second at which a day begins.
func midnight(day, offset int64) int64 { return day*daySecs - offset }
