package wire

import (
	"errors"
	"math"
	"strings"
	"time"
)

// Duration is a time.Duration that is written as a string, such as "1h30m0s".
type Duration time.Duration

// Errors of ParseDuration.
var (
	// ErrNoDuration: the text is no duration.
	ErrNoDuration = errors.New(`must be a duration such as "90s", "1h30m" or "48h", with the units h, m, s, ms, us, ns`)
	// ErrLongDuration: the text is a duration beyond what can be told.
	ErrLongDuration = errors.New("must not be over 2562047h, which is 292 years")
)

// String returns the duration as time.Duration writes it.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// ParseDuration reads what time.ParseDuration reads: numbers with the units h,
// m, s, ms, us, ns. With ErrLongDuration comes the duration that is nearest.
func ParseDuration(text string) (time.Duration, error) {
	v, err := time.ParseDuration(text)
	switch {
	case err == nil:
		return v, nil
	case !wellFormed(text):
		return 0, ErrNoDuration
	case strings.HasPrefix(text, "-"):
		return math.MinInt64, ErrLongDuration
	}
	return math.MaxInt64, ErrLongDuration
}

// wellFormed reports whether text is a duration but for its size. Its digits
// become ones, and fewer; all zeros would need no unit.
func wellFormed(text string) bool {
	var short strings.Builder
	digits := 0
	for _, r := range text {
		if r < '0' || r > '9' {
			digits = 0
			short.WriteRune(r)
		} else if digits++; digits <= 3 {
			short.WriteByte('1')
		}
	}
	_, err := time.ParseDuration(short.String())
	return err == nil
}
