package recurrence_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func TestSpecCompiles(t *testing.T) {
	context := recurrence.Context{Key: "report", Anchor: utc("2026-11-21T09:03:00Z")}
	for name, tt := range map[string]struct {
		spec recurrence.Spec
		want string // the three occurrences from 2026-11-21T12:00:00Z on, fewer if there are fewer
	}{
		"cron": {
			recurrence.Spec{Cron: []string{"0 9 * * mon-fri"}, Zone: "Europe/Berlin"},
			"2026-11-23T09:00:00+01:00 2026-11-24T09:00:00+01:00 2026-11-25T09:00:00+01:00",
		},
		"two crons": {
			recurrence.Spec{Cron: []string{"0 9 * * *", "30 17 * * *"}},
			"2026-11-21T17:30:00Z 2026-11-22T09:00:00Z 2026-11-22T17:30:00Z",
		},
		"cron with a zone of its own": {
			recurrence.Spec{Cron: []string{"CRON_TZ=Asia/Tokyo 0 9 * * *"}},
			"2026-11-22T09:00:00+09:00 2026-11-23T09:00:00+09:00 2026-11-24T09:00:00+09:00",
		},
		"day rule": {
			recurrence.Spec{Cron: []string{"0 0 13 * fri"}, Days: recurrence.DaysAnd},
			"2027-08-13T00:00:00Z 2028-10-13T00:00:00Z 2029-04-13T00:00:00Z",
		},
		"gap skipped": {
			recurrence.Spec{
				Cron: []string{"30 2 28 3 *", "30 2 29 3 *"}, Zone: "Europe/Berlin", Gap: recurrence.GapSkip,
				Start: utc("2027-01-01T00:00:00Z"), End: utc("2028-01-01T00:00:00Z"),
			},
			"2027-03-29T02:30:00+02:00",
		},
		"overlap doubled": {
			recurrence.Spec{
				Cron: []string{"30 2 31 10 *"}, Zone: "Europe/Berlin", Fold: recurrence.FoldBoth,
				Start: utc("2027-01-01T00:00:00Z"), End: utc("2028-01-01T00:00:00Z"),
			},
			"2027-10-31T02:30:00+02:00 2027-10-31T02:30:00+01:00",
		},
		"every, anchored by the context": {
			recurrence.Spec{Every: 10 * time.Minute},
			"2026-11-21T12:03:00Z 2026-11-21T12:13:00Z 2026-11-21T12:23:00Z",
		},
		"every, anchored by itself": {
			recurrence.Spec{Every: 10 * time.Minute, Anchor: utc("2030-01-01T00:05:00Z")},
			"2026-11-21T12:05:00Z 2026-11-21T12:15:00Z 2026-11-21T12:25:00Z",
		},
		"every, spread": {
			recurrence.Spec{Every: 10 * time.Minute, Spread: true},
			spreadOf("report", 10*time.Minute, utc("2026-11-21T12:00:00Z")),
		},
		"at": {
			recurrence.Spec{At: []time.Time{utc("2027-01-01T00:00:00Z"), utc("2026-11-21T12:00:00Z"), utc("2020-01-01T00:00:00Z")}, Zone: "Asia/Tokyo"},
			"2026-11-21T21:00:00+09:00 2027-01-01T09:00:00+09:00",
		},
		"excluded days": {
			recurrence.Spec{Cron: []string{"0 1 * * *"}, Zone: "Asia/Tokyo", Exclude: []string{"sun", "2026-11-23"}},
			"2026-11-24T01:00:00+09:00 2026-11-25T01:00:00+09:00 2026-11-26T01:00:00+09:00",
		},
		"start and end": {
			recurrence.Spec{Every: time.Hour, Anchor: utc("2026-01-01T00:00:00Z"), Start: utc("2026-12-01T10:00:00Z"), End: utc("2026-12-01T12:00:00Z")},
			"2026-12-01T10:00:00Z 2026-12-01T11:00:00Z",
		},
	} {
		rule, err := tt.spec.Compile(context)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, at := range recurrence.Between(rule, utc("2026-11-21T12:00:00Z"), utc("2040-01-01T00:00:00Z"), 3) {
			got = append(got, at.Format(time.RFC3339Nano))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: occurrences are\n%s, want\n%s", name, got, tt.want)
		}
	}
}

// spreadOf works out the first three occurrences by the definition of FNV-1a.
func spreadOf(key string, every time.Duration, from time.Time) string {
	h := uint64(14695981039346656037)
	for _, b := range []byte(key) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 32
	ms := every.Milliseconds()
	at := time.UnixMilli(from.UnixMilli()/ms*ms + int64(h%uint64(ms))).UTC()
	if at.Before(from) {
		at = at.Add(every)
	}
	return fmt.Sprint(at.Format(time.RFC3339Nano), " ", at.Add(every).Format(time.RFC3339Nano), " ", at.Add(2*every).Format(time.RFC3339Nano))
}

