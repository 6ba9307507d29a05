package recurrence

import "time"

// Except returns a rule with those occurrences of another that are not on one of
// the days, by the calendar of a time zone; nil is UTC.
//
// Of a cron rule of the same zone, that is the date that its fields name, even where
// [GapAfter] makes up for it after midnight. Of other rules, it is the date of the
// occurrence.
//
// Except skips runs of excluded days, however many occurrences are in them. When 400
// years have had nothing else, and 10,000 intervals of an [IntervalRule], it takes
// it that no occurrence is left: the calendar has repeated itself by then. Years that
// have a history of clocks, or dates of their own among the days, do not count.
func Except(rule Rule, days Days, loc *time.Location) Rule {
	if loc == nil {
		loc = time.UTC
	}
	return &exceptRule{rule, days, loc, without(rule, &days, loc)}
}

type exceptRule struct {
	rule Rule
	days Days
	zone *time.Location // nil: that of each cron rule
	left Rule           // what is left of the rule
}

// Next returns the first occurrence strictly after an instant that is not on an
// excluded day.
func (e *exceptRule) Next(after time.Time) time.Time { return e.left.Next(after) }

// Previous returns the last occurrence strictly before an instant that is not on
// an excluded day.
func (e *exceptRule) Previous(before time.Time) time.Time { return e.left.Previous(before) }

// without excludes days from the rules that a rule is made of.
func without(rule Rule, days *Days, loc *time.Location) Rule {
	switch r := rule.(type) {
	case *CronRule:
		if loc == nil || loc == r.loc {
			return r.without(days)
		}
	case unionRule:
		left := make(unionRule, len(r))
		for i, part := range r {
			left[i] = without(part, days, loc)
		}
		return left
	case *boundRule:
		return Bound(without(r.rule, days, loc), r.start, r.end)
	case *timesRule:
		return without(&r.boundRule, days, loc)
	case *exceptRule:
		return without(r.left, days, loc)
	case *InstantsRule:
		return r.without(days, loc)
	}
	return newSieve(rule, days, loc)
}

func (r *InstantsRule) without(days *Days, loc *time.Location) *InstantsRule {
	left := make([]time.Time, 0, len(r.instants))
	for _, t := range r.instants {
		if !days.has(dayAt(t.Unix(), zone{loc}.offset(t.Unix()))) {
			left = append(left, t)
		}
	}
	return &InstantsRule{left}
}
