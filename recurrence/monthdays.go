package recurrence

import "math/bits"

// dayBits is a set of days of one month: bit d for day d, from 1 to 31.
type dayBits = uint32

// monthDays finds the days of a month that the two day fields name.
type monthDays struct {
	rule     DayRule // DaysOr, DaysAnd or DaysQuartz
	useDay   bool    // the day of month takes part
	useWeek  bool    // the day of week takes part
	days     dayBits // plain days of the month
	weekdays uint8   // plain days of the week, bit 0 for Sunday
	special  []element
	weekly   []element // d#n and dL
}

func newMonthDays(rule DayRule, day, weekday *field) monthDays {
	m := monthDays{
		rule: rule, useDay: !day.star, useWeek: !weekday.star,
		days: dayBits(day.set), weekdays: uint8(weekday.set),
	}
	for _, e := range day.elements {
		if !e.form.plain() {
			m.special = append(m.special, e)
		}
	}
	for _, e := range weekday.elements {
		if !e.form.plain() {
			m.weekly = append(m.weekly, e)
		}
	}
	return m
}

// of returns the days that are named in a month of a kind of year.
func (m *monthDays) of(kind yearKind, month int) dayBits {
	length := monthLength(kind.leap(), month)
	whole := dayBits(1)<<(length+1) - 2
	first := kind.first(month)
	switch {
	case !m.useDay && !m.useWeek:
		return whole
	case !m.useWeek:
		return m.byDay(length, first) & whole
	case !m.useDay:
		return m.byWeekday(length, first) & whole
	case m.rule == DaysAnd:
		return m.byDay(length, first) & m.byWeekday(length, first) & whole
	default:
		return (m.byDay(length, first) | m.byWeekday(length, first)) & whole
	}
}

// byDay returns the days that the day of month names, and perhaps some after the
// month's end.
func (m *monthDays) byDay(length, first int) dayBits {
	set := m.days
	for _, e := range m.special {
		var day int
		switch e.form {
		case formLast:
			day = length - e.from
		case formLastWorkday:
			day = workdayNear(length, length, first)
		default: // formNearestWorkday
			day = workdayNear(e.from, length, first)
		}
		if day > 0 {
			set |= 1 << day
		}
	}
	return set
}

// workdayNear returns the day from Monday to Friday that is nearest to a day, in the
// same month; 0 if the month does not have the day.
func workdayNear(day, length, first int) int {
	if day > length {
		return 0
	}
	switch (first + day - 1) % 7 {
	case 6: // Saturday
		if day == 1 {
			return 3
		}
		return day - 1
	case 0: // Sunday
		if day == length {
			return day - 2
		}
		return day + 1
	default:
		return day
	}
}

// byWeekday returns the days that the day of week names, and perhaps some after the
// month's end.
func (m *monthDays) byWeekday(length, first int) dayBits {
	set := weekdayBits(m.weekdays, first)
	for _, e := range m.weekly {
		day := 1 + (e.from-first+7)%7 // the first such weekday
		if e.form == formNth {
			day += 7 * (e.nth - 1)
		} else {
			day += (length - day) / 7 * 7
		}
		if day <= length {
			set |= 1 << day
		}
	}
	return set
}

// weekdayBits returns the days from 1 to 31 of a month that are on some weekdays.
func weekdayBits(weekdays uint8, first int) dayBits {
	// The week as it begins in this month: bit i for the weekday of day i+1.
	week := (uint64(weekdays) | uint64(weekdays)<<7) >> first & 0x7f
	return dayBits((week | week<<7 | week<<14 | week<<21 | week<<28) << 1)
}

func lowest(set uint64) int  { return bits.TrailingZeros64(set) }
func highest(set uint64) int { return 63 - bits.LeadingZeros64(set) }

// bitsFrom and bitsUpTo narrow a set to the bits not below, and not above, bit n.
func bitsFrom(set uint64, n int) uint64 { return set >> n << n }
func bitsUpTo(set uint64, n int) uint64 { return set << (63 - n) >> (63 - n) }
