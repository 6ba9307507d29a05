package api

import (
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

func TestInstants(t *testing.T) {
	for text, want := range map[string]string{
		"2030-01-02T03:04:05Z":                       "2030-01-02T03:04:05Z",
		"2030-01-02T03:04:05+02:00":                  "2030-01-02T01:04:05Z",
		"2030-01-02T03:04:05-23:59":                  "2030-01-03T03:03:05Z",
		"2030-01-02T03:04:05.1Z":                     "2030-01-02T03:04:05.1Z",
		"2030-01-02T03:04:05.123456789Z":             "2030-01-02T03:04:05.123456789Z",
		"2030-01-02T03:04:05.12345+01:30":            "2030-01-02T01:34:05.12345Z",
		"2030-01-02T03:04:05+11:11":                  "2030-01-01T15:53:05Z",
		"2030-01-02T03:04:05.1234567890000Z":         "2030-01-02T03:04:05.123456789Z",
		"2030-01-02T03:04:05.12345678900001Z":        "2030-01-02T03:04:05.12345679Z",
		"2030-01-02T03:04:05.99999999999999999Z":     "2030-01-02T03:04:06Z",
		"2030-01-02T03:04:05.00000000000000001-01:0": "",
		"2030-01-02T03:04:05":                        "",
		"2030-01-02 03:04:05Z":                       "",
		"2030-01-02T3:04:05Z":                        "",
		"2030-01-02T03:04:05,5Z":                     "",
		"2030-01-02T03:04:60Z":                       "",
		"2030-01-02T24:00:00Z":                       "",
		"2030-01-02T03:04:05+24:00":                  "",
		"2030-13-02T03:04:05Z":                       "",
		"2030-01-02":                                 "",
		"":                                           "",
		"1893553445":                                 "",
	} {
		got, err := parseInstant([]byte(text))
		switch {
		case want == "" && err == nil:
			t.Errorf("%q was taken for %s", text, got)
		case want != "" && (err != nil || got.UTC().Format(time.RFC3339Nano) != want):
			t.Errorf("%q is %s (%v), want %s", text, got, err, want)
		}
	}
}

// An instant finer than a microsecond is due after, never before.
func TestInstantsRoundUp(t *testing.T) {
	exact, err := parseInstant([]byte("2030-01-02T03:04:05.000001Z"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"2030-01-02T03:04:05.0000000001Z", "2030-01-02T03:04:05.000000001Z", "2030-01-02T03:04:05.00000099999999999Z"} {
		got, err := parseInstant([]byte(text))
		if err != nil || task.CeilInstant(got) != task.CeilInstant(exact) {
			t.Errorf("%s is due at %s (%v)", text, task.CeilInstant(got).Time().Format(time.RFC3339Nano), err)
		}
	}
}

func TestTraceparents(t *testing.T) {
	for text, want := range map[string]bool{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":  true,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00":  true,
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":  false,
		"00-00000000000000000000000000000000-b7ad6b7169203331-01":  false,
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01":  false,
		"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01":  false,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331":     false,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-": false,
		"00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01":  false,
		"": false,
	} {
		if got := validTraceparent(text); got != want {
			t.Errorf("%q is valid: %v, want %v", text, got, want)
		}
	}
}
