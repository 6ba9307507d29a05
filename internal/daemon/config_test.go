package daemon

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/telemetry"
)

func TestEveryFaultOfAConfigIsReported(t *testing.T) {
	c := Config{
		Listen: "nowhere", Shards: -1, DrainTimeout: 2 * time.Hour, MaxPayload: 2 << 20, MaxBatchBody: 1 << 20,
		Horizon: time.Millisecond, Window: 10, CatchUpRate: -1, PushConcurrency: -1, Token: "two words",
	}.WithDefaults()
	var faults ConfigError
	if err := c.Validate(); !errors.As(err, &faults) {
		t.Fatalf("Validate returned %v, want a ConfigError", err)
	}
	for _, what := range []string{
		"--listen must be HOST:PORT", "--shards must be from 0 to 4096, got -1", "--drain-timeout must be from 1ns to 1h0m0s, got 2h0m0s",
		"--max-batch-body must not be under --max-payload, 2MiB, got 1MiB", "--horizon", "--window", "--catch-up-rate must be from 1 to 1000000, got -1", "--push-concurrency", "token",
	} {
		if !strings.Contains(faults.Error(), what) {
			t.Errorf("the faults do not say %q: %s", what, faults)
		}
	}
}

func TestTheZeroConfigIsGood(t *testing.T) {
	if err := (Config{}).WithDefaults().Validate(); err != nil {
		t.Error(err)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "512": 512, "7B": 7, "64KiB": 64 << 10, "1MiB": 1 << 20, "3 GiB": 3 << 30, "1024": 1024,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is read as %d, %v; want %d", text, s, err, want)
		}
		var again Size
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%d is written as %q, which is read as %d, %v", s, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "1MB", "9999999999GiB", "0x10"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d, want an error", text, s)
		}
	}
}

func TestLimitsReachTheScheduler(t *testing.T) {
	c := Config{Window: 2048, CatchUpRate: 7, Horizon: time.Hour, DrainTimeout: time.Second}.WithDefaults()
	d := &daemon{c: c, metrics: telemetry.New("test"), journal: newJournal(c.Log)}
	if o := d.schedulerOptions(); o.Window != 2048 || o.CatchUpRate != 7 || o.Horizon != time.Hour || o.DrainTimeout != time.Second {
		t.Errorf("options %+v", o)
	}
}
