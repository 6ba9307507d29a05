package cli

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// fixedReport has made-up figures over their whole range, three rounds with the
// median in the middle, and one cell left out.
func fixedReport() schemeReport {
	r := schemeReport{setting: "medians of 3 rounds, in turns; 100µs ticks, one shard; of made-up figures"}
	figures := map[string][len(schemeKinds)]func(live float64) float64{
		"hierarchical": {func(n float64) float64 { return 50 + n/50_000 }, func(float64) float64 { return 410 }, func(float64) float64 { return 0 }},
		"hashed":       {func(n float64) float64 { return 55 + n/10_000 }, func(float64) float64 { return 450 }, func(n float64) float64 { return 1 + n/5000 }},
		"ticking":      {func(n float64) float64 { return 60 + n/20_000 }, func(float64) float64 { return 900 }, func(float64) float64 { return 412.345 }},
		"delayqueue":   {func(n float64) float64 { return 90 + n/20_000 }, func(float64) float64 { return 700 }, func(float64) float64 { return 0.004 }},
		"heap":         {func(n float64) float64 { return 70 + n/3000 }, func(n float64) float64 { return 500 + n/1000 }, func(float64) float64 { return 0.02 }},
		"list":         {func(float64) float64 { return 45 }, func(n float64) float64 { return 500 + 1.7*n }, func(float64) float64 { return 0.03 }},
	}
	for _, live := range liveSizes(1_000_000) {
		for _, s := range timewheel.Schemes() {
			c := schemeCell{scheme: s.String(), live: live}
			if c.scheme == "list" && live == 1_000_000 {
				c.leftOut = "to set them took more than 5s"
				r.cells = append(r.cells, c)
				continue
			}
			for kind := range schemeKinds {
				if schemeKinds[kind].applies(live) {
					v := figures[c.scheme][kind](float64(live))
					c.rounds[kind] = []float64{2 * v, v / 2, v}
				}
			}
			r.cells = append(r.cells, c)
		}
	}
	return r
}

func TestOutputOfBenchSchemes(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		out, name := &syncBuffer{}, "output/bench-schemes.txt"
		if asJSON {
			name = "output/bench-schemes.json"
		}
		svg := filepath.Join(t.TempDir(), "costs.svg")
		if err := fixedReport().show(&app{process{out: out}, &grammar{JSON: asJSON}}, svg); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
		drawn, err := os.ReadFile(svg)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "output/bench-schemes.svg", string(drawn))
	}
}

// wellFormed counts the elements of an SVG.
func wellFormed(t *testing.T, file string) map[string]int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	elements := map[string]int{}
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
}

func TestBenchSchemes(t *testing.T) {
	s := newShell(t)
	svg := filepath.Join(t.TempDir(), "costs.svg")
	out := s.must("bench", "schemes", "--rounds", "1", "--time", "2ms", "--idle", "2ms", "--max-live", "20", "--tick", "1ms", "--svg", svg, "--json")
	seen := map[int][]string{}
	for line := range strings.Lines(out) {
		var r schemeResult
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.LeftOut != "" || r.SetAndStop == nil || *r.SetAndStop <= 0 || r.Expire == nil || *r.Expire < 0 || (r.Idle != nil) != (r.Live > 0) {
			t.Errorf("got %s", line)
		}
		seen[r.Live] = append(seen[r.Live], r.Scheme)
	}
	want := []string{"hierarchical", "hashed", "ticking", "delayqueue", "heap", "list"}
	if len(seen) != 2 || !slices.Equal(seen[0], want) || !slices.Equal(seen[20], want) {
		t.Errorf("measured %v, want %v with 0 and with 20 timers", seen, want)
	}
	if drawn := wellFormed(t, svg); drawn["polyline"] != len(schemeKinds)*len(want) {
		t.Errorf("the drawing has %d curves, want %d", drawn["polyline"], len(schemeKinds)*len(want))
	}
}

func TestBenchSchemesSaysWhatItLeavesOut(t *testing.T) {
	s := newShell(t)
	svg := filepath.Join(t.TempDir(), "costs.svg")
	out := s.must("bench", "schemes", "--rounds", "1", "--time", "1ms", "--idle", "1ms", "--max-live", "20", "--patience", "1ns", "--svg", svg)
	for _, scheme := range timewheel.Schemes() {
		has(t, "the output", out, "left out: "+scheme.String()+" with 20 timers: to set them took more than 1ns\n")
	}
	drawn, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	has(t, "the drawing", string(drawn), ">left out: list with 20 timers: to set them took more than 1ns<")
}

func TestBenchSchemesRefuses(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"--max-live 0", "must be above 0", exitUsage},
		{"--patience 0s", "must be above 0", exitUsage},
		{"--tick 1ns", "--tick: timewheel: Config.Tick is 1ns", exitUsage},
		{"--svg /nowhere/costs.svg", "--svg: open /nowhere/costs.svg", exitFailure},
	} {
		_, err, code := s.run(append([]string{"bench", "schemes"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(err, c.says) {
			t.Errorf("%s: exit code %d, %q; want %d and %q", c.args, code, err, c.code, c.says)
		}
	}
}

func TestBenchSchemesCanBeInterrupted(t *testing.T) {
	s := newShell(t)
	wait := s.start("bench", "schemes", "--time", "1h", "--idle", "1h", "--max-live", "1")
	s.signals <- syscall.SIGINT
	if code := wait(); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	has(t, "the error", s.err.String(), "interrupted")
}

// TestMeasurementsEndWithTheContext hangs if one of them goes on for its hour.
func TestMeasurementsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newMeasuredWheel(timewheel.Hierarchical, time.Millisecond)
	for kind := range schemeKinds {
		schemeKinds[kind].measure(w, ctx, time.Hour)
	}
	if _, err := w.fill(ctx, 1, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("to fill a wheel ended with %v", err)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
}

func TestLiveSizes(t *testing.T) {
	for most, want := range map[int][]int{
		1: {0, 1}, 1000: {0, 1000}, 1001: {0, 1000, 1001}, 100_000: {0, 1000, 10_000, 100_000},
	} {
		if got := liveSizes(most); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", most, got, want)
		}
	}
}

func TestCPUTimeRises(t *testing.T) {
	before := cpuTime()
	for begun := time.Now(); cpuTime() == before; {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("ten busy seconds took no processor time")
		}
	}
}
