package recurrence

import (
	"strings"
	"time"
)

// checkNever refuses a rule that has no occurrence at all.
func (p *parser) checkNever(r *CronRule) error {
	switch {
	case r.calendar.kinds == 0:
		return p.noDay(r)
	case !r.calendar.anyYear():
		return p.fail(yearField.name, word{r.year.text, r.year.pos}, "%s",
			"it would never fire: no day that the other fields name comes in such a year")
	}
	if r.setLimits(); r.first.IsZero() {
		return p.fail(hourField.name, word{r.hour.text, r.hour.pos},
			"it would never fire: the clocks of %s skip every time it names, and the gap policy is to skip it too", r.loc)
	}
	return nil
}

// noDay tells why no year has a day that a rule names.
func (p *parser) noDay(r *CronRule) error {
	byDay := r.calendar
	byDay.days.useWeek = false
	byDay.kinds = 0
	byDay.findKinds()
	day := word{r.day.text, r.day.pos}
	if r.calendar.days.useDay && byDay.kinds == 0 {
		return p.fail(dayField.name, day, "it would never fire: day of month %s never comes in %s",
			clip(r.day.text), monthNames(r.month.set))
	}
	if !r.calendar.days.useDay {
		return p.fail(weekdayField.name, word{r.weekday.text, r.weekday.pos},
			"it would never fire: day of week %s never comes in %s", clip(r.weekday.text), monthNames(r.month.set))
	}
	return p.fail(weekdayField.name, word{r.weekday.text, r.weekday.pos},
		"it would never fire: no day in %s is day of month %s and day of week %s at once",
		monthNames(r.month.set), clip(r.day.text), clip(r.weekday.text))
}

func monthNames(set uint64) string {
	var names []string
	for ; set != 0; set &= set - 1 {
		names = append(names, time.Month(lowest(set)).String())
	}
	return strings.Join(names, ", ")
}

// anyYear returns whether the calendar names any day.
func (c *calendar) anyYear() bool {
	s := walls{calendar: c}
	_, ok := s.dayFrom(minYear, 1, 1)
	return ok
}
