package recurrence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// describe says when, on which days, in which years, in which zone, and what clock
// changes mean.
func (r *CronRule) describe() string {
	return r.timesInWords() + r.daysInWords() + r.yearsInWords() + ", in " + r.loc.String() + r.hashInWords() + r.changesInWords()
}

// fewTimes is how many times of the day are listed one by one.
const fewTimes = 6

func (r *CronRule) timesInWords() string {
	seconds, minutes, hours := members(r.second.set), members(r.minute.set), members(r.hour.set)
	switch {
	case len(seconds) > 1:
		return manySeconds(seconds, minutes, hours)
	case len(minutes)*len(hours) <= fewTimes:
		return "at " + timesOfDay(hours, minutes, seconds[0])
	case len(minutes) == 1:
		return manyHours(hours, minutes[0], seconds[0])
	}
	return manyMinutes(minutes, hours) + atSecond(seconds[0])
}

func timesOfDay(hours, minutes []int, second int) string {
	var words []string
	for _, h := range hours {
		for _, m := range minutes {
			words = append(words, timeOfDay(h, m, second))
		}
	}
	return enumerate(words)
}

// timeOfDay writes 09:05, or 09:05:30.
func timeOfDay(hour, minute, second int) string {
	if second == 0 {
		return fmt.Sprintf("%02d:%02d", hour, minute)
	}
	return fmt.Sprintf("%02d:%02d:%02d", hour, minute, second)
}

func atSecond(second int) string {
	if second == 0 {
		return ""
	}
	return ", at second " + strconv.Itoa(second)
}

// manyHours is for one minute in many hours.
func manyHours(hours []int, minute, second int) string {
	step, first, last := stepOf(hours), hours[0], hours[len(hours)-1]
	switch {
	case len(hours) == 24 && minute == 0:
		return "every hour" + atSecond(second)
	case len(hours) == 24:
		return "every hour at minute " + strconv.Itoa(minute) + atSecond(second)
	case step == 1:
		return "every hour from " + timeOfDay(first, minute, second) + " to " + timeOfDay(last, minute, second)
	case step > 1:
		return fmt.Sprintf("every %d hours from %s to %s", step, timeOfDay(first, minute, second), timeOfDay(last, minute, second))
	}
	return "at minute " + strconv.Itoa(minute) + " of hours " + spell(hours, twoDigits) + atSecond(second)
}

// manyMinutes is for several minutes in one or more hours.
func manyMinutes(minutes, hours []int) string {
	text, whole := cycle(minutes, "minute")
	first, last := hours[0], hours[len(hours)-1]
	switch {
	case len(hours) == 24 && whole:
		return text
	case len(hours) == 24:
		return text + " of every hour"
	case whole && last-first == len(hours)-1:
		return text + " from " + timeOfDay(first, minutes[0], 0) + " to " + timeOfDay(last, minutes[len(minutes)-1], 0)
	}
	return text + ofHours(hours)
}

// manySeconds is for several seconds in one or more minutes.
func manySeconds(seconds, minutes, hours []int) string {
	text, whole := cycle(seconds, "second")
	switch {
	case len(minutes) < 60:
		text += " of minute" + plural(minutes) + " " + spell(minutes, strconv.Itoa)
	case !whole:
		text += " of every minute"
	}
	switch {
	case len(hours) < 24:
		text += ofHours(hours)
	case len(minutes) < 60:
		text += " of every hour"
	}
	return text
}

func ofHours(hours []int) string { return " of hour" + plural(hours) + " " + spell(hours, twoDigits) }

func plural(values []int) string {
	if len(values) == 1 {
		return ""
	}
	return "s"
}

// cycle writes minutes or seconds. Whole says that they go round the clock in
// equal steps, so that "every 15 minutes" says it all.
func cycle(values []int, unit string) (text string, whole bool) {
	const turn = 60
	step, first := stepOf(values), values[0]
	switch {
	case step == 0 || step*len(values) != turn:
		return fmt.Sprintf("at %s%s %s", unit, plural(values), spell(values, strconv.Itoa)), false
	case step == 1:
		return "every " + unit, true
	case first == 0:
		return fmt.Sprintf("every %d %ss", step, unit), true
	}
	return fmt.Sprintf("every %d %[2]ss, at %[2]ss %[3]s", step, unit, spell(values, strconv.Itoa)), true
}

