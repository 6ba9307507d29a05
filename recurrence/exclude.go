package recurrence

import (
	"sort"
	"time"
)

// everyDay is the calendar of all days, at midnight.
var everyDay = calendar{seconds: 1, minutes: 1, hours: 1, months: 1<<13 - 2, kinds: 1<<yearKinds - 1}

// exclude takes days away from a calendar.
//
// What recurs each year makes some kinds of years barren. Dates of particular
// years make barren years of their own, which the calendar then leaves out as if its
// year field did. So a search never looks at more than one year with dates.
func (c *calendar) exclude(days *Days) {
	c.without = days
	left := c.kindDays()
	c.kinds = 0
	for kind := range left {
		if left[kind] != (yearDays{}) {
			c.kinds |= 1 << kind
		}
	}
	if len(days.spans) > 0 {
		c.years = c.yearsLeft(&left)
	}
}

// kindDays returns the days that the calendar names in years of each kind.
func (c *calendar) kindDays() (table [yearKinds]yearDays) {
	for kind := range yearKind(yearKinds) {
		for m := c.months; m != 0; m &= m - 1 {
			table[kind][lowest(m)] = c.everyYear(kind, lowest(m))
		}
	}
	return table
}

// yearsLeft returns the years that have a day which no span has, told what days
// there are in a year of each kind.
func (c *calendar) yearsLeft(left *[yearKinds]yearDays) []uint64 {
	years := make([]uint64, (maxYear-minYear)/64+1)
	set := func(year int) { years[(year-minYear)/64] |= 1 << ((year - minYear) % 64) }
	spans, parts := c.without.spans, c.without.years
	for year := minYear; year <= maxYear; year++ {
		kind := kindOf(year)
		if !c.hasYear(year) || c.kinds>>kind&1 == 0 {
			continue
		}
		for len(parts) > 0 && parts[0].year < year {
			parts = parts[1:]
		}
		for len(spans) > 0 && spans[0].last < yearStart(year) {
			spans = spans[1:]
		}
		switch {
		case len(parts) > 0 && parts[0].year == year:
			if !left[kind].within(&parts[0].days) {
				set(year)
			}
		case len(spans) == 0 || spans[0].first > yearStart(year):
			set(year)
		}
	}
	return years
}

// within returns whether all days are among others.
func (y *yearDays) within(others *yearDays) bool {
	for month, days := range y {
		if days&^others[month] != 0 {
			return false
		}
	}
	return true
}

// without returns a rule with the occurrences whose wall time is not of one of the
// days.
func (r *CronRule) without(days *Days) *CronRule {
	rest := *r
	rest.limited, rest.first, rest.last = false, time.Time{}, time.Time{}
	rest.calendar.exclude(days)
	rest.setLimits()
	return &rest
}

// particular returns whether dates of its own set a year apart from others of its
// kind.
func (c *calendar) particular(year int) bool {
	if c.without == nil {
		return false
	}
	i := sort.Search(len(c.without.years), func(i int) bool { return c.without.years[i].year >= year })
	return i < len(c.without.years) && c.without.years[i].year == year
}