func TestSpreadIsEven(t *testing.T) {
	const schedules, minutes = 10_000, 10
	var perMinute [minutes]int
	for i := range schedules {
		spec := recurrence.Spec{Every: minutes * time.Minute, Spread: true}
		rule, err := spec.Compile(recurrence.Context{Key: fmt.Sprintf("poll-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		perMinute[rule.Next(utc("2026-11-21T12:00:00Z")).Minute()%minutes]++
	}
	for minute, n := range perMinute {
		if n < 850 || n > 1150 {
			t.Errorf("minute %d has %d of %d schedules, want about a tenth", minute, n, schedules)
		}
	}
}

func TestSpecFaults(t *testing.T) {
	noon := utc("2026-11-21T12:00:00Z")
	for name, tt := range map[string]struct {
		spec recurrence.Spec
		want []string // field, and a part of the reason
	}{
		"nothing":                  {recurrence.Spec{}, []string{"cron: give one of cron, every and at"}},
		"two kinds":                {recurrence.Spec{Every: time.Hour, At: []time.Time{noon}}, []string{"at: beside every"}},
		"three kinds":              {recurrence.Spec{Cron: []string{"@daily"}, Every: time.Hour, At: []time.Time{noon}}, []string{"every: beside cron", "at: beside cron"}},
		"bad cron":                 {recurrence.Spec{Cron: []string{"61 * * * *"}}, []string{"cron: minute, column 1, at \"61\""}},
		"one bad of two":           {recurrence.Spec{Cron: []string{"@daily", "0 25 * * *"}}, []string{"cron[1]: hour, column 3"}},
		"empty cron":               {recurrence.Spec{Cron: []string{""}}, []string{"cron: "}},
		"31 February":              {recurrence.Spec{Cron: []string{"0 0 31 2 *"}}, []string{"cron: day of month 31 never comes in February"}},
		"@reboot":                  {recurrence.Spec{Cron: []string{"@reboot"}}, []string{"cron: starts"}},
		"@every":                   {recurrence.Spec{Cron: []string{"@every 10m"}}, []string{"cron: stands in every"}},
		"too many crons":           {recurrence.Spec{Cron: make([]string, 21)}, []string{"cron: 20 expressions at most, got 21"}},
		"unknown zone":             {recurrence.Spec{Cron: []string{"@daily"}, Zone: "Europe/Berlim"}, []string{"time_zone: Europe/Berlin"}},
		"Local":                    {recurrence.Spec{Cron: []string{"@daily"}, Zone: "Local"}, []string{"time_zone: Local"}},
		"unknown zone ahead":       {recurrence.Spec{Cron: []string{"CRON_TZ=Mars/Olympus 0 0 * * *"}}, []string{"cron: Mars/Olympus"}},
		"two zones":                {recurrence.Spec{Cron: []string{"CRON_TZ=Asia/Tokyo 0 0 * * *"}, Zone: "Europe/Berlin"}, []string{"cron: "}},
		"unknown zone and another": {recurrence.Spec{Cron: []string{"CRON_TZ=Asia/Tokyo 0 0 * * *"}, Zone: "x"}, []string{"time_zone: x"}},
		"short interval":           {recurrence.Spec{Every: time.Second - 1}, []string{"every: must be from 1s to 876000h0m0s, got 999.999999ms"}},
		"negative interval":        {recurrence.Spec{Every: -time.Hour}, []string{"every: must be from 1s"}},
		"long interval":            {recurrence.Spec{Every: recurrence.MaxInterval + time.Second}, []string{"every: must be from 1s"}},
		"fine interval":            {recurrence.Spec{Every: time.Second + time.Microsecond}, []string{"every: whole number of milliseconds"}},
		"early anchor":             {recurrence.Spec{Every: time.Hour, Anchor: utc("1969-12-31T23:59:59Z")}, []string{"anchor: from 1970 to 9999"}},
		"fine anchor":              {recurrence.Spec{Every: time.Hour, Anchor: noon.Add(1)}, []string{"anchor: microseconds"}},
		"anchor and spread":        {recurrence.Spec{Every: time.Hour, Anchor: noon, Spread: true}, []string{"spread: beside anchor"}},
		"too many instants":        {recurrence.Spec{At: make([]time.Time, 1001)}, []string{"at: 1000 instants at most, got 1001"}},
		"bad instants":             {recurrence.Spec{At: []time.Time{noon, {}, noon.Add(1)}}, []string{"at[1]: from 1970", "at[2]: microseconds"}},
		"end before start":         {recurrence.Spec{Every: time.Hour, Start: noon, End: noon}, []string{"end: must be after start"}},
		"early end":                {recurrence.Spec{Every: time.Hour, End: utc("1960-01-01T00:00:00Z")}, []string{"end: from 1970"}},
		"late start":               {recurrence.Spec{Every: time.Hour, Start: noon.AddDate(8000, 0, 0)}, []string{"start: from 1970"}},
		"nothing within":           {recurrence.Spec{Cron: []string{"0 0 29 2 *"}, Start: noon, End: noon.AddDate(1, 0, 0)}, []string{"end: no occurrence"}},
		"nothing after":            {recurrence.Spec{At: []time.Time{noon}, Start: noon.Add(time.Hour)}, []string{"start: no occurrence"}},
		"bad days":                 {recurrence.Spec{Every: time.Hour, Exclude: []string{"sat", "02-30", "x"}}, []string{"exclude[1]: 02-30", "exclude[2]: \"x\""}},
		"all days":                 {recurrence.Spec{Every: time.Hour, Exclude: []string{"01-01..12-31"}}, []string{"exclude: all days"}},
		"all excluded":             {recurrence.Spec{Cron: []string{"0 9 * * mon"}, Exclude: []string{"mon"}}, []string{"exclude: no occurrence"}},
		"one day excluded":         {recurrence.Spec{At: []time.Time{noon}, Zone: "Asia/Tokyo", Exclude: []string{"2026-11-21"}}, []string{"exclude: no occurrence"}},
		"settings of others": {
			recurrence.Spec{At: []time.Time{noon}, Anchor: noon, Spread: true, Days: recurrence.DaysOr, Gap: recurrence.GapSkip, Fold: recurrence.FoldBoth},
			[]string{"anchor: without every", "spread: without every", "day_rule: without cron", "dst.gap: without cron", "dst.overlap: without cron"},
		},
		"unknown policies": {
			recurrence.Spec{Cron: []string{"@daily"}, Days: 9, Gap: 9, Fold: 9},
			[]string{"day_rule: quartz", "dst.gap: skip", "dst.overlap: both"},
		},
		"all at once": {
			recurrence.Spec{Cron: []string{"x"}, Zone: "x", Exclude: []string{"x"}, Start: noon, End: noon},
			[]string{"time_zone: x", "cron: x", "end: after", "exclude[0]: x"},
		},
	} {
		err := tt.spec.Validate()
		faults, ok := errors.AsType[recurrence.Faults](err)
		if !ok {
			t.Errorf("%s: the error is %v, want Faults", name, err)
			continue
		}
		if len(faults) != len(tt.want) {
			t.Errorf("%s: %d faults (%v), want %d", name, len(faults), err, len(tt.want))
			continue
		}
		for i, want := range tt.want {
			field, part, _ := strings.Cut(want, ": ")
			if faults[i].Field != field || !strings.Contains(faults[i].Reason, part) {
				t.Errorf("%s: fault is %q: %q, want of %q about %q", name, faults[i].Field, faults[i].Reason, field, part)
			}
		}
	}
}

func TestSpecFaultsAreBounded(t *testing.T) {
	spec := recurrence.Spec{At: make([]time.Time, recurrence.MaxInstants), Exclude: make([]string, recurrence.MaxDays)}
	if err := spec.Validate(); err == nil || len(err.Error()) > 20_000 {
		t.Error("a thousand faults: no error, or one as long")
	}
}

// What depends on the key is judged by the key.
func TestSpecWithKey(t *testing.T) {
	day31 := recurrence.Spec{Cron: []string{"0 0 31 H *"}}
	if err := day31.Validate(); err != nil {
		t.Errorf("31 H: %v", err)
	}
	refused := 0
	for i := range 60 {
		if _, err := day31.Compile(recurrence.Context{Key: fmt.Sprint("key", i)}); err != nil {
			refused++
		}
	}
	if refused < 10 || refused > 40 {
		t.Errorf("31 H was refused for %d of 60 keys, want about 25", refused)
	}
	for name, spec := range map[string]recurrence.Spec{
		"H":      {Cron: []string{"H 0 * * *"}},
		"spread": {Every: time.Hour, Spread: true},
	} {
		if _, err := spec.Compile(recurrence.Context{}); err == nil {
			t.Errorf("%s without a key: no error", name)
		}
		if err := spec.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A schedule keeps its instants in microseconds: the rule has no finer ones, or
// an occurrence could come twice.
func TestSpecHasWholeMicroseconds(t *testing.T) {
	context := recurrence.Context{Key: "poll", Anchor: utc("2026-11-21T12:00:00.000001999Z")}
	for _, spec := range []recurrence.Spec{{Every: time.Second}, {Every: 1001 * time.Millisecond, Spread: true}} {
		rule, err := spec.Compile(context)
		if err != nil {
			t.Fatal(err)
		}
		if at := rule.Next(utc("2026-11-21T12:00:00Z")); at.Nanosecond()%1000 != 0 {
			t.Errorf("%+v has an occurrence at %v", spec, at)
		}
	}
}

func TestSpecAsksForItsZones(t *testing.T) {
	var asked []string
	context := recurrence.Context{Zones: func(name string) (*time.Location, error) {
		asked = append(asked, name)
		return time.FixedZone(name, 3600), nil
	}}
	rule, err := recurrence.Spec{Cron: []string{"0 9 * * *"}, Zone: "Ruritania/Strelsau"}.Compile(context)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(rule.Next(utc("2026-11-21T12:00:00Z"))), "2026-11-22T09:00:00+01:00"; got != want {
		t.Errorf("Next = %s, want %s", got, want)
	}
	if len(asked) == 0 || asked[0] != "Ruritania/Strelsau" {
		t.Errorf("asked for the zones %q", asked)
	}
}
