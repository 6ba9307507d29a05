package recurrence

import "time"

// CronRule is a cron expression in a time zone. [Cron] makes them.
//
// It names wall-clock times of the years 1970 to 9999, as the zone's clocks show
// them. What becomes of those that the clocks skip or show twice, the package comment
// says.
type CronRule struct {
	expr string         // as given
	loc  *time.Location // never nil
	days DayRule        // DaysOr, DaysAnd or DaysQuartz: the default is resolved
	gap  Gap            // in force: never GapDefault
	fold Fold           // in force: never FoldDefault
	pace pace

	second, minute, hour, day, month, weekday, year field

	calendar    calendar  // what the fields name
	first, last time.Time // the first occurrence of all, and the last
	limited     bool      // first and last are known
}

var utc = time.UTC

// pace is how a rule repeats, which decides what clock changes mean to it.
type pace uint8

const (
	fixed  pace = iota // at certain times of the day: one missed or doubled matters
	hourly             // at certain minutes of every hour: every real hour counts
	spaced             // repeats within the hour: follows the wall clock, whatever it does
)

// Cron reads a cron expression:
//
//	minute  hour  day-of-month  month  day-of-week
//	second  minute  hour  day-of-month  month  day-of-week
//	second  minute  hour  day-of-month  month  day-of-week  year
//
//	second, minute  0–59
//	hour            0–23
//	day of month    1–31, L the last day, L-3 three days before it, 15W the Monday to
//	                Friday nearest to the 15th in the same month, LW the last one
//	month           1–12, JAN–DEC
//	day of week     0–7, 0 and 7 for Sunday, SUN–SAT, FRI#2 the second Friday of the
//	                month, FRIL the last
//	year            1970–9999
//
// A month that has no 31st, no fifth Friday, or no 30th for 30W, is passed over. With
// [OnDays] of [DaysQuartz], and only then, days of the week are 1 for Sunday to 7 for
// Saturday, and L is Saturday.
//
// A field is one of these, or up to 100 of them with commas between:
//
//   - all; ? too, which stands alone and in the day fields asks for Quartz's rule
//     5         a value; names may be in small letters
//     5-10      a range; days of the week may wrap, as in FRI-MON
//     */5       every fifth from the lowest on; 10/5 from 10 on; 10-30/5 from 10 to 30
//     H         a value that follows from the Key, of days of the month 1–28
//     H(0-29)   the same, within a range
//     H/10      every tenth, from one of the first ten on, which the Key chooses;
//     H(0-29)/10 within a range
//
// H takes h xor h>>32, modulo the number of choices, where h is the 64-bit FNV-1a
// hash of the key, a slash and the field's name, such as "day of month". It never
// changes.
//
// The macros @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly
// stand for expressions. CRON_TZ=Europe/Berlin or TZ=Europe/Berlin may come first.
//
// An expression that names no date at all, such as 31 February, is refused, as is one
// whose every time its zone skips. Errors are of type [*ParseError].
func Cron(expr string, opts ...Option) (*CronRule, error) {
	p, body, err := newParser(expr, opts)
	if err != nil {
		return nil, err
	}
	r, err := p.cron(body)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// String returns the expression as it was given.
func (r *CronRule) String() string { return r.expr }

// fields returns the fields in the order of fieldKinds.
func (r *CronRule) fields() [7]*field {
	return [7]*field{&r.second, &r.minute, &r.hour, &r.day, &r.month, &r.weekday, &r.year}
}

// setPolicies decides what clock changes mean to the rule.
func (r *CronRule) setPolicies(gap Gap, fold Fold) {
	const everyHour = 1<<24 - 1
	defaultGap, defaultFold := GapSkip, FoldBoth
	switch {
	case r.second.repeats || r.minute.repeats:
		r.pace, gap, fold = spaced, GapSkip, FoldBoth
	case r.hour.set == everyHour:
		r.pace = hourly
	default:
		r.pace, defaultGap, defaultFold = fixed, GapAfter, FoldFirst
	}
	if gap == GapDefault {
		gap = defaultGap
	}
	if fold == FoldDefault {
		fold = defaultFold
	}
	r.gap, r.fold = gap, fold
}

func (r *CronRule) setCalendar() {
	r.calendar = calendar{
		seconds: r.second.set, minutes: r.minute.set, hours: r.hour.set, months: r.month.set,
		years: r.year.years(),
		days:  newMonthDays(r.days, &r.day, &r.weekday),
	}
	r.calendar.findKinds()
}
