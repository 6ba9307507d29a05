package recurrence

// The proleptic Gregorian calendar on integers. A day is counted from 1970-01-01,
// which is day 0; a wall time is what a clock on the wall shows, in seconds since it
// showed 1970-01-01 00:00:00, whatever its zone.

const (
	minute  = 60
	hour    = 60 * minute
	daySecs = 24 * hour

	minYear = 1970
	maxYear = 9999

	minWall = 0
	maxWall = 2932897*daySecs - 1 // 9999-12-31 23:59:59

	// The Gregorian calendar repeats itself, weekdays and all, after 400 years.
	cycleDays = 146097
	cycleSecs = cycleDays * daySecs

	thursday = 4 // the weekday of day 0, Sunday being 0
)

// floorDiv divides rounding down, and returns the remainder, which is not negative.
func floorDiv(a, b int64) (quotient, remainder int64) {
	quotient, remainder = a/b, a%b
	if remainder < 0 {
		return quotient - 1, remainder + b
	}
	return quotient, remainder
}

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// daysBefore returns how many days of a common year come before each month.
var daysBefore = [14]int{1: 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// yearStart returns the day of 1 January. The year is at least 1.
func yearStart(year int) int64 {
	y := int64(year - 1)
	return 365*y + y/4 - y/100 + y/400 - 719162
}

func monthLength(leap bool, month int) int {
	n := daysBefore[month+1] - daysBefore[month]
	if leap && month == 2 {
		n++
	}
	return n
}

// monthOffset returns how many days come before a month in its year.
func monthOffset(leap bool, month int) int {
	if leap && month > 2 {
		return daysBefore[month] + 1
	}
	return daysBefore[month]
}

// civilDate returns the date of a day that is not before 1970.
func civilDate(day int64) (year, month, dayOfMonth int) {
	year = minYear + int(day*400/146097) // or one too many, or one too few
	for yearStart(year) > day {
		year--
	}
	for yearStart(year+1) <= day {
		year++
	}
	rest := int(day - yearStart(year))
	month = rest/32 + 1 // or one too few
	if month < 12 && monthOffset(leap(year), month+1) <= rest {
		month++
	}
	return year, month, rest - monthOffset(leap(year), month) + 1
}

// yearKind is one of the 14 kinds of years: by the weekday of 1 January, and whether
// there is a 29 February. Years of a kind have the same calendar.
type yearKind uint8

const yearKinds = 14

func kindOf(year int) yearKind {
	kind := yearKind((yearStart(year) + thursday) % 7)
	if leap(year) {
		kind += 7
	}
	return kind
}

func (k yearKind) leap() bool { return k >= 7 }

// first returns the weekday of the first day of a month, 0 for Sunday.
func (k yearKind) first(month int) int {
	return (int(k)%7 + monthOffset(k.leap(), month)) % 7
}
