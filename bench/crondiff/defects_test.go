package main

import (
	"strings"
	"testing"
	"time"

	netresearch "github.com/netresearch/go-cron"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// The defects that docs/adr/0009-own-cron-parser.md lists, so that whoever doubts
// it, or moves to a newer version of a rival, can see them.
var defects = []struct {
	rival, fields, zone, after, ours string
	theirs                           string // an instant, or a fault
}{
	{"robfig", "30 2 * * *", "America/New_York", "2026-03-07T12:00:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"},
	{"robfig", "0 0 * * *", "America/Santiago", "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
	{"robfig", "30 1 * * *", "America/New_York", "2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00", "2026-11-01T01:30:00-05:00"},
	{"robfig", "12 3 10 * *", "America/Santiago", "2022-09-10T03:12:00-04:00", "2022-10-10T03:12:00-03:00", "2022-09-11T03:12:00-03:00"},
	{"robfig", "45 1 26 * *", "Africa/Cairo", "2047-03-26T01:45:00+02:00", "2047-04-26T01:45:00+03:00", "2047-05-26T01:45:00+03:00"},
	{"robfig", "0 12 30 12 *", "Pacific/Apia", "2011-12-28T00:00:00-10:00", "2011-12-31T00:00:00+14:00", faultStuck},
	{"robfig", "0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z", faultNone},

	{"netresearch", "47 2 * * *", "America/New_York", "2028-03-11T12:00:00-05:00", "2028-03-12T03:00:00-04:00", "2028-03-12T03:47:00-04:00"},
	{"netresearch", "0 0 * * *", "America/Santiago", "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
	{"netresearch", "30 1 * * *", "America/New_York", "2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00", "2026-11-01T01:30:00-05:00"},
	{"netresearch", "12 3 10 * *", "America/Santiago", "2022-09-10T03:12:00-04:00", "2022-10-10T03:12:00-03:00", "2022-09-11T03:12:00-03:00"},
	{"netresearch", "0 12 30 12 *", "Pacific/Apia", "2011-12-28T00:00:00-10:00", "2011-12-31T00:00:00+14:00", faultStuck},

	{"hashicorp", "30 2 * * *", "America/New_York", "2026-03-07T12:00:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"},
	{"hashicorp", "30 1 * * *", "America/New_York", "2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00", "2026-11-01T01:30:00-05:00"},
	{"hashicorp", "0 13 * * FRI", "America/Havana", "2012-03-30T13:00:00-05:00", "2012-04-06T13:00:00-04:00", faultStuck},
	{"hashicorp", "26 * * * SUN", "Asia/Beirut", "2030-03-30T23:07:00+02:00", "2030-03-31T01:26:00+03:00", "2030-03-30T23:26:00+02:00"},
	{"hashicorp", "0 0 1 1 *", "UTC", "2099-06-01T00:00:00Z", "2100-01-01T00:00:00Z", faultNone},

	{"gronx", "30 2 * * *", "America/New_York", "2026-03-07T12:00:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"},
	{"gronx", "5 3 9 * *", "America/Havana", "2031-02-09T03:05:00-05:00", "2031-03-09T03:05:00-04:00", "2031-02-09T03:05:00-05:00"},
	{"gronx", "22 1 5 * *", "America/Santiago", "2022-09-08T16:38:52-04:00", "2022-10-05T01:22:00-03:00", "tried so hard"},
	{"gronx", "9 23 * * *", "Asia/Beirut", "2047-10-26T20:19:43+03:00", "2047-10-26T23:09:00+03:00", "2047-10-26T23:09:00+02:00"},

	{"go-quartz", "1 * * * THU", "America/New_York", "2006-09-21T23:01:00-04:00", "2006-09-28T00:01:00-04:00", "2006-09-22T00:01:00-04:00"},
	{"go-quartz", "15 0 * */2 MON,FRI", "America/New_York", "2009-11-30T00:15:00-05:00", "2010-01-01T00:15:00-05:00", "2010-01-04T00:15:00-05:00"},
	{"go-quartz", "52 2 11,31 * *", "UTC", "2002-02-18T00:00:00Z", "2002-03-11T02:52:00Z", "2002-03-03T02:52:00Z"},
	{"go-quartz", "*/14 * * * *", "America/Havana", "2044-03-12T23:56:00-05:00", "2044-03-13T01:00:00-04:00", "trigger has expired"},
	{"go-quartz", "9 23 * * *", "Asia/Beirut", "2047-10-26T20:19:43+03:00", "2047-10-26T23:09:00+03:00", "2047-10-26T23:09:00+02:00"},
}

func TestDefects(t *testing.T) {
	for _, d := range defects {
		t.Run(strings.Join([]string{d.rival, d.fields, d.zone}, " "), func(t *testing.T) {
			t.Parallel()
			ours, err := recurrence.Cron(d.fields, recurrence.In(mustLoad(d.zone)))
			if err != nil {
				t.Fatal(err)
			}
			if got := ours.Next(instant(t, d.after)); !got.Equal(instant(t, d.ours)) {
				t.Errorf("ours after %s: %s, want %s", d.after, got.Format(time.RFC3339), d.ours)
			}
			if got := theirsOf(t, d.rival, d.fields, d.zone, d.after); got != d.theirs {
				t.Errorf("theirs after %s: %s; the ADR says %s", d.after, got, d.theirs)
			}
		})
	}
}

// theirsOf asks a rival, whose search may never end.
func theirsOf(t *testing.T, name, fields, zone, after string) string {
	t.Helper()
	c, err := startChild(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.compare(trial{Expr: quoted(fields), Zone: zone, After: instant(t, after).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
	if len(result.Differences) == 0 {
		return "the same as ours"
	}
	d := result.Differences[0]
	if d.Fault != "" {
		return d.Fault
	}
	return time.Unix(d.Theirs, 0).In(mustLoad(zone)).Format(time.RFC3339)
}

// quoted makes an expression of its text alone, without what it means.
func quoted(fields string) expression {
	f := strings.Fields(fields)
	parts := make([]field, len(f))
	for i, text := range f {
		parts[i] = field{Text: text, Star: text == "*"}
	}
	return expression{Minute: parts[0], Hour: parts[1], Day: parts[2], Month: parts[3], Weekday: parts[4]}
}

func TestNetresearchRefusesThursday(t *testing.T) {
	if _, err := netresearch.ParseStandard("0 9 * * THU"); err == nil {
		t.Error("accepted; the ADR says that it is refused for its H")
	}
	if _, err := netresearch.ParseStandard("0 9 * * thu"); err != nil {
		t.Error(err)
	}
}
