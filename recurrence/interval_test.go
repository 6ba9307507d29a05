package recurrence_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func TestEvery(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		every          time.Duration
		anchor         string // empty: none
		at             string
		previous, next string
	}{
		{10 * time.Minute, "", "2026-11-21T09:03:00Z", "2026-11-21T09:00:00Z", "2026-11-21T09:10:00Z"},
		{10 * time.Minute, "", "2026-11-21T09:10:00Z", "2026-11-21T09:00:00Z", "2026-11-21T09:20:00Z"},
		{10 * time.Minute, "2026-11-21T09:03:30Z", "2026-11-21T09:10:00Z", "2026-11-21T09:03:30Z", "2026-11-21T09:13:30Z"},
		{10 * time.Minute, "2030-01-01T00:07:00Z", "2026-11-21T09:10:00Z", "2026-11-21T09:07:00Z", "2026-11-21T09:17:00Z"},
		{90 * time.Second, "1969-12-31T23:59:00Z", "1969-12-31T23:59:00Z", "1969-12-31T23:57:30Z", "1970-01-01T00:00:30Z"},
		{time.Millisecond, "", "2026-11-21T09:00:00.0005Z", "2026-11-21T09:00:00Z", "2026-11-21T09:00:00.001Z"},
		{7 * day, "0001-01-01T12:00:00Z", "9999-12-24T00:00:00Z", "9999-12-20T12:00:00Z", "9999-12-27T12:00:00Z"},
		{7 * day, "9999-12-27T12:00:00Z", "0001-01-01T12:00:00Z", "", "0001-01-08T12:00:00Z"},
		{day, "", "9999-12-31T00:00:00Z", "9999-12-30T00:00:00Z", ""},
		{day, "", "9998-12-31T23:59:59.999999999Z", "9998-12-31T00:00:00Z", "9999-01-01T00:00:00Z"},
		{math.MaxInt64, "2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "1707-09-22T00:12:43.145224193Z", "2292-04-10T23:47:16.854775807Z"},
	} {
		var anchor time.Time
		if tt.anchor != "" {
			anchor = utc(tt.anchor)
		}
		r := recurrence.Every(tt.every, anchor)
		at := utc(tt.at)
		if got := shown(r.Next(at)); got != tt.next {
			t.Errorf("every %v from %v: Next(%v) = %v, want %v", tt.every, tt.anchor, tt.at, got, tt.next)
		}
		if got := shown(r.Previous(at)); got != tt.previous {
			t.Errorf("every %v from %v: Previous(%v) = %v, want %v", tt.every, tt.anchor, tt.at, got, tt.previous)
		}
	}
}

func shown(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func TestEveryTakesAnyInstant(t *testing.T) {
	r := recurrence.Every(time.Hour, time.Time{})
	first, last := utc("0001-01-01T01:00:00Z"), utc("9999-12-31T23:00:00Z")
	for _, early := range []time.Time{{}, time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(-1<<60, 0)} {
		if got := r.Next(early); !got.Equal(first) {
			t.Errorf("Next(%v) = %v, want %v", early, got, first)
		}
		if got := r.Previous(early); !got.IsZero() {
			t.Errorf("Previous(%v) = %v, want none", early, got)
		}
	}
	for _, late := range []time.Time{time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<60, 0)} {
		if got := r.Previous(late); !got.Equal(last) {
			t.Errorf("Previous(%v) = %v, want %v", late, got, last)
		}
		if got := r.Next(late); !got.IsZero() {
			t.Errorf("Next(%v) = %v, want none", late, got)
		}
	}
}

func TestEveryKeepsTheZoneOfItsAnchor(t *testing.T) {
	berlin := mustZone("Europe/Berlin")
	r := recurrence.Every(24*time.Hour, time.Date(2026, 10, 24, 9, 0, 0, 0, berlin))
	if got, want := r.Next(utc("2026-10-24T22:00:00Z")).String(), "2026-10-25 08:00:00 +0100 CET"; got != want {
		t.Errorf("24 hours after 9 o'clock, over the change: %v, want %v", got, want)
	}
}

func TestEveryRefuses(t *testing.T) {
	for name, call := range map[string]func(){
		"too short":      func() { recurrence.Every(time.Millisecond-1, time.Time{}) },
		"negative":       func() { recurrence.Every(-time.Hour, time.Time{}) },
		"year 0":         func() { recurrence.Every(time.Hour, time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)) },
		"the year 10000": func() { recurrence.Every(time.Hour, time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// Every occurrence is a whole multiple away from the anchor, by arithmetic of any
// length.
func TestEveryIsExact(t *testing.T) {
	seconds := rapid.Int64Range(utc("0001-01-01T00:00:01Z").Unix(), utc("9999-12-31T23:59:59Z").Unix()) // the zero Time is no anchor
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(seconds.Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	})
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(int64(time.Millisecond), math.MaxInt64).Draw(t, "d"))
		anchor, at := instant.Draw(t, "anchor"), instant.Draw(t, "at")
		r := recurrence.Every(d, anchor)
		obey(t, r, at)
		next := r.Next(at)
		if next.IsZero() {
			return
		}
		if new(big.Int).Rem(nanoseconds(next, anchor), big.NewInt(int64(d))).Sign() != 0 {
			t.Fatalf("%v is not a multiple of %v from %v", next, d, anchor)
		}
		if nanoseconds(next, at).Cmp(big.NewInt(int64(d))) > 0 {
			t.Fatalf("Next(%v) = %v is more than %v later", at, next, d)
		}
	})
}

// nanoseconds returns t − u.
func nanoseconds(t, u time.Time) *big.Int {
	n := new(big.Int).Mul(big.NewInt(t.Unix()-u.Unix()), big.NewInt(1e9))
	return n.Add(n, big.NewInt(int64(t.Nanosecond()-u.Nanosecond())))
}
