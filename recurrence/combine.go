package recurrence

import (
	"fmt"
	"time"
)

// Union returns a rule with the occurrences of all rules. What several of them
// name is one occurrence.
func Union(rules ...Rule) Rule {
	return unionRule(append([]Rule(nil), rules...))
}

type unionRule []Rule

// Next returns the first of what the rules say.
func (u unionRule) Next(after time.Time) time.Time {
	return u.choose(func(r Rule) time.Time { return r.Next(after) }, time.Time.Before)
}

// Previous returns the last of what the rules say.
func (u unionRule) Previous(before time.Time) time.Time {
	return u.choose(func(r Rule) time.Time { return r.Previous(before) }, time.Time.After)
}

func (u unionRule) choose(ask func(Rule) time.Time, better func(t, u time.Time) bool) (best time.Time) {
	for _, r := range u {
		if t := ask(r); best.IsZero() || !t.IsZero() && better(t, best) {
			best = t
		}
	}
	return best
}

// Bound returns a rule with the occurrences t of another for which start <= t <
// end. A zero start or end is no bound.
func Bound(rule Rule, start, end time.Time) Rule {
	return &boundRule{rule, start, end}
}

type boundRule struct {
	rule       Rule
	start, end time.Time
}

// Next returns the first occurrence strictly after an instant and within the
// bounds.
func (b *boundRule) Next(after time.Time) time.Time {
	if !b.start.IsZero() && after.Before(b.start) {
		after = b.start.Add(-1)
	}
	t := b.rule.Next(after)
	if !b.end.IsZero() && !t.Before(b.end) {
		return time.Time{}
	}
	return t
}

// Previous returns the last occurrence strictly before an instant and within the
// bounds.
func (b *boundRule) Previous(before time.Time) time.Time {
	if !b.end.IsZero() && before.After(b.end) {
		before = b.end
	}
	t := b.rule.Previous(before)
	if t.Before(b.start) {
		return time.Time{}
	}
	return t
}

// MaxTimes is how many occurrences [Times] may be asked for.
const MaxTimes = 10_000

// Times returns a rule with the first n occurrences of another from an instant
// on: that instant included, if it is one. If the rule has fewer, it has those.
//
// Times works out all of them once, to find the last, so it refuses an n over
// [MaxTimes]; a program that counts what it fired needs no bound.
func Times(rule Rule, first time.Time, n int) (Rule, error) {
	if n < 1 || n > MaxTimes {
		return nil, fmt.Errorf("recurrence: a number of times must be from 1 to %d, got %d", MaxTimes, n)
	}
	last := first.Add(-1)
	for range n {
		t := rule.Next(last)
		if t.IsZero() {
			break
		}
		last = t
	}
	return &timesRule{boundRule{rule, first, last.Add(1)}, n}, nil
}

type timesRule struct {
	boundRule
	n int
}
