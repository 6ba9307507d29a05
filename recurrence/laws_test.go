package recurrence_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// obey checks what every rule promises, around one instant: Next is strictly
// after, Previous strictly before, and nothing lies between an occurrence and the
// one that the other direction finds.
func obey(t rapid.TB, r recurrence.Rule, at time.Time) {
	t.Helper()
	if next := r.Next(at); !next.IsZero() {
		if !next.After(at) {
			t.Fatalf("Next(%v) = %v, which is not after it", at, next)
		}
		if back := r.Previous(next); back.After(at) {
			t.Fatalf("Next(%v) = %v, but Previous of that is %v", at, next, back)
		}
		if again := r.Next(next.Add(-1)); !again.Equal(next) {
			t.Fatalf("%v is an occurrence, but the first one from there on is %v", next, again)
		}
	}
	if last := r.Previous(at); !last.IsZero() {
		if !last.Before(at) {
			t.Fatalf("Previous(%v) = %v, which is not before it", at, last)
		}
		if forth := r.Next(last); !forth.IsZero() && forth.Before(at) {
			t.Fatalf("Previous(%v) = %v, but Next of that is %v", at, last, forth)
		}
	}
}

// all lists the occurrences of a rule from the start, of which there must not be
// many.
func all(r recurrence.Rule) (list []time.Time) {
	for t := r.Next(time.Time{}); !t.IsZero(); t = r.Next(t) {
		list = append(list, t)
	}
	return list
}

// backwards lists them from the end, and puts them in order.
func backwards(r recurrence.Rule) (list []time.Time) {
	for t := r.Previous(utc("9999-12-31T00:00:00Z")); !t.IsZero(); t = r.Previous(t) {
		list = append(list, t)
	}
	slices.Reverse(list)
	return list
}

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

func same(a, b []time.Time) bool { return slices.EqualFunc(a, b, time.Time.Equal) }

// instants draws up to 60 instants of some years, a multiple of ten minutes
// apart, so that doubles and neighbours happen.
func instants(t *rapid.T, label string) []time.Time {
	first := utc("2010-06-01T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, label+" day")) * 24 * time.Hour)
	steps := rapid.SliceOfN(rapid.IntRange(0, 2000), 0, 60).Draw(t, label)
	list := make([]time.Time, len(steps))
	for i, n := range steps {
		list[i] = first.Add(time.Duration(n) * 10 * time.Minute)
	}
	return list
}

func mustZone(name string) *time.Location {
	zone, err := recurrence.LoadZone(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// asked counts how often a rule is asked.
type asked struct {
	recurrence.Rule
	n int
}

func (a *asked) Next(after time.Time) time.Time {
	a.n++
	return a.Rule.Next(after)
}

func (a *asked) Previous(before time.Time) time.Time {
	a.n++
	return a.Rule.Previous(before)
}

func TestFailingRulesAreCaught(t *testing.T) {
	stuck := &recorder{}
	obey(stuck, stuckRule{}, time.Unix(0, 0))
	if !stuck.failed {
		t.Error("a rule whose Next is not after passed")
	}
}

type stuckRule struct{}

func (stuckRule) Next(t time.Time) time.Time     { return t }
func (stuckRule) Previous(t time.Time) time.Time { return t.Add(-1) }

// recorder is a TB that goes on after a failure.
type recorder struct {
	rapid.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true }
