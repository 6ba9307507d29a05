package recurrence

import "math"

// walls looks for wall times in a calendar, and counts its steps.
type walls struct {
	*calendar

	barren uint16 // kinds of years that are known to have no occurrence from settledYear on
	steps  int    // years and months looked at
}

// settledYear is when every zone has come to the end of its history and follows a
// yearly rule, so that years of one kind are alike.
const settledYear = 2100

const (
	noneAfter  = math.MaxInt64 // there is no wall time after it
	noneBefore = math.MinInt64 // there is no wall time before it
)

// next returns the first wall time of the calendar at or after one.
func (s *walls) next(wall int64) int64 {
	if wall > maxWall {
		return noneAfter
	}
	day, clock := floorDiv(max(wall, minWall), daySecs)
	year, month, dayOfMonth := civilDate(day)
	if s.hasDay(year, month, dayOfMonth) {
		if at, ok := s.clockFrom(clock); ok {
			return day*daySecs + at
		}
	}
	if day, ok := s.dayFrom(year, month, dayOfMonth+1); ok {
		return day*daySecs + s.firstClock()
	}
	return noneAfter
}

// previous returns the last wall time of the calendar at or before one.
func (s *walls) previous(wall int64) int64 {
	if wall < minWall {
		return noneBefore
	}
	day, clock := floorDiv(min(wall, maxWall), daySecs)
	year, month, dayOfMonth := civilDate(day)
	if s.hasDay(year, month, dayOfMonth) {
		if at, ok := s.clockUpTo(clock); ok {
			return day*daySecs + at
		}
	}
	if day, ok := s.dayUpTo(year, month, dayOfMonth-1); ok {
		return day*daySecs + s.lastClock()
	}
	return noneBefore
}

func (s *walls) hasDay(year, month, dayOfMonth int) bool {
	return s.tryYear(year) && s.months>>month&1 != 0 &&
		s.in(year, month)>>dayOfMonth&1 != 0
}

// tryYear returns whether a year may have an occurrence.
func (s *walls) tryYear(year int) bool {
	s.steps++
	kinds := s.kinds
	if year >= settledYear {
		kinds &^= s.barren
	}
	return s.hasYear(year) && kinds>>kindOf(year)&1 != 0
}

// spent returns whether no kind of year is left that may have an occurrence.
func (s *walls) spent() bool { return s.kinds&^s.barren == 0 }

// dayFrom returns the first day of the calendar at or after a date, whose day may be
// one past the month's end.
func (s *walls) dayFrom(year, month, dayOfMonth int) (day int64, ok bool) {
	for first := year; ; year++ {
		if year = s.yearFrom(year); year > maxYear || year >= settledYear && s.spent() {
			return 0, false
		}
		if year > first {
			month, dayOfMonth = 1, 1
		}
		if !s.tryYear(year) {
			continue
		}
		for set := bitsFrom(s.months, month); set != 0; set &= set - 1 {
			s.steps++
			if lowest(set) != month {
				month, dayOfMonth = lowest(set), 1
			}
			if days := bitsFrom(uint64(s.in(year, month)), dayOfMonth); days != 0 {
				return dayNumber(year, month, lowest(days)), true
			}
		}
	}
}

// dayUpTo returns the last day of the calendar at or before a date, whose day may be 0.
func (s *walls) dayUpTo(year, month, dayOfMonth int) (day int64, ok bool) {
	for last := year; ; year-- {
		if year >= settledYear && s.spent() {
			year = settledYear - 1
		}
		if year = s.yearUpTo(year); year < minYear {
			return 0, false
		}
		if year < last {
			month, dayOfMonth = 12, 31
		}
		if !s.tryYear(year) {
			continue
		}
		for set := bitsUpTo(s.months, month); set != 0; set &^= 1 << month {
			s.steps++
			if highest(set) != month {
				month, dayOfMonth = highest(set), 31
			}
			if days := bitsUpTo(uint64(s.in(year, month)), dayOfMonth); days != 0 {
				return dayNumber(year, month, highest(days)), true
			}
		}
	}
}

func dayNumber(year, month, dayOfMonth int) int64 {
	return yearStart(year) + int64(monthOffset(leap(year), month)+dayOfMonth-1)
}
