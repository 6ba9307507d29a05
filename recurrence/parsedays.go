package recurrence

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// dayEntry is one entry of a list of days, read.
type dayEntry struct {
	kind        dayKind
	weekday     time.Weekday
	first, last time.Time // in UTC; of leapYear if they mean every year
}

type dayKind uint8

const (
	weekdayEntry dayKind = iota
	yearlyEntry
	datesEntry
)

// dayFault is what is wrong with an entry, from 0, or with the list: -1.
type dayFault struct {
	entry  int
	reason string
}

// parseDays reads a list of days and reports all that is wrong with it.
func parseDays(entries []string) (days Days, faults []dayFault) {
	if len(entries) > MaxDays {
		return days, []dayFault{{-1, fmt.Sprintf("can have %d entries at most, got %d", MaxDays, len(entries))}}
	}
	for i, text := range entries {
		entry, reason := parseDay(text)
		if reason != "" {
			faults = append(faults, dayFault{i, reason})
			continue
		}
		days.add(entry)
	}
	days.tidy()
	if len(faults) == 0 && days.everyDay() {
		faults = append(faults, dayFault{-1, "has all days that there are: nothing would ever happen"})
	}
	return days, faults
}

// parseDay reads one entry, or says why not.
func parseDay(text string) (entry dayEntry, reason string) {
	if i := slices.Index(weekdayNames, strings.ToLower(text)); i >= 0 {
		return dayEntry{kind: weekdayEntry, weekday: time.Weekday(i)}, ""
	}
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		to = from
	}
	first, kind, ok := parseDate(from)
	last, lastKind, lastOK := parseDate(to)
	switch {
	case !ok || !lastOK:
		return entry, fmt.Sprintf("must be a date of the calendar, as in 2026-12-25 or, for every year, 12-25, two of them with .. between, or one of %s; got %q",
			strings.Join(weekdayNames, " "), clip(text))
	case kind != lastKind:
		return entry, fmt.Sprintf("must have the year in both dates or in none, got %q", clip(text))
	case kind == datesEntry && last.Before(first):
		return entry, fmt.Sprintf("must not end before it begins, got %q", clip(text))
	}
	return dayEntry{kind: kind, first: first, last: last}, ""
}

var weekdayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// parseDate reads a date with or without a year.
func parseDate(s string) (date time.Time, kind dayKind, ok bool) {
	kind = datesEntry
	if len(s) == len("12-25") {
		s, kind = fmt.Sprintf("%d-%s", leapYear, s), yearlyEntry
	}
	date, err := time.Parse(time.DateOnly, s)
	return date, kind, err == nil && date.Year() >= minYear
}
