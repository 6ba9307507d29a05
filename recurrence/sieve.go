package recurrence

import "time"

// sieve is a rule with the occurrences of another that are not on excluded days. It
// looks at them one by one, and skips runs of excluded days.
type sieve struct {
	rule Rule
	days *Days
	zone
	open calendar // the days that are not excluded every year

	// From early on, and before late, clocks have a history and days particular
	// dates. At other times both repeat with the calendar.
	early, late int64
	reach       int64 // how long a search looks at such other times, in seconds

	every   time.Duration // between occurrences, if it is known
	limited bool          // the last occurrence is known
	last    time.Time     // zero if there is none at all
}

// sieveIntervals is how many intervals a search goes on for at least. It makes the
// search of a yearly one last for all time: such come to other dates within a thousand years.
const sieveIntervals = 10_000

func newSieve(rule Rule, days *Days, loc *time.Location) *sieve {
	s := &sieve{
		rule: rule, days: days, zone: zone{loc}, open: everyDay,
		early: midnight(yearStart(1800), 0), late: midnight(yearStart(settledYear), 0), reach: cycleSecs,
	}
	s.open.exclude(&Days{weekdays: days.weekdays, yearly: days.yearly})
	if n := len(days.spans); n > 0 {
		s.late = max(s.late, midnight(days.spans[n-1].last+3, 0))
	}
	if interval, ok := rule.(*IntervalRule); ok {
		s.every = interval.every
		s.reach = max(s.reach, sieveIntervals*int64(s.every/time.Second))
		s.last = s.Previous(dusk.Add(1))
		s.limited = true
	}
	return s
}

// Next returns the first occurrence strictly after an instant.
func (s *sieve) Next(after time.Time) time.Time {
	if s.limited && !after.Before(s.last) {
		return time.Time{}
	}
	t := s.rule.Next(after)
	for end := t.Unix() + s.reach; !t.IsZero(); {
		at := t.Unix()
		offset := s.offset(at)
		if !s.days.has(dayAt(at, offset)) {
			break
		}
		switch {
		case at >= s.early && at < s.late:
			end = at + s.reach
		case at <= end:
		case at < s.early:
			t = s.rule.Next(time.Unix(s.early, -1))
			continue
		default:
			return time.Time{}
		}
		t = s.after(t, offset)
	}
	return t
}

// Previous returns the last occurrence strictly before an instant.
func (s *sieve) Previous(before time.Time) time.Time {
	t := s.rule.Previous(before)
	for end := t.Unix() - s.reach; !t.IsZero(); {
		at := t.Unix()
		offset := s.offset(at)
		if !s.days.has(dayAt(at, offset)) {
			break
		}
		switch {
		case at >= s.early && at < s.late:
			end = at - s.reach
		case at >= end:
		case at >= s.late:
			t = s.rule.Previous(time.Unix(s.late, 0))
			continue
		default:
			return time.Time{}
		}
		t = s.before(t, offset)
	}
	return t
}

// after returns the first occurrence after t, which is on an excluded day, but for
// such as are on excluded days too.
func (s *sieve) after(t time.Time, offset int64) time.Time {
	at := t.Unix()
	switch {
	case s.every != 0 && s.onWeekday(at, offset):
		return s.afterWeekdays(t, offset)
	case s.every >= 24*time.Hour && !s.days.has(dayAt(at, 0)+1):
		return s.rule.Next(t) // there is no run to skip
	default:
		return s.afterRun(at, offset)
	}
}

func (s *sieve) before(t time.Time, offset int64) time.Time {
	at := t.Unix()
	switch {
	case s.every != 0 && s.onWeekday(at, offset):
		return s.beforeWeekdays(t, offset)
	case s.every >= 24*time.Hour && !s.days.has(dayAt(at, 0)-1):
		return s.rule.Previous(t)
	default:
		return s.beforeRun(at, offset)
	}
}

func (s *sieve) onWeekday(at, offset int64) bool {
	_, weekday := floorDiv(dayAt(at, offset)+thursday, 7)
	return s.days.weekdays>>weekday&1 != 0
}

