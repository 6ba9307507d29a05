package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for _, c := range []struct {
		sorted []time.Duration
		p      float64
		want   time.Duration
	}{
		{nil, 50, 0},
		{[]time.Duration{7}, 0, 7},
		{[]time.Duration{7}, 100, 7},
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred, 99.1, 100},
		{hundred, 100, 100},
		{hundred, 0, 1},
		{[]time.Duration{1, 2, 3}, 50, 2},
	} {
		if got := percentile(c.sorted, c.p); got != c.want {
			t.Errorf("percentile %v of %d values is %d, want %d", c.p, len(c.sorted), got, c.want)
		}
	}
	for want, vs := range map[float64][]float64{0: nil, 2: {3, 1, 2}, 2.5: {4, 1, 3, 2}} {
		if got := median(slices.Clone(vs)); got != want {
			t.Errorf("the median of %v is %v, want %v", vs, got, want)
		}
	}
}

func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := runLoad(t.Context(), 3, time.Second, func(context.Context) error {
			time.Sleep(300 * time.Millisecond)
			return nil
		})
		if err != nil || l.ops != 12 || l.took != 1200*time.Millisecond || l.perSecond(10) != 100 || percentile(l.latencies, 100) != 300*time.Millisecond {
			t.Errorf("got %+v, %v; want 3 workers to do 4 operations each, the last one awaited", l, err)
		}
		broken := errors.New("gone")
		var ops atomic.Int64
		if _, err := runLoad(t.Context(), 3, time.Hour, func(context.Context) error {
			if ops.Add(1) == 5 {
				return broken
			}
			time.Sleep(time.Second)
			return nil
		}); !errors.Is(err, broken) || ops.Load() > 8 {
			t.Errorf("after %d operations: %v", ops.Load(), err)
		}
	})
}

func TestBenchSchedule(t *testing.T) {
	s := newShell(t)
	dir := t.TempDir()
	out := s.must("bench", "schedule", "--rounds", "1", "--time", "50ms", "--conns", "4", "--batch", "20", "--batch-conns", "2", "--dir", dir, "--json")
	var names []string
	for line := range strings.Lines(out) {
		var r contestResult
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.PerSecond <= 0 || r.P50 <= 0 || r.P99 < r.P50 || (r.Ratio > 0) == strings.Contains(r.Name, "Pebble") {
			t.Errorf("got %+v", r)
		}
		names = append(names, strings.TrimSpace(r.Name))
	}
	if want := "single PUTs, 4 connections|Pebble: single sets, 4 goroutines|batches of 20, 2 connections|Pebble: batches of 20, 2 goroutines"; strings.Join(names, "|") != want {
		t.Errorf("measured %q, want %q", names, want)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	has(t, "the table", s.must("bench", "schedule", "--rounds", "1", "--time", "20ms", "--batch", "5", "--dir", dir), "TASKS/S", "OF PEBBLE", "single PUTs", "medians of 1 rounds")
}

func TestBenchLateness(t *testing.T) {
	s := newShell(t)
	var r latenessResult
	out := s.must("bench", "lateness", "--tasks", "20", "--over", "100ms", "--dir", t.TempDir(), "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Tasks != 20 || r.Lost != 0 || r.Again != 0 || r.Early != 0 || r.FiredP50 < 0 || r.P50 < r.FiredP50 || r.Max < r.P99 {
		t.Errorf("got %+v", r)
	}
}

func TestBenchOfARunningDaemon(t *testing.T) {
	s := withDaemon(t)
	s.must("bench", "lateness", "--running", "--tasks", "1", "--over", "1ms", "--dir", t.TempDir())
	has(t, "the daemon's queues", s.must("queues", "list"), benchQueue+"-")
}
