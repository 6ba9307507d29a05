package recurrence

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// firstDays lists the next dates of expressions at midnight UTC, from 2026-01-01 on, a Thursday.
var firstDays = []struct {
	expr string
	days DayRule
	want []string
}{
	{"0 0 L * *", 0, []string{"2026-01-31", "2026-02-28", "2026-03-31"}},
	{"0 0 L-2 2 *", 0, []string{"2026-02-26", "2027-02-26", "2028-02-27"}},
	{"0 0 LW * *", 0, []string{"2026-01-30", "2026-02-27", "2026-03-31"}},
	{"0 0 15W * *", 0, []string{"2026-01-15", "2026-02-16", "2026-03-16", "2026-04-15"}},
	{"0 0 1W 2,8 *", 0, []string{"2026-02-02", "2026-08-03"}},    // Sunday: the 2nd; Saturday: the 3rd, not July
	{"0 0 31W 1,5 *", 0, []string{"2026-01-30", "2026-05-29"}},   // Saturday; Sunday: not June
	{"0 0 30W 1,2,3 *", 0, []string{"2026-01-30", "2026-03-30"}}, // February has no 30th
	{"0 0 * * FRI#2", 0, []string{"2026-01-09", "2026-02-13", "2026-03-13"}},
	{"0 0 * * fri#5", 0, []string{"2026-01-30", "2026-05-29", "2026-07-31"}},
	{"0 0 * * FRIL", 0, []string{"2026-01-30", "2026-02-27", "2026-03-27"}},
	{"0 0 * * 7", 0, []string{"2026-01-04", "2026-01-11"}},
	{"0 0 * * FRI-MON", 0, []string{"2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-09"}},
	{"0 0 * * 5-7", 0, []string{"2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09"}},
	{"0 0 * * 7-1", 0, []string{"2026-01-04", "2026-01-05", "2026-01-11"}},
	{"0 0 29 2 *", 0, []string{"2028-02-29", "2032-02-29"}},
	{"0 0 1 jan,Jul *", 0, []string{"2026-01-01", "2026-07-01", "2027-01-01"}},

	// Both day fields: Friday the 13th.
	{"0 0 13 * FRI", 0, []string{"2026-01-02", "2026-01-09", "2026-01-13", "2026-01-16"}},
	{"0 0 13 * FRI", DaysOr, []string{"2026-01-02", "2026-01-09", "2026-01-13", "2026-01-16"}},
	{"0 0 13 * FRI", DaysAnd, []string{"2026-02-13", "2026-03-13", "2026-11-13"}},
	{"0 0 */1 * FRI", 0, []string{"2026-01-02", "2026-01-09"}},
	{"0 0 */10 * FRI", 0, []string{"2026-01-01", "2026-01-02", "2026-01-09", "2026-01-11"}}, // */10 takes part
	{"0 0 1-31 * FRI", 0, []string{"2026-01-01", "2026-01-02", "2026-01-03"}},               // it names all days
	{"0 0 * * FRI", DaysAnd, []string{"2026-01-02", "2026-01-09"}},

	// Quartz's rule numbers days from 1 for Sunday, if it is chosen and not inferred.
	{"0 0 ? * 6", 0, []string{"2026-01-03", "2026-01-10"}},
	{"0 0 ? * 6", DaysQuartz, []string{"2026-01-02", "2026-01-09"}},
	{"0 0 ? * 1", DaysQuartz, []string{"2026-01-04"}},
	{"0 0 ? * 6#3", DaysQuartz, []string{"2026-01-16", "2026-02-20"}},
	{"0 0 ? * 6L", DaysQuartz, []string{"2026-01-30"}},
	{"0 0 ? * L", DaysQuartz, []string{"2026-01-03", "2026-01-10"}},
	{"0 0 ? * 2-6", DaysQuartz, []string{"2026-01-01", "2026-01-02", "2026-01-05"}},
	{"0 0 13 * ?", 0, []string{"2026-01-13", "2026-02-13"}},
	{"0 0 ? * ?", DaysOr, []string{"2026-01-01", "2026-01-02"}},

	{"0 0 0 29 2 ? 2096-2110", 0, []string{"2096-02-29", "2104-02-29", "2108-02-29"}}, // 2100 is no leap year
	{"0 0 0 1 1 * 2027,2099,9999", 0, []string{"2027-01-01", "2099-01-01", "9999-01-01"}},
	{"0 0 0 1 1 * 2030/5", 0, []string{"2030-01-01", "2035-01-01"}},
	{"@yearly", 0, []string{"2026-01-01", "2027-01-01"}},
	{"@annually", 0, []string{"2026-01-01", "2027-01-01"}},
	{"@monthly", 0, []string{"2026-01-01", "2026-02-01"}},
	{"@weekly", 0, []string{"2026-01-04", "2026-01-11"}},
	{"@Daily", 0, []string{"2026-01-01", "2026-01-02"}},
	{"@midnight", 0, []string{"2026-01-01", "2026-01-02"}},
}

