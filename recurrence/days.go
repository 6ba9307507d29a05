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
	weekdays uint8       // bit w for the time.Weekday w
	yearly   yearDays    // of every year
	spans    []daySpan   // ascending, with days between them
	years    []spannedOf // the years that spans have in part, ascending
	entries  []dayEntry  // as written
}

// yearDays are days of a year, by month.
type yearDays [13]dayBits

// daySpan is a run of dates, as days since 1970-01-01.
type daySpan struct{ first, last int64 }

// spannedOf are the days of one year that spans have.
type spannedOf struct {
	year int
	days yearDays
}

// add puts in the days of a month's date up to another, in the same year.
func (y *yearDays) add(month, day, lastMonth, lastDay int) {
	for ; month < lastMonth; month, day = month+1, 1 {
		y[month] |= bitsOf(day, 31)
	}
	y[month] |= bitsOf(day, lastDay)
}

// bitsOf returns the days from one to another.
func bitsOf(first, last int) dayBits { return dayBits(bitsFrom(bitsUpTo(1<<32-1, last), first)) }

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
	if _, ok := d.span(day); ok {
		return true
	}
	_, day = floorDiv(day, cycleDays)
	year, month, dayOfMonth := civilDate(day)
	return d.everyYear(kindOf(year), month)>>dayOfMonth&1 != 0
}

// everyYear returns the days of a month that the set has in every year of a kind.
func (d *Days) everyYear(kind yearKind, month int) dayBits {
	if d.weekdays == 0 {
		return d.yearly[month]
	}
	return d.yearly[month] | weekdayBits(d.weekdays, kind.first(month))
}

// spanned returns the days of a month that spans have.
func (d *Days) spanned(year, month int) dayBits {
	if len(d.spans) == 0 {
		return 0
	}
	i := sort.Search(len(d.years), func(i int) bool { return d.years[i].year >= year })
	if i < len(d.years) && d.years[i].year == year {
		return d.years[i].days[month]
	}
	if _, whole := d.span(yearStart(year)); whole {
		return bitsOf(1, 31)
	}
	return 0
}

// span returns the span that a day is in.
func (d *Days) span(day int64) (daySpan, bool) {
	i := sort.Search(len(d.spans), func(i int) bool { return d.spans[i].last >= day })
	if i == len(d.spans) || d.spans[i].first > day {
		return daySpan{}, false
	}
	return d.spans[i], true
}

// add puts an entry into the set; tidy has to follow.
func (d *Days) add(e dayEntry) {
	switch e.kind {
	case weekdayEntry:
		d.weekdays |= 1 << e.weekday
	case yearlyEntry:
		month, day := int(e.first.Month()), e.first.Day()
		if e.last.Before(e.first) { // the range goes over New Year
			d.yearly.add(month, day, 12, 31)
			month, day = 1, 1
		}
		d.yearly.add(month, day, int(e.last.Month()), e.last.Day())
	case datesEntry:
		d.spans = append(d.spans, daySpan{dateOf(e.first), dateOf(e.last)})
	}
	d.entries = append(d.entries, e)
}

// tidy sorts the spans, joins those without a day between them, and notes what they
// have of years.
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
	for _, s := range d.spans {
		d.note(s)
	}
}

// note adds a span to the years that it has in part: its first and its last at most.
func (d *Days) note(s daySpan) {
	year, month, day := civilDate(s.first)
	lastYear, lastMonth, lastDay := civilDate(s.last)
	if year == lastYear {
		d.partOf(year).add(month, day, lastMonth, lastDay)
		return
	}
	if s.first > yearStart(year) {
		d.partOf(year).add(month, day, 12, 31)
	}
	if s.last < yearStart(lastYear+1)-1 {
		d.partOf(lastYear).add(1, 1, lastMonth, lastDay)
	}
}

// partOf returns the days of a year, which is none before the last noted.
func (d *Days) partOf(year int) *yearDays {
	if n := len(d.years); n == 0 || d.years[n-1].year < year {
		d.years = append(d.years, spannedOf{year: year})
	}
	return &d.years[len(d.years)-1].days
}

// everyDay reports whether the set has all days that there are.
func (d *Days) everyDay() bool {
	rest := everyDay
	rest.exclude(d)
	return !rest.anyYear()
}

// leapYear is a year that has all days that a year can have.
const leapYear = 2000

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
