package recurrence

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseErrorsTellFieldPositionAndReason(t *testing.T) {
	for _, c := range []struct {
		expr, field string
		pos         int
		reason      string
	}{
		{"", "", 0, "empty"},
		{"   ", "", 3, "empty"},
		{"* * * *", "", 0, "number of fields is 4"},
		{"* * * * * * * *", "", 0, "number of fields is 8"},
		{"60 * * * *", "minute", 0, "0 to 59"},
		{"0 24 * * *", "hour", 2, "0 to 23"},
		{"0 0 0 * *", "day of month", 4, "1 to 31"},
		{"0 0 * 13 *", "month", 6, "1 to 12"},
		{"0 0 * JANUARY *", "month", 6, "JAN to DEC"},
		{"0 0 * * 8", "day of week", 8, "0 to 7"},
		{"60 * * * * *", "second", 0, "0 to 59"},
		{"0 0 0 1 1 * 1969", "year", 12, "1970 to 9999"},
		{"0 0 0 1 1 * 10000", "year", 12, "1970 to 9999"},
		{"0,5,,7 * * * *", "minute", 4, "missing"},
		{"5, * * * *", "minute", 2, "missing"},
		{"0 22-6 * * *", "hour", 2, "22-23,0-6"},
		{"0 0 * NOV-FEB *", "month", 6, "NOV-DEC,JAN-FEB"},
		{"*/0 * * * *", "minute", 2, "1 to 60"},
		{"*/61 * * * *", "minute", 2, "1 to 60"},
		{"0 */x * * *", "hour", 4, "step"},
		{"0 */2/3 * * *", "hour", 4, "step"},
		{"0 -5 * * *", "hour", 2, "0 to 23"},
		{"0 +5 * * *", "hour", 2, "0 to 23"},
		{"0 00005 * * *", "hour", 2, "0 to 23"},
		{"0 0 L-31 * *", "day of month", 4, "1 to 30"},
		{"0 0 L3 * *", "day of month", 4, "LW"},
		{"0 0 32W * *", "day of month", 4, "1 to 31"},
		{"0 0 * * FRI#6", "day of week", 12, "1 to 5"},
		{"0 0 * * #2", "day of week", 8, "0 to 7"},
		{"0 0 * * L", "day of week", 8, "SATL"},
		{"0 0 * * XL", "day of week", 8, "SUN to SAT"},
		{"0 L * * *", "hour", 2, "0 to 23"},
		{"0 0 ? * ?", "day of week", 8, "both"},
		{"0 0 ?,1 * *", "day of month", 4, "alone"},
		{"0 0 ?/2 * *", "day of month", 4, "1 to 31"},
		{"H * * * *", "minute", 0, "key"},
		{"@reboot", "", 0, "machine"},
		{"@fortnightly", "", 0, "@weekly"},
		{"@daily 5", "", 7, "nothing can follow"},
		{"@every", "interval", 6, "1ms"},
		{"@every 0s", "interval", 7, "1ms"},
		{"@every -5s", "interval", 7, "1ms"},
		{"@at tomorrow", "instant", 4, "RFC 3339"},
		{"TZ=UTC @every 5s", "", 14, "no time zone"},
		{"TZ= 0 0 * * *", "time zone", 3, "missing"},
		{"CRON_TZ=Europe/Berlim 0 0 * * *", "time zone", 8, "Europe/Berlin"},
		{"CRON_TZ=UTC", "", 11, "empty"},
		{"0 0 31 2 *", "day of month", 4, "never comes in February"},
		{"0 0 30W 2 *", "day of month", 4, "never comes in February"},
		{"0 0 31 4,6 *", "day of month", 4, "April, June"},
		{"0 0 0 29 2 ? 2027", "year", 13, "no day"},
		{"0 0 0 29 2 ? 2100", "year", 13, "no day"},
		{"0 0 0 * 2 SUN#5 2027-2031", "year", 16, "no day"},
		{strings.Repeat("1,", 100) + "1 * * * *", "minute", 200, "100 entries"},
		{strings.Repeat(" ", 1025), "", 1024, "1025 bytes"},
	} {
		_, err := Parse(c.expr)
		var e *ParseError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v is no ParseError", c.expr, err)
			continue
		}
		if e.Field != c.field || e.Pos != c.pos || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%q: field %q, position %d: %s\nwant %q, %d, %q", c.expr, e.Field, e.Pos, e.Reason, c.field, c.pos, c.reason)
		}
	}
}

