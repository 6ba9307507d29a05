package recurrence_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// inOrder is what At and Union promise: sorted, each once.
func inOrder(list []time.Time) []time.Time {
	list = slices.SortedFunc(slices.Values(list), time.Time.Compare)
	return slices.CompactFunc(list, time.Time.Equal)
}

func expect(t rapid.TB, what string, r recurrence.Rule, want []time.Time) {
	t.Helper()
	if got := all(r); !same(got, want) {
		t.Fatalf("%s: occurrences are %v, want %v", what, got, want)
	}
	if got := backwards(r); !same(got, want) {
		t.Fatalf("%s: backwards, occurrences are %v, want %v", what, got, want)
	}
}

func TestAtIsSortedAndHasNoDoubles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := instants(t, "at")
		expect(t, "at", recurrence.At(append(list, time.Time{})...), inOrder(list))
	})
}

func TestAtKeepsWhatItWasGiven(t *testing.T) {
	list := []time.Time{utc("2026-01-02T00:00:00Z"), utc("2026-01-01T00:00:00Z")}
	r := recurrence.At(list...)
	list[0], list[1] = time.Time{}, time.Time{}
	if got := len(all(r)); got != 2 {
		t.Errorf("after its argument was changed the rule has %d occurrences, want 2", got)
	}
}

func TestUnionIsTheSortedMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := instants(t, "a"), instants(t, "b"), instants(t, "c")
		r := recurrence.Union(recurrence.At(a...), recurrence.At(b...), recurrence.At(c...))
		expect(t, "union", r, inOrder(slices.Concat(a, b, c)))
	})
	expect(t, "union of nothing", recurrence.Union(), nil)
}

func TestBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := inOrder(instants(t, "at"))
		start, end := bound(t, "start", list), bound(t, "end", list)
		want := slices.DeleteFunc(slices.Clone(list), func(u time.Time) bool {
			return u.Before(start) || !end.IsZero() && !u.Before(end)
		})
		expect(t, "bound", recurrence.Bound(recurrence.At(list...), start, end), want)
	})
}

// bound draws one of the instants, one beside them, or none.
func bound(t *rapid.T, label string, list []time.Time) time.Time {
	if len(list) == 0 || rapid.Bool().Draw(t, label+" open") {
		return time.Time{}
	}
	return rapid.SampledFrom(list).Draw(t, label).Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, label+" off")))
}

func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := inOrder(instants(t, "at"))
		first, n := bound(t, "first", list), rapid.IntRange(1, 70).Draw(t, "n")
		want := slices.DeleteFunc(slices.Clone(list), func(u time.Time) bool { return u.Before(first) })
		want = want[:min(n, len(want))]
		r, err := recurrence.Times(recurrence.At(list...), first, n)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "times", r, want)
	})
}

func TestTimesRefusesHowMany(t *testing.T) {
	rule := recurrence.Every(time.Hour, time.Time{})
	for _, n := range []int{-1, 0, recurrence.MaxTimes + 1} {
		if _, err := recurrence.Times(rule, utc("2026-01-01T00:00:00Z"), n); err == nil {
			t.Errorf("%d times: no error", n)
		}
	}
	r, err := recurrence.Times(rule, utc("2026-01-01T00:00:00Z"), recurrence.MaxTimes)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(all(r)); got != recurrence.MaxTimes {
		t.Errorf("got %d times, want %d", got, recurrence.MaxTimes)
	}
}

func TestExceptAgreesWithANaiveOracle(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/Havana", "America/Santiago", "Atlantic/Azores", "Pacific/Apia", "Africa/Cairo", "Australia/Lord_Howe"}
	rapid.Check(t, func(t *rapid.T) {
		zone := mustZone(rapid.SampledFrom(zones).Draw(t, "zone"))
		list := inOrder(instants(t, "at"))
		entries := rapid.SliceOfN(dayEntry(list), 0, 8).Draw(t, "days")
		days, err := recurrence.ParseDays(entries)
		if err != nil {
			t.Skip("all days") // seven weekdays, say
		}
		want := slices.DeleteFunc(slices.Clone(list), func(u time.Time) bool { return days.Has(u.In(zone).Date()) })
		expect(t, "except", recurrence.Except(recurrence.At(list...), days, zone), want)
	})
}

// dayEntry draws entries of which many are about the days of the list.
func dayEntry(list []time.Time) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		first := utc("2011-12-30T00:00:00Z")
		if len(list) > 0 {
			first = rapid.SampledFrom(list).Draw(t, "first")
		}
		last := first.AddDate(0, 0, rapid.IntRange(0, 40).Draw(t, "days"))
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}).Draw(t, "weekday")
		case 1:
			return first.Format("01-02")
		case 2:
			return first.Format("01-02") + ".." + last.Format("01-02")
		case 3:
			return first.Format(time.DateOnly)
		}
		return first.Format(time.DateOnly) + ".." + last.Format(time.DateOnly)
	})
}