// daysInWords says what months and the two day fields select, and how they work
// together.
func (r *CronRule) daysInWords() string {
	day, weekday := !r.day.star, !r.weekday.star
	everyHour := len(members(r.hour.set)) == 24
	switch {
	case day && weekday && r.days == DaysAnd:
		return r.bothDays(", and ", ": both must hold")
	case day && weekday:
		return r.bothDays(", or ", ": either is enough")
	case day:
		return " on " + r.monthDaysInWords() + " of " + r.monthInWords("the month")
	case weekday:
		return " on " + r.weekdaysInWords(r.monthInWords(""))
	case r.everyMonth() && everyHour:
		return ""
	case r.everyMonth():
		return " every day"
	case everyHour:
		return " in " + r.monthInWords("")
	}
	return " every day of " + r.monthInWords("")
}

func (r *CronRule) bothDays(and, verdict string) string {
	text := " "
	if !r.everyMonth() {
		text = " in " + r.monthInWords("") + ", "
	}
	weekdays := r.weekdaysInWords("")
	if values := members(r.weekday.set); len(values) == 1 && len(r.weekday.elements) == 1 {
		weekdays = "a " + weekdays
	}
	return text + "on " + r.monthDaysInWords() + " of the month" + and + "on " + weekdays + verdict
}

func (r *CronRule) everyMonth() bool { return len(members(r.month.set)) == 12 }

// monthInWords names the months, or calls them all every.
func (r *CronRule) monthInWords(every string) string {
	if r.everyMonth() {
		return every
	}
	return spell(members(r.month.set), func(n int) string { return time.Month(n).String() })
}

func (r *CronRule) monthDaysInWords() string {
	var words []string
	if values := members(r.day.set); len(values) > 0 {
		words = append(words, "the "+spell(values, ordinal))
	}
	for _, e := range r.day.elements {
		switch e.form {
		case formLast:
			words = append(words, lastDay(e.from))
		case formLastWorkday:
			words = append(words, "the last workday (Monday to Friday)")
		case formNearestWorkday:
			words = append(words, "the workday (Monday to Friday) nearest to the "+ordinal(e.from))
		default: // a plain value, in the set
		}
	}
	return strings.Join(words, ", and ")
}

func lastDay(before int) string {
	if before == 0 {
		return "the last day"
	}
	return "the last day but " + strconv.Itoa(before)
}

// weekdaysInWords names the days of the week. Of which months they are is said
// for them if it is not said elsewhere.
func (r *CronRule) weekdaysInWords(months string) string {
	words, counted := []string{}, false
	if values := members(r.weekday.set); len(values) > 0 {
		words = append(words, spell(fromMonday(values), weekdayName))
	}
	for _, e := range r.weekday.elements {
		switch e.form {
		case formNth:
			words = append(words, "the "+nth(e.nth)+" "+weekdayName(e.from))
		case formLastOf:
			words = append(words, "the last "+weekdayName(e.from))
		default: // a plain value, in the set
			continue
		}
		counted = true
	}
	switch text := enumerate(words); {
	case months != "" && counted:
		return text + " of " + months
	case months != "":
		return text + " in " + months
	case counted:
		return text + " of the month"
	default:
		return text
	}
}

func weekdayName(n int) string { return time.Weekday(n % 7).String() }

// fromMonday puts Sunday last, so that Saturday and Sunday stand together.
func fromMonday(weekdays []int) []int {
	if weekdays[0] == 0 {
		weekdays = append(slices.Clone(weekdays[1:]), 7)
	}
	return weekdays
}

func (r *CronRule) yearsInWords() string {
	if r.year.star || !r.year.given {
		return ""
	}
	var years []int
	for _, e := range r.year.elements {
		for y := e.from; y <= e.to; y += e.step {
			years = append(years, y)
		}
	}
	slices.Sort(years)
	return ", in " + spell(slices.Compact(years), strconv.Itoa)
}

// hashInWords says that a key had its say.
func (r *CronRule) hashInWords() string {
	for _, f := range []field{r.second, r.minute, r.hour, r.day, r.month, r.weekday, r.year} {
		if slices.ContainsFunc(f.elements, func(e element) bool { return e.hashed }) {
			return " (what H stands for was chosen by the key)"
		}
	}
	return ""
}

// changesInWords says what happens when the clocks change, where they do.
func (r *CronRule) changesInWords() string {
	recent := time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	if _, change := recent.In(r.loc).ZoneBounds(); change.IsZero() {
		return ""
	}
	switch {
	case r.pace == spaced:
		return "; when clocks change it follows them and keeps its steps"
	case r.pace == hourly && r.gap == GapSkip && r.fold == FoldBoth:
		return "; when clocks change it keeps to every real hour"
	}
	forward, back := "at the first moment after", "at both passes"
	if r.gap == GapSkip {
		forward = "not at all"
	}
	switch r.fold {
	case FoldFirst:
		back = "at the first pass"
	case FoldSecond:
		back = "at the second pass"
	default:
	}
	return "; when clocks go forward over it: " + forward + "; when they go back over it: " + back
}