func TestParseErrorsThatOptionsCause(t *testing.T) {
	newYork := zoneNamed(t, "America/New_York")
	for _, c := range []struct {
		expr   string
		option Option
		reason string
	}{
		{"0 0 8-14 * MON#3", OnDays(DaysAnd), "no day in January"},
		{"0 0 1 * 1", OnDays(DaysQuartz), "none is"},
		{"0 0 ? * 0", OnDays(DaysQuartz), "1 to 7"},
		{"TZ=UTC 0 0 * * *", In(newYork), "America/New_York"},
		{"0 0 H(1-29) * *", Key("k"), "1 to 28"},
		{"H(5) * * * *", Key("k"), "a-b"},
		{"H(5-9 * * * *", Key("k"), "H/n"},
		{"HOUR * * * *", Key("k"), "H/n"},
		{"H(0-9)/11 * * * *", Key("k"), "1 to 10"},
		{"0 30 2 8 3 ? 2026", In(newYork), ""},
	} {
		_, err := Cron(c.expr, c.option)
		if c.reason == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: %v, want %q", c.expr, err, c.reason)
		}
	}
	_, err := Cron("0 30 2 8 3 ? 2026", In(newYork), OnGap(GapSkip))
	if err == nil || !strings.Contains(err.Error(), "skip every time") {
		t.Errorf("a time that New York skips: %v", err)
	}
}

// The end of a line, as files and Windows have it, is no part of an expression.
func TestTheEndOfALineIsLeftOut(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", " \r\n"} {
		if _, err := Cron("0 9 * * MON" + end); err != nil {
			t.Errorf("with %q behind it: %v", end, err)
		}
	}
}

func TestParseErrorIsOneLine(t *testing.T) {
	_, err := Cron("0 9 * * MO\nN")
	const want = `recurrence: "0 9 * * MO\nN": day of week, column 9, at "MO\nN": allowed is a number from 0 to 7, 0 and 7 for Sunday, or a name from SUN to SAT; or FRI#2, FRIL`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := Cron(strings.Repeat("é", 500)); err == nil || len(err.Error()) > 500 {
		t.Errorf("%v", err)
	}
}

func TestTheExpressionNamesItsZone(t *testing.T) {
	for _, expr := range []string{"CRON_TZ=Asia/Tokyo 0 9 * * *", " TZ=Asia/Tokyo  0 9 * * *"} {
		for _, opts := range [][]Option{nil, {In(zoneNamed(t, "Asia/Tokyo"))}, {Zones(LoadZone)}, {Zones(nil)}} {
			if got := shown(mustCron(t, expr, opts...).Next(year(2026))); got != "2026-01-02T00:00:00Z" {
				t.Errorf("%q is next at %s", expr, got)
			}
		}
	}
}

func TestParseReadsAllKinds(t *testing.T) {
	for expr, want := range map[string]string{
		"@every 90s":                    "2026-01-01T00:01:10Z",
		"@EVERY  1h30m":                 "2026-01-01T01:29:40Z",
		"@at 2026-12-24T18:00:00+01:00": "2026-12-24T17:00:00Z",
		"@hourly":                       "2026-01-01T01:00:00Z",
		"TZ=Asia/Kolkata 30 5 1 1 *":    "2027-01-01T00:00:00Z",
		"30 5 1 1 *":                    "2026-01-01T05:30:00Z",
	} {
		rule, err := Parse(expr, Anchor(time.Date(2025, 12, 31, 23, 59, 40, 0, time.UTC)))
		if err != nil {
			t.Errorf("%q: %v", expr, err)
		} else if got := shown(rule.Next(year(2026))); got != want {
			t.Errorf("%q is next at %s, want %s", expr, got, want)
		}
	}
}

func TestPoliciesReadWhatTheyWrite(t *testing.T) {
	for i := range uint8(4) {
		if g, err := ParseGap(Gap(i).String()); i < 3 && (err != nil || g != Gap(i)) {
			t.Errorf("gap %d: %v, %v", i, g, err)
		}
		if f, err := ParseFold(Fold(i).String()); err != nil || f != Fold(i) {
			t.Errorf("fold %d: %v, %v", i, f, err)
		}
		if d, err := ParseDayRule(DayRule(i).String()); err != nil || d != DayRule(i) {
			t.Errorf("day rule %d: %v, %v", i, d, err)
		}
	}
	if _, err := ParseGap("before"); err == nil || !strings.Contains(err.Error(), "after, skip") {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range firstDays {
		f.Add(c.expr)
	}
	for _, expr := range []string{"@every 1h", "@at 2026-01-01T00:00:00Z", "H/7 H(2-5) H * H", "TZ=Asia/Tokyo 0 9 * * *", "0 0 31 2 *", "é\xff"} {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		rule, err := Parse(expr, Key("key"))
		var e *ParseError
		if err != nil {
			if !errors.As(err, &e) || e.Expr != expr || e.Pos < 0 || e.Pos > len(expr) || e.Reason == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		at := time.Date(2026, 7, 1, 0, 0, 0, 500, time.UTC)
		if next := rule.Next(at); !next.IsZero() && !next.After(at) {
			t.Fatalf("%q: after %s comes %s", expr, at, next)
		}
		if previous := rule.Previous(at); !previous.IsZero() && !previous.Before(at) {
			t.Fatalf("%q: before %s comes %s", expr, at, previous)
		}
	})
}