// Dense rules around changes of clocks: each hour of the days before and after.
func TestExceptAroundClockChanges(t *testing.T) {
	for _, tt := range []struct{ zone, change string }{
		{"America/Havana", "2026-11-01T05:00:00Z"},      // 01:00 back to 00:00
		{"Atlantic/Azores", "2024-10-27T01:00:00Z"},     // 01:00 back to 00:00
		{"America/Santiago", "2026-04-05T03:00:00Z"},    // 24:00 back to 23:00
		{"America/Santiago", "2026-09-06T04:00:00Z"},    // 00:00 on to 01:00
		{"America/Sao_Paulo", "2018-02-18T02:00:00Z"},   // 24:00 back to 23:00
		{"Pacific/Apia", "2011-12-30T10:00:00Z"},        // a day skipped
		{"Pacific/Kwajalein", "1969-09-30T13:00:00Z"},   // most of a day twice
		{"America/St_Johns", "2010-11-07T02:31:00Z"},    // 00:01 back to 23:01
		{"Antarctica/Casey", "2023-03-08T16:00:00Z"},    // 3 hours back
		{"Europe/Lisbon", "1992-09-27T01:00:00Z"},       // nothing much
		{"America/Anchorage", "1867-10-19T14:31:37Z"},   // a day twice
		{"Asia/Manila", "1844-12-31T15:56:08Z"},         // a day skipped
		{"Africa/Monrovia", "1972-01-07T00:44:30Z"},     // odd seconds
		{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"}, // half an hour back
	} {
		zone, change := mustZone(tt.zone), utc(tt.change)
		from, to := change.Add(-96*time.Hour), change.Add(96*time.Hour)
		base := recurrence.Bound(recurrence.Every(20*time.Minute, time.Time{}), from, to)
		occurrences := all(base)
		for _, length := range []int{0, 1, 5} {
			for offset := -4; offset <= 4; offset++ {
				first := change.AddDate(0, 0, offset)
				days := exclude(t, first.AddDate(0, 0, -length), first)
				want := slices.DeleteFunc(slices.Clone(occurrences), func(u time.Time) bool { return days.Has(u.In(zone).Date()) })
				expect(t, tt.zone, recurrence.Except(base, days, zone), want)
			}
		}
	}
}

// exclude returns the dates from one to another, which may be before 1970, where
// only years without a number reach.
func exclude(t *testing.T, first, last time.Time) recurrence.Days {
	t.Helper()
	days, err := recurrence.ParseDays([]string{first.Format("01-02") + ".." + last.Format("01-02")})
	if err != nil {
		t.Fatal(err)
	}
	return days
}

func TestExceptSkipsRunsOfDaysAtOnce(t *testing.T) {
	for _, tt := range []struct {
		days           []string
		previous, next string
	}{
		{[]string{"2020-01-01..2029-12-31"}, "2019-12-31T22:59:59Z", "2029-12-31T23:00:00Z"},
		{[]string{"2020-01-01..2029-12-31", "sat", "01-01..06-30"}, "2019-12-31T22:59:59Z", "2030-06-30T22:00:00Z"},
		{[]string{"1971-01-01..9998-12-31"}, "1970-12-31T22:59:59Z", "9998-12-31T23:00:00Z"},
	} {
		days, err := recurrence.ParseDays(tt.days)
		if err != nil {
			t.Fatal(err)
		}
		rule := &asked{Rule: recurrence.Every(time.Second, time.Time{})}
		r := recurrence.Except(rule, days, mustZone("Europe/Berlin"))
		at := utc("2025-05-05T12:00:00Z")
		if got := shown(r.Next(at).UTC()); got != tt.next {
			t.Errorf("%v: Next = %v, want %v", tt.days, got, tt.next)
		}
		if got := shown(r.Previous(at).UTC()); got != tt.previous {
			t.Errorf("%v: Previous = %v, want %v", tt.days, got, tt.previous)
		}
		if rule.n > 20 {
			t.Errorf("%v: the rule was asked %d times, want at most 20", tt.days, rule.n)
		}
	}
}

func TestExceptEndsWhereNothingIsLeft(t *testing.T) {
	days, err := recurrence.ParseDays([]string{"thu"})
	if err != nil {
		t.Fatal(err)
	}
	weekly := &asked{Rule: recurrence.Every(7*24*time.Hour, time.Time{})} // the epoch was a Thursday
	r := recurrence.Except(weekly, days, time.UTC)
	if got := r.Next(utc("2026-01-01T00:00:00Z")); !got.IsZero() {
		t.Errorf("Next = %v, want none", got)
	}
	if got := r.Previous(utc("2026-01-01T00:00:00Z")); !got.IsZero() {
		t.Errorf("Previous = %v, want none", got)
	}
	if weekly.n > 2*1000*366/7 { // at most 1000 years each
		t.Errorf("the rule was asked %d times", weekly.n)
	}
}

func TestExceptWithoutZoneIsUTC(t *testing.T) {
	days, err := recurrence.ParseDays([]string{"2026-12-25"})
	if err != nil {
		t.Fatal(err)
	}
	r := recurrence.Except(recurrence.Every(12*time.Hour, time.Time{}), days, nil)
	if got, want := shown(r.Next(utc("2026-12-24T12:00:00Z"))), "2026-12-26T00:00:00Z"; got != want {
		t.Errorf("Next = %v, want %v", got, want)
	}
}
