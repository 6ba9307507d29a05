package recurrence

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The oracle decides by the definitions alone, minute by minute. It shares nothing
// with the engine: it reads expressions on its own, takes dates from package time, and
// finds changes of a zone's offset by looking at the offset.

// oracleRule is an expression as the oracle reads it: L, LW, nW, #, lists, ranges and
// steps, numbers only, Sunday being 0.
type oracleRule struct {
	expr                                            string
	second, minute, hour, day, month, weekday, year string
	seconds, minutes                                [60]bool
	hours                                           [24]bool
	days                                            DayRule
	gap                                             Gap
	fold                                            Fold
	bySecond                                        bool
	excluded                                        []string
}

func newOracleRule(expr string, days DayRule, gap Gap, fold Fold) *oracleRule {
	f := strings.Fields(expr)
	o := &oracleRule{expr: expr, days: days, gap: gap, fold: fold, second: "0", year: "*"}
	if len(f) > 5 {
		o.second, o.bySecond, f = f[0], true, f[1:]
	}
	if len(f) > 5 {
		o.year = f[5]
	}
	o.minute, o.hour, o.day, o.month, o.weekday = f[0], f[1], f[2], f[3], f[4]
	every := true
	for i := range 60 {
		o.seconds[i], o.minutes[i] = oracleHas(o.second, i, 0, 59), oracleHas(o.minute, i, 0, 59)
	}
	for i := range 24 {
		o.hours[i] = oracleHas(o.hour, i, 0, 23)
		every = every && o.hours[i]
	}
	defaultGap, defaultFold := GapAfter, FoldFirst
	if every {
		defaultGap, defaultFold = GapSkip, FoldBoth
	}
	if o.gap == GapDefault {
		o.gap = defaultGap
	}
	if o.fold == FoldDefault {
		o.fold = defaultFold
	}
	if strings.ContainsAny(o.second+o.minute, "*/") {
		o.gap, o.fold = GapSkip, FoldBoth
	}
	return o
}

// oracleHas returns whether the plain entries of a field name a value.
func oracleHas(field string, value, low, high int) bool {
	for entry := range strings.SplitSeq(field, ",") {
		if strings.ContainsAny(entry, "LW#") {
			continue
		}
		span, stepText, stepped := strings.Cut(entry, "/")
		step := 1
		if stepped {
			step, _ = strconv.Atoi(stepText)
		}
		first, last, ranged := strings.Cut(span, "-")
		a, b := low, high
		if span != "*" && span != "?" {
			a, _ = strconv.Atoi(first)
			switch {
			case ranged:
				b, _ = strconv.Atoi(last)
			case !stepped:
				b = a
			}
		}
		if a <= b && value >= a && value <= b && (value-a)%step == 0 {
			return true
		}
		if wrapped := value + 7; a > b && (value >= a && (value-a)%step == 0 || wrapped >= a && wrapped <= b+7 && (wrapped-a)%step == 0) {
			return true
		}
	}
	return false
}

func oracleStar(field string) bool { return field == "*" || field == "?" || field == "*/1" }

// date decides about a date by looking at the dates around it.
func (o *oracleRule) date(t time.Time) bool {
	if oracleExcludes(o.excluded, t) {
		return false
	}
	if !oracleHas(o.month, int(t.Month()), 1, 12) || !oracleHas(o.year, t.Year(), 1970, 9999) || t.Year() < 1970 || t.Year() > 9999 {
		return false
	}
	byDay := oracleHas(o.day, t.Day(), 1, 31) || oracleSpecialDay(o.day, t)
	byWeekday := oracleHas(o.weekday, int(t.Weekday()), 0, 6) || oracleSpecialWeekday(o.weekday, t)
	switch {
	case oracleStar(o.day):
		return byWeekday
	case oracleStar(o.weekday):
		return byDay
	case o.days == DaysAnd:
		return byDay && byWeekday
	default:
		return byDay || byWeekday
	}
}

func oracleSpecialDay(field string, t time.Time) bool {
	for entry := range strings.SplitSeq(field, ",") {
		switch {
		case entry == "LW":
			if !workday(t) {
				continue
			}
			later := t.AddDate(0, 0, 1)
			for later.Month() == t.Month() && !workday(later) {
				later = later.AddDate(0, 0, 1)
			}
			if later.Month() != t.Month() {
				return true
			}
		case strings.HasPrefix(entry, "L"):
			n, _ := strconv.Atoi(strings.TrimPrefix(entry[1:], "-"))
			end := t.AddDate(0, 0, n)
			if end.Month() == t.Month() && end.AddDate(0, 0, 1).Month() != t.Month() {
				return true
			}
		case strings.HasSuffix(entry, "W"):
			n, _ := strconv.Atoi(entry[:len(entry)-1])
			aim := time.Date(t.Year(), t.Month(), n, 0, 0, 0, 0, time.UTC)
			if aim.Month() != t.Month() {
				continue
			}
			for _, off := range []int{0, -1, 1, -2, 2} { // nearest first
				if near := aim.AddDate(0, 0, off); near.Month() == t.Month() && workday(near) {
					if near.Day() == t.Day() {
						return true
					}
					break
				}
			}
		}
	}
	return false
}

