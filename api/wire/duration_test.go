package wire

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]struct {
		d   time.Duration
		err error
	}{
		"90s":                       {90 * time.Second, nil},
		"-1h30m":                    {-90 * time.Minute, nil},
		"2562047h":                  {2562047 * time.Hour, nil},
		"2562048h":                  {math.MaxInt64, ErrLongDuration},
		"99999999h":                 {math.MaxInt64, ErrLongDuration},
		"1h99999999999999999999.5s": {math.MaxInt64, ErrLongDuration},
		"-99999999h":                {math.MinInt64, ErrLongDuration},
		"":                          {0, ErrNoDuration},
		"5":                         {0, ErrNoDuration},
		"99999999":                  {0, ErrNoDuration},
		"99999999d":                 {0, ErrNoDuration},
		"soon":                      {0, ErrNoDuration},
	} {
		if d, err := ParseDuration(text); d != want.d || !errors.Is(err, want.err) {
			t.Errorf("%q is %d, %v; want %d, %v", text, d, err, want.d, want.err)
		}
	}
}

// What a Duration writes it reads again.
func TestDurationsAreReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Duration(rapid.Int64().Draw(t, "d"))
		text, err := want.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var got Duration
		if err := got.UnmarshalText(text); err != nil || got != want {
			t.Errorf("%s is read as %s, %v", text, got, err)
		}
	})
}
