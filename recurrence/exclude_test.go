package recurrence

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// oracleExcludes decides about a date by reading the entries letter by letter.
func oracleExcludes(entries []string, t time.Time) bool {
	for _, entry := range entries {
		if len(entry) == len("sun") {
			if strings.EqualFold(t.Format("Mon"), entry) {
				return true
			}
			continue
		}
		first, last, ranged := strings.Cut(entry, "..")
		if !ranged {
			last = first
		}
		shown := t.Format(time.DateOnly)
		if len(first) == len("12-25") {
			shown = shown[len("2026-"):]
		}
		since, until := first <= shown, shown <= last
		if since && until || first > last && (since || until) {
			return true
		}
	}
	return false
}

// randomDays makes a list of days, many of them near a date.
func randomDays(r *rand.Rand, near time.Time) []string {
	entries := make([]string, 1+r.IntN(6))
	for i := range entries {
		first := near.AddDate(0, 0, r.IntN(9)-4)
		if r.IntN(4) == 0 {
			first = near.AddDate(0, r.IntN(60)-20, r.IntN(30))
		}
		if first.Year() < minYear {
			first = year(minYear)
		}
		last := first.AddDate(0, 0, r.IntN(4))
		if r.IntN(4) == 0 {
			last = first.AddDate(0, 0, r.IntN(700))
		}
		layout := time.DateOnly
		switch r.IntN(4) {
		case 0:
			entries[i] = weekdayNames[r.IntN(7)]
			continue
		case 1:
			layout = "01-02"
		}
		entries[i] = first.Format(layout)
		if r.IntN(2) == 0 {
			entries[i] += ".." + last.Format(layout)
		}
	}
	return entries
}

// Cron rules with excluded days around changes of clocks, at midnight and elsewhere.
func TestExcludedDaysAgreeWithTheOracle(t *testing.T) {
	zones := []string{
		"UTC", "Europe/Berlin", "America/Havana", "America/Santiago", "America/Asuncion", "Atlantic/Azores", "Asia/Beirut",
		"America/Sao_Paulo", "Pacific/Apia", "Pacific/Kwajalein", "Africa/Cairo", "Australia/Lord_Howe", "America/St_Johns", "Asia/Tehran",
	}
	left := 0
	for _, name := range zones {
		c := newZoneCheck(t, name, 2)
		changes := append(changesOf(c.loc), year(2026).Unix())
		for range 12 {
			at := changes[c.rand.IntN(len(changes))] / 60 * 60
			w := newWindow(c.loc, at-2*daySecs, at+2*daySecs, 60)
			for range 8 {
				left += c.excluding(w)
			}
		}
	}
	if left == 0 {
		t.Error("no rule had an occurrence")
	}
}

// excluding compares one rule, and returns how many occurrences it has.
func (c *zoneCheck) excluding(w *window) int {
	expr, days := randomExpr(c.rand, w.dates, false)
	gap, fold := Gap(c.rand.IntN(3)), Fold(c.rand.IntN(4))
	entries := randomDays(c.rand, w.dates[c.rand.IntN(len(w.dates))])
	rule, err := Cron(expr, In(c.loc), OnDays(days), OnGap(gap), OnFold(fold))
	excluded, excludedErr := ParseDays(entries)
	if err != nil || excludedErr != nil {
		return 0 // never, or all days
	}
	o := newOracleRule(expr, days, gap, fold)
	o.excluded = entries
	want := w.occurrences(o)
	c.compare(rule.without(&excluded), w, want)
	if c.t.Failed() {
		c.t.Fatalf("%q in %s, without %q, days %q, gap %q, fold %q, from %s", expr, c.name, entries, days, gap, fold, time.Unix(w.from, 0).UTC())
	}
	return len(want)
}

// Rules of which little is left are walked for centuries, day by day.
func TestExcludedDaysOverCenturies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	found := 0
	for range 150 {
		near := year(2000).AddDate(0, 0, r.IntN(36500))
		expr, days := randomExpr(r, []time.Time{near}, false)
		entries := randomDays(r, near)
		for range r.IntN(3) {
			entries = append(entries, weekdayNames[r.IntN(7)], fmt.Sprintf("%02d-01..%02d-20", 1+r.IntN(12), 1+r.IntN(12)))
		}
		rule, err := Cron(expr, OnDays(days))
		excluded, excludedErr := ParseDays(entries)
		if err != nil || excludedErr != nil {
			continue
		}
		left := Except(rule, excluded, time.UTC)
		o := newOracleRule(expr, days, 0, 0)
		o.excluded = entries
		got, want := left.Next(near.Add(-1)), near
		for !o.date(want) && want.Year() < near.Year()+120 {
			want = want.AddDate(0, 0, 1)
		}
		switch {
		case o.date(want):
			found++
			if day := got.Truncate(24 * time.Hour); !day.Equal(want) {
				t.Fatalf("%q without %q: after %s comes %s, want %s", expr, entries, near, got, want)
			}
			if back := left.Previous(got); back.After(near) {
				t.Fatalf("%q without %q: before %s comes %s", expr, entries, got, back)
			}
		case !got.IsZero() && got.Before(want):
			t.Fatalf("%q without %q: after %s comes %s, want none before %s", expr, entries, near, got, want)
		}
	}
	if found < 50 {
		t.Errorf("%d rules had an occurrence, which is few", found)
	}
}

