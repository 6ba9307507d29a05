package recurrence

import (
	"fmt"
	"testing"
	"time"
)

// changeCases are occurrences around changes of the clocks, reasoned out by hand. Each
// lists all between from and to.
var changeCases = []struct {
	zone, expr string
	gap        Gap
	fold       Fold
	from, to   string
	want       []string
}{
	// New York, 2026-03-08: 02:00 EST is 03:00 EDT. 2026-11-01: 02:00 EDT is 01:00 EST.
	{"America/New_York", "30 2 * * *", 0, 0, "2026-03-07T12:00:00Z", "2026-03-10T00:00:00Z", []string{
		"2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00",
	}},
	{"America/New_York", "0,10,30 2 * * *", GapAfter, 0, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", []string{
		"2026-03-08T03:00:00-04:00", // once, for all three
	}},
	{"America/New_York", "30 2,3 * * *", GapAfter, 0, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", []string{
		"2026-03-08T03:00:00-04:00", "2026-03-08T03:30:00-04:00",
	}},
	{"America/New_York", "0 2,3 * * *", GapAfter, 0, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", []string{
		"2026-03-08T03:00:00-04:00", // 02:00 made up for, and 03:00 itself
	}},
	{"America/New_York", "30 2 * * *", GapSkip, 0, "2026-03-07T12:00:00Z", "2026-03-10T00:00:00Z", []string{
		"2026-03-09T02:30:00-04:00",
	}},
	{"America/New_York", "0 3 * * *", 0, 0, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", []string{
		"2026-03-08T03:00:00-04:00", // 03:00 is not in the gap
	}},
	{"America/New_York", "30 1 * * *", 0, 0, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", []string{
		"2026-11-01T01:30:00-04:00",
	}},
	{"America/New_York", "30 1 * * *", 0, FoldSecond, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", []string{
		"2026-11-01T01:30:00-05:00",
	}},
	{"America/New_York", "30 1 * * *", 0, FoldBoth, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", []string{
		"2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00",
	}},
	{"America/New_York", "0 1,2 * * *", 0, FoldSecond, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", []string{
		"2026-11-01T01:00:00-05:00", "2026-11-01T02:00:00-05:00", // 02:00 comes once only
	}},
	// Hourly rules: every real hour.
	{"America/New_York", "30 * * * *", 0, 0, "2026-03-08T06:00:00Z", "2026-03-08T09:00:00Z", []string{
		"2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00", "2026-03-08T04:30:00-04:00",
	}},
	{"America/New_York", "30 * * * *", 0, 0, "2026-11-01T04:00:00Z", "2026-11-01T08:00:00Z", []string{
		"2026-11-01T00:30:00-04:00", "2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", "2026-11-01T02:30:00-05:00",
	}},
	{"America/New_York", "30 * * * *", GapAfter, FoldFirst, "2026-03-08T06:00:00Z", "2026-03-08T08:00:00Z", []string{
		"2026-03-08T01:30:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-08T03:30:00-04:00", // as told
	}},
	{"America/New_York", "30 * * * *", 0, FoldFirst, "2026-11-01T05:00:00Z", "2026-11-01T08:00:00Z", []string{
		"2026-11-01T01:30:00-04:00", "2026-11-01T02:30:00-05:00",
	}},
	// Spaced rules keep their spacing whatever the policies say.
	{"America/New_York", "*/30 1,2 * * *", GapAfter, FoldFirst, "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z", []string{
		"2026-03-08T01:00:00-05:00", "2026-03-08T01:30:00-05:00",
	}},
	{"America/New_York", "0 */30 1 * * *", 0, FoldFirst, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", []string{
		"2026-11-01T01:00:00-04:00", "2026-11-01T01:30:00-04:00", "2026-11-01T01:00:00-05:00", "2026-11-01T01:30:00-05:00",
	}},
	// London, 2026-03-29: 01:00 GMT is 02:00 BST. 2026-10-25: 02:00 BST is 01:00 GMT.
	{"Europe/London", "15 1 * * *", 0, 0, "2026-03-28T12:00:00Z", "2026-03-31T00:00:00Z", []string{
		"2026-03-29T02:00:00+01:00", "2026-03-30T01:15:00+01:00",
	}},
	{"Europe/London", "15 1 * * *", 0, FoldSecond, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z", []string{
		"2026-10-25T01:15:00Z", "2026-10-26T01:15:00Z",
	}},
	// Lord Howe goes forward and back by half an hour. 2026-10-04: 02:00 +10:30 is
	// 02:30 +11. 2026-04-05: 02:00 +11 is 01:30 +10:30.
	{"Australia/Lord_Howe", "0 2 * * *", 0, 0, "2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z", []string{
		"2026-10-04T02:30:00+11:00", "2026-10-05T02:00:00+11:00",
	}},
	{"Australia/Lord_Howe", "30 2 * * *", GapSkip, 0, "2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z", []string{
		"2026-10-04T02:30:00+11:00",
	}},
	{"Australia/Lord_Howe", "15,45 1 * * *", 0, FoldBoth, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z", []string{
		"2026-04-05T01:15:00+11:00", "2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30",
	}},
	{"Australia/Lord_Howe", "15,45 1 * * *", 0, FoldSecond, "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z", []string{
		"2026-04-05T01:15:00+11:00", "2026-04-05T01:45:00+10:30",
	}},
	// Casablanca is at +01, but at +00 in Ramadan: back at 03:00 on 2026-02-15, forward
	// at 02:00 on 2026-03-22.
	{"Africa/Casablanca", "30 2 * * *", 0, 0, "2026-02-14T12:00:00Z", "2026-02-16T00:00:00Z", []string{
		"2026-02-15T02:30:00+01:00",
	}},
	{"Africa/Casablanca", "30 2 * * *", 0, 0, "2026-03-21T12:00:00Z", "2026-03-23T12:00:00Z", []string{
		"2026-03-22T03:00:00+01:00", "2026-03-23T02:30:00+01:00",
	}},
	// Shanghai had summer time last in 1991: from 02:00 on 14 April to 02:00 on 15 September.
	{"Asia/Shanghai", "30 2 * * *", 0, 0, "1991-04-13T00:00:00Z", "1991-04-15T00:00:00Z", []string{
		"1991-04-14T03:00:00+09:00", "1991-04-15T02:30:00+09:00",
	}},
	{"Asia/Shanghai", "0 * * * *", 0, 0, "1991-09-14T15:00:00Z", "1991-09-14T17:30:00Z", []string{
		"1991-09-15T00:00:00+09:00", "1991-09-15T01:00:00+09:00", "1991-09-15T01:00:00+08:00",
	}},
	{"Asia/Shanghai", "0 9 * * MON", 0, 0, "2026-11-20T00:00:00Z", "2026-11-24T00:00:00Z", []string{
		"2026-11-23T09:00:00+08:00",
	}},
	// Midnight gaps: Santiago 2026-09-06, Havana 2026-03-08, Cairo 2026-04-24, Beirut 2026-03-29.
	{"America/Santiago", "0 0 * * *", 0, 0, "2026-09-05T12:00:00Z", "2026-09-07T12:00:00Z", []string{
		"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00",
	}},
	{"America/Santiago", "0 0 9 * * MON", 0, 0, "2026-09-03T00:00:00Z", "2026-09-15T00:00:00Z", []string{
		"2026-09-07T09:00:00-03:00", "2026-09-14T09:00:00-03:00",
	}},
	{"America/Havana", "30 0 * * *", 0, 0, "2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z", []string{
		"2026-03-08T01:00:00-04:00", "2026-03-09T00:30:00-04:00",
	}},
	{"America/Havana", "0 9 8 3 *", 0, 0, "2026-01-01T00:00:00Z", "2027-06-01T00:00:00Z", []string{
		"2026-03-08T09:00:00-04:00", "2027-03-08T09:00:00-05:00",
	}},
	{"Africa/Cairo", "0 0 * * *", GapSkip, 0, "2026-04-23T12:00:00Z", "2026-04-25T00:00:00Z", []string{
		"2026-04-25T00:00:00+03:00",
	}},
	{"Africa/Cairo", "0 0 * * *", 0, 0, "2026-04-23T12:00:00Z", "2026-04-25T00:00:00Z", []string{
		"2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00",
	}},
	// Beirut goes back at midnight, 2026-10-25: 00:00 +03 is 23:00 +02 of the 24th.
	{"Asia/Beirut", "30 23 * * *", 0, 0, "2026-10-24T12:00:00Z", "2026-10-26T00:00:00Z", []string{
		"2026-10-24T23:30:00+03:00", "2026-10-25T23:30:00+02:00",
	}},
	{"Asia/Beirut", "0 0 * * *", 0, FoldBoth, "2026-10-24T12:00:00Z", "2026-10-26T00:00:00Z", []string{
		"2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+02:00",
	}},
	{"Asia/Beirut", "0 0 29 3 *", 0, 0, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", []string{
		"2026-03-29T01:00:00+03:00",
	}},
	// Apia had no 30 December 2011: midnight at -10 is midnight of the 31st at +14.
	{"Pacific/Apia", "0 12 30 12 *", 0, 0, "2011-12-28T00:00:00Z", "2012-12-31T00:00:00Z", []string{
		"2011-12-31T00:00:00+14:00", "2012-12-30T12:00:00+14:00",
	}},
	{"Pacific/Apia", "0 12 30 12 *", GapSkip, 0, "2011-12-28T00:00:00Z", "2012-12-31T00:00:00Z", []string{
		"2012-12-30T12:00:00+14:00",
	}},
	{"Pacific/Apia", "0 0,12 * * *", 0, 0, "2011-12-29T20:00:00Z", "2011-12-31T00:00:00Z", []string{
		"2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00",
	}},
	// Monrovia was 44 minutes and 30 seconds behind until 1972-01-07, and went forward at midnight.
	{"Africa/Monrovia", "30 0 * * *", 0, 0, "1972-01-05T12:00:00Z", "1972-01-08T12:00:00Z", []string{
		"1972-01-06T01:14:30Z", "1972-01-07T00:44:30Z", "1972-01-08T00:30:00Z",
	}},
}

func TestOccurrencesAroundClockChanges(t *testing.T) {
	for _, c := range changeCases {
		t.Run(fmt.Sprintf("%s %s %s %s", c.zone, c.expr, c.gap, c.fold), func(t *testing.T) {
			rule := mustCron(t, c.expr, In(zoneNamed(t, c.zone)), OnGap(c.gap), OnFold(c.fold))
			got := Between(rule, parseInstant(t, c.from), parseInstant(t, c.to).Add(1), 100)
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i, want := range c.want {
				if !got[i].Equal(parseInstant(t, want)) {
					t.Errorf("occurrence %d is %s, want %s", i, got[i].Format(time.RFC3339), want)
				}
			}
		})
	}
}

func mustCron(t testing.TB, expr string, opts ...Option) *CronRule {
	t.Helper()
	rule, err := Cron(expr, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

func zoneNamed(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func parseInstant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
