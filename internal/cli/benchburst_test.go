package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fixedBurst has made-up sightings: a burst at an even rate, with and without
// jitter, and one task each that was lost, early and doubled.
func fixedBurst() burstReport {
	const schedules = 1000
	r := burstReport{setting: "1,000 schedules, of made-up figures"}
	for run, jitter := range []time.Duration{0, 8 * time.Second} {
		s := newBurstSeen(&benchBurstCmd{Schedules: schedules, Every: 100 * time.Millisecond, Quiet: 2 * time.Second}, jitter)
		s.put, s.memory = 40*time.Millisecond, float64((100+run)<<20)
		for i := range schedules - run { // of the second run, one is lost
			due := jitter * time.Duration(i) / schedules
			s.burst.add(fmt.Sprint(i), sighting{due, due + time.Duration(i)*1500*time.Microsecond/time.Duration(1+5*run)})
		}
		s.burst.add("7", sighting{0, time.Second})
		for i := range s.others {
			due, late := s.otherDue(i), 700*time.Microsecond
			if due >= 0 && run == 0 {
				late = 25 * time.Millisecond
			}
			if i == 3 {
				late = -time.Millisecond
			}
			s.other.add(fmt.Sprint(i), sighting{due, due + late})
		}
		r.runs = append(r.runs, s)
	}
	return r
}

func TestOutputOfBenchBurst(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		out, name := &syncBuffer{}, "output/bench-burst.txt"
		if asJSON {
			name = "output/bench-burst.json"
		}
		svg := filepath.Join(t.TempDir(), "burst.svg")
		if err := fixedBurst().show(&app{process{out: out}, &grammar{JSON: asJSON}}, svg); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
		drawn, err := os.ReadFile(svg)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "output/bench-burst.svg", string(drawn))
		wellFormed(t, svg)
	}
}

func TestBenchBurst(t *testing.T) {
	s := newShell(t)
	dir := t.TempDir()
	svg := filepath.Join(t.TempDir(), "burst.svg")
	out := s.must("bench", "burst", "--schedules", "200", "--jitter", "1s", "--quiet", "200ms", "--dir", dir, "--svg", svg, "--json")
	var jitters []float64
	for line := range strings.Lines(out) {
		var r burstResult
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		jitters = append(jitters, r.Jitter)
		for name, q := range map[string]lateResult{"burst": r.Burst, "other before": r.Before, "other during": r.During} {
			if q.Early != 0 || q.Lost != 0 || q.Doubles != 0 {
				t.Errorf("%s: got %+v, want none early, lost or doubled", name, q)
			}
		}
		if r.Burst.Tasks != 200 || r.Before.Tasks != 40 || r.Peak < 1 || r.Peak > 200 {
			t.Errorf("got %s", line)
		}
		if r.Jitter > 0 && r.During.Tasks == 0 {
			t.Error("the other queue had no tasks while the jittered ones were due")
		}
	}
	if !slices.Equal(jitters, []float64{0, 1}) {
		t.Errorf("measured with the jitters %v, want none and one second", jitters)
	}
	if drawn := wellFormed(t, svg); drawn["polyline"] != 2 || drawn["rect"] < 3 {
		t.Errorf("the drawing has %v", drawn)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBenchBurstRefuses(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"--schedules 0", "--schedules must be from 1 to 1000000, got 0", exitUsage},
		{"--schedules 1000001", "--schedules must be from 1 to 1000000", exitUsage},
		{"--jitter 0s", "--jitter must be from 1ms to 10m0s, got 0s", exitUsage},
		{"--every 2s", "--every must be from 1ms to 1s, got 2s", exitUsage},
		{"--quiet 1h", "--quiet must be from 1ms to 1m0s, got 1h0m0s", exitUsage},
		{"--svg /nowhere/burst.svg", "--svg: open /nowhere/burst.svg", exitFailure},
		{"--dir /nowhere", "choose another place with --dir", exitFailure},
	} {
		_, err, code := s.run(append([]string{"bench", "burst"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(err, c.says) {
			t.Errorf("%s: exit code %d, %q; want %d and %q", c.args, code, err, c.code, c.says)
		}
	}
}

func TestBenchBurstCanBeInterrupted(t *testing.T) {
	s := newShell(t)
	wait := s.start("bench", "burst", "--schedules", "1", "--quiet", "1m", "--dir", t.TempDir())
	s.signals <- syscall.SIGINT
	if code := wait(); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	has(t, "the error", s.err.String(), "interrupted")
}

func TestOthersDue(t *testing.T) {
	s := burstSeen{every: 10, quiet: 25, others: 8} // due at −25, −15, −5, 5, 15, 25, 35, 45
	for _, c := range []struct {
		from, to time.Duration
		want     int
	}{
		{-25, 0, 3}, {0, 5, 0}, {0, 6, 1}, {-25, 1000, 8}, {-1000, -25, 0}, {-24, 46, 7}, {5, 15, 1},
	} {
		due := 0
		for i := range s.others {
			if at := s.otherDue(i); at >= c.from && at < c.to {
				due++
			}
		}
		if got := s.othersDue(c.from, c.to); got != c.want || due != c.want {
			t.Errorf("from %d to %d: %d are due, counted one by one %d, want %d", c.from, c.to, got, due, c.want)
		}
	}
}

// TestBurstIsOver only when all of it came, and all of the other queue that was
// due by then.
func TestBurstIsOver(t *testing.T) {
	s := burstSeen{schedules: 2, every: 10, quiet: 10, others: 100}
	step := func(want bool, into *sightings, key string, due, fired time.Duration) {
		t.Helper()
		into.add(key, sighting{due, fired})
		if got := s.complete(); got != want {
			t.Errorf("after %s: over is %t, want %t", key, got, want)
		}
	}
	step(false, &s.burst, "a", 0, 3)
	step(false, &s.burst, "a", 0, 4) // again
	step(false, &s.other, "-10", -10, -9)
	step(false, &s.burst, "b", 0, 12) // 0 and 10 of the other are due by then
	step(false, &s.other, "20", 20, 21)
	step(false, &s.other, "0", 0, 1)
	step(true, &s.other, "10", 10, 11)
}
