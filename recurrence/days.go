package recurrence

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"
)

// MaxDays is how many entries [ParseDays] takes.
const MaxDays = 1000

// Days is a set of dates of the calendar. The zero Days is empty.
type Days struct {
	weekdays uint8      // bit w for the time.Weekday w
	yearly   [13]uint32 // bit d of month m: every year
	spans    []daySpan  // ascending, with days between them
	entries  []dayEntry // as written
}

// daySpan is a run of dates, as days since 1970-01-01.
type daySpan struct{ first, last int64 }

// Has reports whether a date is in the set.
func (d Days) Has(year int, month time.Month, day int) bool {
	return d.has(dateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC)))
}

// dateOf returns the date of t, as its own zone has it, in days since 1970-01-01.
func dateOf(t time.Time) int64 {
	_, offset := t.Zone()
	return dayAt(t.Unix(), int64(offset))
}

func (d *Days) has(day int64) bool {
	date := time.Unix(midnight(day, 0), 0).UTC()
	if d.weekdays>>date.Weekday()&1 != 0 || d.yearly[date.Month()]>>date.Day()&1 != 0 {
		return true
	}
	_, ok := d.span(day)
	return ok
}

// span returns the span that a day is in.
func (d *Days) span(day int64) (daySpan, bool) {
	i := sort.Search(len(d.spans), func(i int) bool { return d.spans[i].last >= day })
	if i == len(d.spans) || d.spans[i].first > day {
		return daySpan{}, false
	}
	return d.spans[i], true
}

// runEnd returns the last of the days in the set that follow each other from day,
// which is one.
func (d *Days) runEnd(day int64) int64 {
	for {
		if s, ok := d.span(day); ok {
			day = s.last
		}
		_, after := d.monthAround(day)
		day += after
		if !d.has(day + 1) {
			return day
		}
		day++
	}
}

// runStart is runEnd backwards.
func (d *Days) runStart(day int64) int64 {
	for {
		if s, ok := d.span(day); ok {
			day = s.first
		}
		before, _ := d.monthAround(day)
		day -= before
		if !d.has(day - 1) {
			return day
		}
		day--
	}
}

// monthAround returns how many days there are before and after a day in its month,
// if every year has all of them in the set, else 0.
func (d *Days) monthAround(day int64) (before, after int64) {
	year, month, n := time.Unix(midnight(day, 0), 0).UTC().Date()
	length := monthLength(leap(year), int(month))
	absent := ^uint64(d.yearly[month])
	if bitsFrom(bitsUpTo(absent, n), 1) == 0 {
		before = int64(n - 1)
	}
	if bitsFrom(bitsUpTo(absent, length), n) == 0 {
		after = int64(length - n)
	}
	return before, after
}

// add puts an entry into the set; tidy has to follow.
func (d *Days) add(e dayEntry) {
	switch e.kind {
	case weekdayEntry:
		d.weekdays |= 1 << e.weekday
	case yearlyEntry:
		for t := e.first; ; t = t.AddDate(0, 0, 1) {
			if t.Year() > leapYear { // the range goes over New Year
				t = t.AddDate(-1, 0, 0)
			}
			d.yearly[t.Month()] |= 1 << t.Day()
			if t.Month() == e.last.Month() && t.Day() == e.last.Day() {
				break
			}
		}
	case datesEntry:
		d.spans = append(d.spans, daySpan{dateOf(e.first), dateOf(e.last)})
	}
	d.entries = append(d.entries, e)
}

// tidy sorts the spans and joins those without a day between them.
func (d *Days) tidy() {
	slices.SortFunc(d.spans, func(a, b daySpan) int { return cmp.Compare(a.first, b.first) })
	joined := d.spans[:0]
	for _, s := range d.spans {
		if n := len(joined); n > 0 && s.first <= joined[n-1].last+1 {
			joined[n-1].last = max(joined[n-1].last, s.last)
			continue
		}
		joined = append(joined, s)
	}
	d.spans = joined
}

// everyDay reports whether the set has all days that there are. Beside spans, it
// has if its weekdays or its days of the year are all: otherwise some day of the
// year falls on a weekday that is not among them, in one year or another.
func (d *Days) everyDay() bool {
	first := dateOf(time.Date(minYear, time.January, 1, 0, 0, 0, 0, time.UTC))
	last := dateOf(time.Date(maxYear, time.December, 31, 0, 0, 0, 0, time.UTC))
	return d.allWeekdays() || d.allYear() || d.has(first) && d.runEnd(first) >= last
}

func (d *Days) allWeekdays() bool { return d.weekdays == 1<<7-1 }

func (d *Days) allYear() bool {
	for t := range leapDays {
		if d.yearly[t.Month()]>>t.Day()&1 == 0 {
			return false
		}
	}
	return true
}

// leapYear is a year that has all days that a year can have.
const leapYear = 2000

// leapDays goes through its days.
func leapDays(yield func(time.Time) bool) {
	for day := 1; day <= 366; day++ {
		if !yield(time.Date(leapYear, time.January, day, 0, 0, 0, 0, time.UTC)) {
			return
		}
	}
}

// ParseDays reads a list of days:
//
//	2026-12-25               a date
//	2026-12-24..2027-01-01   all dates from one to another
//	12-25                    a date of every year
//	12-24..01-01             all dates of every year from one to another
//	sat                      a day of the week: sun, mon, tue, wed, thu, fri, sat
//
// The error names the first entry that is none of these. It is also an error if
// the list has more than [MaxDays] entries or all days that there are.
func ParseDays(entries []string) (Days, error) {
	days, faults := parseDays(entries)
	if len(faults) == 0 {
		return days, nil
	}
	f := faults[0]
	if f.entry < 0 {
		return Days{}, fmt.Errorf("recurrence: the list of days %s", f.reason)
	}
	return Days{}, fmt.Errorf("recurrence: entry %d of the list of days %s", f.entry+1, f.reason)
}