// What is left when only centuries tell: days of the week that come back to the same
// date, one year among many with dates of their own, kinds of years of which some lack
// a date.
func TestExcludedDaysInTheLongRun(t *testing.T) {
	sundays := func(month time.Month, day, first, last int) (list []string) {
		for y := first; y <= last; y++ {
			if d := time.Date(y, month, day, 0, 0, 0, 0, time.UTC); d.Day() == day && d.Weekday() == time.Sunday {
				list = append(list, d.Format(time.DateOnly))
			}
		}
		return list
	}
	var newYears []string
	for y := 2000; y < 2999; y++ {
		newYears = append(newYears, year(y).Format(time.DateOnly))
	}
	workweek := []string{"mon", "tue", "wed", "thu", "fri", "sat"}
	skippedOr20 := Spec{Cron: []string{"30 2 8-14,20 3 sun"}, Days: DaysAnd, Gap: GapSkip, Zone: "America/New_York"}
	for name, tt := range map[string]struct {
		spec        Spec
		days        []string
		after, want string
	}{
		"leap day":         {Spec{Cron: []string{"0 9 * * mon,wed,fri", "0 9 29 2 *"}}, []string{"mon", "wed", "fri"}, "2032-02-29T10:00:00Z", "2048-02-29T09:00:00Z"},
		"one year":         {Spec{Cron: []string{"0 9 * * mon", "0 0 9 2 1 ? 2030"}}, []string{"mon"}, "2026-01-01T00:00:00Z", "2030-01-02T09:00:00Z"},
		"new years":        {Spec{Cron: []string{"0 9 1 1 *"}}, newYears, "2000-01-01T00:00:00Z", "2999-01-01T09:00:00Z"},
		"leap sundays":     {Spec{Cron: []string{"0 9 29 2 *"}}, append(sundays(2, 29, 2000, 3000), workweek...), "1990-01-01T00:00:00Z", "3024-02-29T09:00:00Z"},
		"eight millennia":  {Spec{Cron: []string{"0 9 * 1-11 *"}}, []string{"2026-01-01..9998-11-05"}, "2026-01-01T00:00:00Z", "9998-11-06T09:00:00Z"},
		"skipped":          {skippedOr20, sundays(3, 20, 2094, 2200), "2095-01-01T00:00:00Z", sundays(3, 20, 2201, 2220)[0] + "T06:30:00Z"},
		"zone of a line":   {Spec{Cron: []string{"CRON_TZ=Asia/Tokyo 0 1 * * *"}}, []string{"2026-01-02"}, "2026-01-01T00:00:00Z", "2026-01-02T16:00:00Z"},
		"zones of lines":   {Spec{Cron: []string{"CRON_TZ=Asia/Tokyo 0 1 * * *", "0 0 * * *"}}, []string{"2026-01-02"}, "2026-01-01T00:00:00Z", "2026-01-02T16:00:00Z"},
		"weeks":            {Spec{Every: 7 * 24 * time.Hour, Zone: "Europe/Berlin", Anchor: time.Date(1970, 1, 1, 22, 30, 0, 0, time.UTC)}, []string{"thu"}, "2026-11-21T00:00:00Z", "2027-04-01T22:30:00Z"},
		"weeks that drift": {Spec{Every: 7*24*time.Hour + time.Second}, []string{"thu"}, "2026-01-01T00:00:00Z", "3625-11-21T00:00:00Z"},
		"instants":         {Spec{At: []time.Time{year(2026), year(2027)}, Zone: "America/New_York"}, []string{"2025-12-31"}, "2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
	} {
		after, _ := time.Parse(time.RFC3339, tt.after)
		want, _ := time.Parse(time.RFC3339, tt.want)
		tt.spec.Exclude = tt.days
		rule, err := tt.spec.Compile(Context{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := rule.Next(after)
		if !got.Equal(want) {
			t.Errorf("%s: after %s comes %s, want %s", name, after, got.UTC(), want)
		}
		if back := rule.Previous(got); back.After(after) {
			t.Errorf("%s: before %s comes %s, which Next passes over", name, got, back)
		}
	}
}

func TestNothingIsLeft(t *testing.T) {
	for name, spec := range map[string]Spec{
		"weekday": {Cron: []string{"0 9 * * mon", "0 10 * * mon"}, Exclude: []string{"mon"}, Zone: "Europe/Berlin"},
		"date":    {Cron: []string{"0 0 9 1 1 ? 2030"}, Exclude: []string{"2030-01-01"}},
		"skipped": {Cron: []string{"30 2 8-14,20 3 sun"}, Days: DaysAnd, Gap: GapSkip, Zone: "America/New_York", Exclude: []string{"03-20"}, Start: year(2008)},
		"weeks":   {Every: 7 * 24 * time.Hour, Exclude: []string{"thu"}, Zone: "Europe/London"},
		"cycle":   {Every: 28 * time.Hour, Exclude: []string{"thu", "fri", "sat", "sun", "mon", "tue"}},
	} {
		if _, err := spec.Compile(Context{}); err == nil || !strings.Contains(err.Error(), "all are on excluded days") {
			t.Errorf("%s: error %v does not say that all days are excluded", name, err)
		}
	}
}

// Intervals of all lengths, asked one by one as Next of the interval gives them.
func TestIntervalsWithExcludedDays(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/Havana", "Pacific/Apia", "Australia/Lord_Howe"}
	r := rand.New(rand.NewPCG(4, 4))
	found := 0
	for range 400 {
		loc, err := LoadZone(zones[r.IntN(len(zones))])
		if err != nil {
			t.Fatal(err)
		}
		at := year(1971).Add(time.Duration(r.Int64N(1<<61 + 1<<60))).Truncate(time.Second)
		every := []time.Duration{7 * 24 * time.Hour, 84 * time.Hour, 24 * time.Hour, 42 * time.Hour, 365 * 24 * time.Hour, time.Duration(1 + r.Int64N(1e15)), 20 * time.Minute}[r.IntN(7)]
		every += time.Duration(r.IntN(3)-1) * time.Duration(r.IntN(100)) * time.Second
		every = max(every, 10*time.Minute)
		entries := randomDays(r, at)
		for range r.IntN(5) {
			entries = append(entries, weekdayNames[r.IntN(7)])
		}
		days, err := ParseDays(entries)
		if err != nil {
			continue
		}
		base := Every(every, at.Add(time.Duration(r.Int64N(int64(every)))))
		left := Except(base, days, loc)
		if naive(left, base.Next, left.Next, entries, loc, at, t) && naive(left, base.Previous, left.Previous, entries, loc, at, t) {
			found++
		}
	}
	if found < 200 {
		t.Errorf("%d intervals were found an occurrence of, which is few", found)
	}
}

// naive compares one step of a rule with many of what it was made of, and returns
// whether those came to an end.
func naive(rule Rule, step, skip func(time.Time) time.Time, entries []string, loc *time.Location, at time.Time, t *testing.T) bool {
	t.Helper()
	got, want := skip(at), step(at)
	for range 5000 {
		if !oracleExcludes(entries, want.In(loc)) {
			if !got.Equal(want) {
				t.Fatalf("%s, from %s: got %s, want %s", Describe(rule), at, got.In(loc), want.In(loc))
			}
			return true
		}
		if got.Equal(want) {
			t.Fatalf("%s, from %s: got %s, which is excluded", Describe(rule), at, got.In(loc))
		}
		want = step(want)
	}
	return false
}

func TestFirstMultiple(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Uint64Range(1, 300).Draw(t, "m")
		step := rapid.Uint64Range(0, m-1).Draw(t, "step")
		low := rapid.Uint64Range(0, m-1).Draw(t, "low")
		high := rapid.Uint64Range(low, m-1).Draw(t, "high")
		got, ok := firstMultiple(step, m, low, high)
		want := uint64(0)
		for want < m && (want*step%m < low || want*step%m > high) {
			want++
		}
		if ok != (want < m) || ok && got != want {
			t.Fatalf("firstMultiple = %d, %v, want %d of %d", got, ok, want, m)
		}
	})
}

// The masks of months are the days that Has has.
func TestMonthsOfDays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		near := year(1971).AddDate(0, 0, r.IntN(365*400))
		entries := randomDays(r, near)
		days, err := ParseDays(entries)
		if err != nil {
			continue
		}
		for d := near.AddDate(-2, 0, 0); d.Before(near.AddDate(3, 0, 0)); d = d.AddDate(0, 0, 1) {
			y, month, day := d.Date()
			set := days.everyYear(kindOf(y), int(month)) | days.spanned(y, int(month))
			want := oracleExcludes(entries, d)
			if got := set>>day&1 != 0; got != want {
				t.Fatalf("%q: the month has %s: %v, want %v", entries, d.Format(time.DateOnly), got, want)
			}
			if got := days.Has(d.Date()); got != want {
				t.Fatalf("%q: Has(%s) = %v, want %v", entries, d.Format(time.DateOnly), got, want)
			}
		}
	}
}