// afterWeekdays skips those that are on excluded weekdays until the clocks change.
func (s *sieve) afterWeekdays(t time.Time, offset int64) time.Time {
	at, end := t.Unix(), s.end(t.Unix())
	skip, ok := weekSkip(t, offset, s.days.weekdays, s.every, false)
	if seconds, nanos, known := skip.split(); ok && known && (end == omega || seconds < end-at) {
		return s.rule.Next(time.Unix(at+seconds, int64(t.Nanosecond())+nanos-1))
	}
	return s.ruleFrom(end)
}

func (s *sieve) beforeWeekdays(t time.Time, offset int64) time.Time {
	at, start := t.Unix(), s.start(t.Unix())
	skip, ok := weekSkip(t, offset, s.days.weekdays, s.every, true)
	if seconds, nanos, known := skip.split(); ok && known && (start == alpha || seconds < at-start) {
		return s.rule.Previous(time.Unix(at-seconds, int64(t.Nanosecond())-nanos+1))
	}
	return s.ruleUpTo(start)
}

// afterRun skips the run of excluded days.
//
// A local date is less than two days off the date in UTC, so what lies two days within
// a run by UTC's calendar needs no look at the clocks. Else, days follow each other
// until the clocks change, and the run ends at a midnight.
func (s *sieve) afterRun(at, offset int64) time.Time {
	if day := dayAt(at, 0); s.days.has(day - 2) {
		if next := s.openFrom(day-2) - 2; next > day {
			return s.ruleFrom(midnight(next, 0))
		}
	}
	return s.ruleFrom(min(s.end(at), midnight(s.openFrom(dayAt(at, offset)), offset)))
}

func (s *sieve) beforeRun(at, offset int64) time.Time {
	if day := dayAt(at, 0); s.days.has(day + 2) {
		if next := s.openUpTo(day+2) + 2; next < day {
			return s.ruleUpTo(midnight(next+1, 0))
		}
	}
	return s.ruleUpTo(max(s.start(at), midnight(s.openUpTo(dayAt(at, offset))+1, offset)))
}

// ruleFrom and ruleUpTo return the first occurrence from an instant on, and the last
// before it, which need not be one of a time at all.
func (s *sieve) ruleFrom(at int64) time.Time {
	if at == omega {
		return time.Time{}
	}
	return s.rule.Next(time.Unix(at, -1))
}

func (s *sieve) ruleUpTo(at int64) time.Time {
	if at == alpha {
		return time.Time{}
	}
	return s.rule.Previous(time.Unix(at, 0))
}

// openFrom returns the first day from one on that is not excluded.
func (s *sieve) openFrom(day int64) int64 {
	for {
		if run, ok := s.days.span(day); ok {
			day = run.last + 1
		}
		next := s.openAround(day, (*walls).dayFrom)
		if _, ok := s.days.span(next); !ok {
			return next
		}
		day = next
	}
}

// openUpTo returns the last day up to one that is not excluded.
func (s *sieve) openUpTo(day int64) int64 {
	for {
		if run, ok := s.days.span(day); ok {
			day = run.first - 1
		}
		next := s.openAround(day, (*walls).dayUpTo)
		if _, ok := s.days.span(next); !ok {
			return next
		}
		day = next
	}
}

// openAround looks for a day that is not excluded every year. It does so in a cycle of
// the calendar that has enough of it before and after.
func (s *sieve) openAround(day int64, look func(w *walls, year, month, day int) (int64, bool)) int64 {
	cycle, rest := floorDiv(day, cycleDays)
	w := walls{calendar: &s.open}
	year, month, dayOfMonth := civilDate(rest + cycleDays)
	found, _ := look(&w, year, month, dayOfMonth)
	return found + (cycle-1)*cycleDays
}

// dayAt returns the date at a Unix second, as days since 1970-01-01, on a clock
// that is offset seconds ahead of UTC.
func dayAt(at, offset int64) int64 {
	day, _ := floorDiv(at+offset, daySecs)
	return day
}

// midnight is the reverse: the Unix second at which a day begins.
func midnight(day, offset int64) int64 { return day*daySecs - offset }