func TestDaysOfExpressions(t *testing.T) {
	for _, c := range firstDays {
		t.Run(fmt.Sprint(c.expr, " ", c.days), func(t *testing.T) {
			rule := mustCron(t, c.expr, OnDays(c.days))
			got := Between(rule, year(2026), year(10000), len(c.want))
			for i, want := range c.want {
				if i >= len(got) || !got[i].Equal(parseInstant(t, want+"T00:00:00Z")) {
					t.Fatalf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestTimesOfExpressions(t *testing.T) {
	for _, c := range []struct {
		expr string
		want []string
	}{
		{"5/20 23 * * *", []string{"23:05:00", "23:25:00", "23:45:00"}},
		{"10-30/10,59 8 * * *", []string{"08:10:00", "08:20:00", "08:30:00", "08:59:00"}},
		{"*/7 0 * * *", []string{"00:00:00", "00:07:00", "00:14:00"}},
		{"*/60 */12 * * *", []string{"00:00:00", "12:00:00"}},
		{"15,45/10 30 6 * * *", []string{"06:30:15", "06:30:45", "06:30:55"}},
		{"\t 0   0 6  * * * ", []string{"06:00:00"}},
	} {
		got := Between(mustCron(t, c.expr), year(2026), year(2027), len(c.want))
		for i, want := range c.want {
			if i >= len(got) || got[i].Format(time.TimeOnly) != want {
				t.Errorf("%q: got %v, want %v", c.expr, got, c.want)
				break
			}
		}
	}
}

// What H makes of a key is part of the format: these values can never change.
func TestHashedValuesNeverChange(t *testing.T) {
	rule := mustCron(t, "H H(0-59) H * * *", Key("nightly-report"))
	const want = "2026-01-01 02:24:27" // computed apart from this code
	if got := rule.Next(year(2026)).Format(time.DateTime); got != want {
		t.Errorf("the key's time is %s, want %s", got, want)
	}
}

func TestHashedValuesStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringN(1, 20, -1).Draw(t, "key")
		rule, err := Cron("H(10-19)/5 H(3-4) H H(1-12) H(1-5)", Key(key), OnDays(DaysAnd))
		if err != nil {
			t.Fatal(err)
		}
		first := rule.minute.elements[0].from
		if first < 10 || first > 14 || rule.minute.set != 1<<first|1<<(first+5) {
			t.Errorf("minutes %b", rule.minute.set)
		}
		if hour := lowest(rule.hour.set); hour != 3 && hour != 4 {
			t.Errorf("hour %d", hour)
		}
		if day := lowest(rule.day.set); day < 1 || day > 28 {
			t.Errorf("day %d", day)
		}
		if weekday := lowest(rule.weekday.set); weekday < 1 || weekday > 5 {
			t.Errorf("weekday %d", weekday)
		}
	})
}

func TestHashSpreadsEvenly(t *testing.T) {
	var minutes, hours [60]int
	for i := range 6000 {
		rule := mustCron(t, "H H(0-23) * * *", Key(fmt.Sprint("poll-", i)))
		minutes[lowest(rule.minute.set)]++
		hours[lowest(rule.hour.set)]++
	}
	for m, n := range minutes {
		if n < 50 || n > 160 {
			t.Errorf("minute %d has %d of 6000 schedules", m, n)
		}
	}
	for h, n := range hours[:24] {
		if n < 175 || n > 330 {
			t.Errorf("hour %d has %d of 6000 schedules", h, n)
		}
	}
}

func TestNextIsTotal(t *testing.T) {
	rule := mustCron(t, "0 0 1 1 *", In(zoneNamed(t, "America/New_York")))
	for _, c := range []struct {
		from           time.Time
		next, previous string
	}{
		{time.Time{}, "1970-01-01T05:00:00Z", ""},
		{time.Unix(math.MinInt64/2, 0), "1970-01-01T05:00:00Z", ""},
		{year(-200_000), "1970-01-01T05:00:00Z", ""},
		{time.Date(9999, 1, 1, 5, 0, 0, 0, time.UTC), "", "9998-01-01T05:00:00Z"},
		{time.Date(9999, 1, 1, 5, 0, 0, 1, time.UTC), "", "9999-01-01T05:00:00Z"},
		{time.Date(9999, 1, 1, 4, 59, 59, 999_999_999, time.UTC), "9999-01-01T05:00:00Z", "9998-01-01T05:00:00Z"},
		{year(250_000), "", "9999-01-01T05:00:00Z"},
		{time.Unix(math.MaxInt64/2, 0), "", "9999-01-01T05:00:00Z"},
	} {
		if got := shown(rule.Next(c.from)); got != c.next {
			t.Errorf("after %s comes %q, want %q", c.from, got, c.next)
		}
		if got := shown(rule.Previous(c.from)); got != c.previous {
			t.Errorf("before %s comes %q, want %q", c.from, got, c.previous)
		}
	}
}

func shown(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func TestFixedZonesOfAnyOffset(t *testing.T) {
	for _, offset := range []int{-100 * 3600, -12*3600 - 1, 0, 20700, 14 * 3600, 100 * 3600} {
		rule := mustCron(t, "0 12 * * *", In(time.FixedZone("", offset)))
		want := time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC).Add(-time.Duration(offset) * time.Second)
		if got := rule.Next(want.Add(-1)); !got.Equal(want) {
			t.Errorf("offset %d: got %s, want %s", offset, got, want)
		}
		if got := rule.Previous(want.Add(1)); !got.Equal(want) {
			t.Errorf("offset %d: back got %s, want %s", offset, got, want)
		}
	}
}

// A zone can skip all that a rule names. New York's gaps have been on the second
// Sunday of March since 2007; before, it was an ordinary day.
func TestRuleWhoseEveryTimeIsSkipped(t *testing.T) {
	rule := mustCron(t, "30 2 * 3 SUN#2", In(zoneNamed(t, "America/New_York")), OnGap(GapSkip))
	if got := shown(rule.Next(year(2006))); got != "2006-03-12T07:30:00Z" {
		t.Errorf("in 2006 it is at %s", got)
	}
	for _, from := range []time.Time{year(2007), year(2026), year(2200)} {
		s := newSearch(rule)
		if got := s.next(from); !got.IsZero() || s.steps > mostSteps {
			t.Errorf("from %s comes %s, after %d steps", from, got, s.steps)
		}
		s = newSearch(rule)
		if got := shown(s.previous(from)); got != "2006-03-12T07:30:00Z" || s.steps > mostSteps {
			t.Errorf("before %s comes %s, after %d steps", from, got, s.steps)
		}
	}
}
