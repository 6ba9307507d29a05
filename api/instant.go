package api

import (
	"errors"
	"time"
)

const notInstant = `must be an RFC 3339 instant such as "2026-01-31T09:00:00Z"`

var errInstant = errors.New(notInstant)

// parseInstant reads an RFC 3339 instant. time keeps nine digits of a
// fraction; an instant that has more is moved to the next nanosecond, so that
// nothing fires early.
func parseInstant(text []byte) (time.Time, error) {
	var t time.Time
	if err := t.UnmarshalText(text); err != nil {
		return t, err
	}
	if !exact(text) {
		return t, errInstant
	}
	if finer(text) {
		t = t.Add(1)
	}
	return t, nil
}

// exact reports whether text, which time has read, is RFC 3339 to the letter:
// time is lax about hours of one digit, decimal commas, and zones beyond a day.
func exact(text []byte) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(text) <= seconds || text[len("2006-01-02T15")] != ':' || text[seconds] == ',' {
		return false
	}
	if text[len(text)-1] == 'Z' {
		return true
	}
	zone := text[len(text)-len("07:00"):]
	return string(zone[:2]) < "24" && string(zone[3:]) < "60"
}

// finer reports whether text has digits beyond the ninth of its fraction that
// are not 0.
func finer(text []byte) bool {
	const point = len("2006-01-02T15:04:05")
	for i := point + 1; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if i > point+9 && text[i] != '0' {
			return true
		}
	}
	return false
}
