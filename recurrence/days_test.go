package recurrence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func TestDaysHas(t *testing.T) {
	for _, tt := range []struct {
		entries string
		in, out string
	}{
		{"2026-12-25", "2026-12-25", "2026-12-24 2026-12-26 2025-12-25"},
		{"2026-12-24..2027-01-01", "2026-12-24 2026-12-31 2027-01-01", "2026-12-23 2027-01-02"},
		{"12-25", "2026-12-25 1900-12-25 9999-12-25", "2026-12-24 2026-12-26"},
		{"12-24..01-01", "2026-12-24 2026-12-31 2027-01-01 1999-01-01", "2026-12-23 2026-01-02 2026-06-01"},
		{"01-01..12-30", "2026-01-01 2026-12-30 2028-02-29", "2026-12-31"},
		{"02-28..03-01", "2026-02-28 2028-02-29 2026-03-01", "2026-02-27 2026-03-02"},
		{"02-29", "2028-02-29 2000-02-29", "2026-02-28 2026-03-01"},
		{"sat SUN", "2026-11-21 2026-11-22", "2026-11-20 2026-11-23"},
		{"2026-01-05..2026-01-06 2026-01-01..2026-01-04 2026-01-02..2026-01-03", "2026-01-01 2026-01-04 2026-01-05 2026-01-06", "2025-12-31 2026-01-07"},
		{"", "", "2026-12-25 0001-01-01"},
	} {
		days, err := recurrence.ParseDays(strings.Fields(tt.entries))
		if err != nil {
			t.Errorf("%s: %v", tt.entries, err)
			continue
		}
		for date := range strings.FieldsSeq(tt.in) {
			if !days.Has(civil(date)) {
				t.Errorf("%s: does not have %s", tt.entries, date)
			}
		}
		for date := range strings.FieldsSeq(tt.out) {
			if days.Has(civil(date)) {
				t.Errorf("%s: has %s", tt.entries, date)
			}
		}
	}
}

func civil(s string) (int, time.Month, int) { return utc(s + "T00:00:00Z").Date() }

func TestParseDaysRefuses(t *testing.T) {
	const anyOf = "must be a date of the calendar"
	for _, tt := range []struct{ entries, want string }{
		{"2026-02-30", anyOf},
		{"02-30", anyOf},
		{"2026-13-01", anyOf},
		{"1969-12-31", anyOf},
		{"26-12-25", anyOf},
		{"2026-12-25T00:00:00Z", anyOf},
		{"caturday", anyOf},
		{"2026-12-24..", anyOf},
		{"..2026-12-24", anyOf},
		{"2026-12-24..2026-12-25..2026-12-26", anyOf},
		{"mon..fri", anyOf},
		{"2026-12-24..01-01", "in both dates or in none"},
		{"2026-12-24..2026-12-23", "must not end before it begins"},
		{"sat nonsense", "entry 2 of the list"},
		{"sun mon tue wed thu fri sat", "all days"},
		{"01-01..12-31", "all days"},
		{"12-24..12-23", "all days"},
		{"01-01..06-30 07-01..12-31", "all days"},
		{"1970-01-01..9999-12-31", "all days"},
		{"1970-01-01..1999-12-30 2000-01-02..9999-12-31 fri sat", "all days"},
	} {
		_, err := recurrence.ParseDays(strings.Fields(tt.entries))
		if err == nil {
			t.Errorf("%s: no error", tt.entries)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %q does not say %q", tt.entries, err, tt.want)
		}
	}
	if _, err := recurrence.ParseDays([]string{""}); err == nil {
		t.Error("an empty entry: no error")
	}
	if _, err := recurrence.ParseDays(make([]string, recurrence.MaxDays+1)); err == nil || !strings.Contains(err.Error(), "1000 entries at most") {
		t.Errorf("too many entries: error %v", err)
	}
	if _, err := recurrence.ParseDays([]string{strings.Repeat("x", 5000)}); err == nil || len(err.Error()) > 500 {
		t.Error("a long entry: no error, or one as long")
	}
}

// A set that leaves one day of the calendar is a set.
func TestParseDaysTakesAlmostAllDays(t *testing.T) {
	for _, entries := range []string{"03-01..02-28", "sun mon tue wed thu fri", "1970-01-02..9999-12-31", "03-01..02-28 sun mon tue wed thu fri"} {
		if _, err := recurrence.ParseDays(strings.Fields(entries)); err != nil {
			t.Errorf("%s: %v", entries, err)
		}
	}
}