func workday(t time.Time) bool { return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday }

func oracleSpecialWeekday(field string, t time.Time) bool {
	for entry := range strings.SplitSeq(field, ",") {
		if day, nth, ok := strings.Cut(entry, "#"); ok {
			d, _ := strconv.Atoi(day)
			n, _ := strconv.Atoi(nth)
			if int(t.Weekday()) == d && (t.Day()+6)/7 == n {
				return true
			}
		} else if day, ok := strings.CutSuffix(entry, "L"); ok {
			d, _ := strconv.Atoi(day)
			if int(t.Weekday()) == d && t.AddDate(0, 0, 7).Month() != t.Month() {
				return true
			}
		}
	}
	return false
}

// window is a stretch of instants of a zone, stepped through once for many rules.
type window struct {
	from, to int64
	step     int64
	clocks   []wallClock
	dates    []time.Time // those that the clocks show, in UTC
	changes  []change
}

type wallClock struct{ date, hour, minute, second uint8 }

type change struct{ at, old, new int64 }

// newWindow steps through a window. Windows of minutes become windows of seconds
// where the zone is off by odd seconds.
func newWindow(loc *time.Location, from, to, step int64) *window {
	w := &window{from: from, to: to, step: step}
	last := offsetOf(loc, from-4*86400)
	for at := from - 4*86400; at <= to+4*86400; at += 60 {
		now := offsetOf(loc, at)
		if now != last {
			exact := at - 59
			for offsetOf(loc, exact) == last {
				exact++
			}
			w.changes = append(w.changes, change{exact, last, now})
		}
		if now%60 != 0 || last%60 != 0 {
			w.step = 1
		}
		last = now
	}
	for at := from; at < to; at += w.step {
		t := time.Unix(at, 0).In(loc)
		hour, minute, second := t.Clock()
		w.clocks = append(w.clocks, wallClock{w.date(t), uint8(hour), uint8(minute), uint8(second)})
	}
	return w
}

func offsetOf(loc *time.Location, at int64) int64 {
	_, offset := time.Unix(at, 0).In(loc).Zone()
	return int64(offset)
}

func (w *window) date(t time.Time) uint8 {
	year, month, day := t.Date()
	for i, d := range w.dates {
		if d.Day() == day && d.Month() == month && d.Year() == year {
			return uint8(i)
		}
	}
	w.dates = append(w.dates, time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	return uint8(len(w.dates) - 1)
}

// occurrences returns those of a rule in the window.
func (w *window) occurrences(o *oracleRule) []int64 {
	dates := make([]bool, len(w.dates))
	for i, d := range w.dates {
		dates[i] = o.date(d)
	}
	var found []int64
	for i, c := range w.clocks {
		if o.minutes[c.minute] && o.hours[c.hour] && o.seconds[c.second] && dates[c.date] {
			if at := w.from + int64(i)*w.step; w.kept(o, at) {
				found = append(found, at)
			}
		}
	}
	for _, c := range w.changes {
		if o.gap == GapAfter && c.new > c.old && c.at >= w.from && c.at < w.to && w.skipped(o, c) {
			found = append(found, c.at)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// kept returns whether an instant whose wall time matches counts: whether the same wall
// time comes in a neighbouring span, and which of the two the policy wants.
func (w *window) kept(o *oracleRule, at int64) bool {
	for i, c := range w.changes {
		by := c.old - c.new
		if by <= 0 {
			continue
		}
		begins, ends := int64(-1<<62), int64(1<<62) // of the span before and the span after
		if i > 0 {
			begins = w.changes[i-1].at
		}
		if i+1 < len(w.changes) {
			ends = w.changes[i+1].at
		}
		if o.fold == FoldFirst && at >= c.at && at < ends && at-by < c.at && at-by >= begins {
			return false
		}
		if o.fold == FoldSecond && at < c.at && at >= begins && at+by >= c.at && at+by < ends {
			return false
		}
	}
	return true
}

// skipped returns whether the wall times of a gap hold one of the rule.
func (w *window) skipped(o *oracleRule, c change) bool {
	for wall := c.at + c.old; wall < c.at+c.new; wall++ {
		t := time.Unix(wall, 0).UTC()
		if o.seconds[t.Second()] && o.minutes[t.Minute()] && o.hours[t.Hour()] && o.date(t) {
			return true
		}
	}
	return false
}
