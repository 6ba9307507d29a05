package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command starts its own executable to measure; in a test that is the test's.
func TestMain(m *testing.M) {
	if told, ok := os.LookupEnv(planVariable); ok {
		exitOn(measureHere(told, os.Stdout))
		return
	}
	os.Exit(m.Run())
}

// tiny makes every workload take some tens of milliseconds.
const tiny = 0.005

// everything measures all once, at a tiny scale.
func everything(t *testing.T) []result {
	var progress bytes.Buffer
	r := run{workloads: workloads, rivals: rivals(), rounds: 1, scale: tiny, results: io.Discard, progress: &progress}
	results, err := r.do(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	if lines := strings.Count(progress.String(), "\n"); lines != len(r.plans()) {
		t.Errorf("%d lines of progress, want one for each of %d measurements", lines, len(r.plans()))
	}
	return results
}

// Every workload of every rival yields the figures that its rows show; ours and
// package time are never early, lose nothing and fire nothing twice.
func TestEveryWorkloadOfEveryRival(t *testing.T) {
	measured := map[cell]float64{}
	results := everything(t)
	for _, r := range results {
		for name, value := range r.Figures {
			measured[cell{r.Workload, name, r.Rival}] = value
		}
	}
	for _, w := range workloads {
		for _, r := range rivals() {
			if w.suits(r) {
				checkFigures(t, measured, w, r)
			}
		}
	}
	checkTable(t, results)
}

func checkFigures(t *testing.T, measured map[cell]float64, w workload, r rival) {
	for _, row := range w.rows {
		value, ok := measured[cell{w.name, row.figure, r.name}]
		switch {
		case !ok && r.name == "go-zero" && row.figure == "after_stop":
			continue // its Stop says nothing
		case !ok:
			t.Errorf("%s of %s has no figure %s", w.name, r.name, row.figure)
		case row.ratio && value <= 0 && r.name != "go-zero": // which may be early at the median
			t.Errorf("%s of %s: %s is %v, which can't be", w.name, r.name, row.figure, value)
		}
		switch row.figure {
		case "early", "lost", "doubled", "after_stop":
			if value != 0 && r.name != "go-zero" {
				t.Errorf("%s of %s: %v timers %s", w.name, r.name, value, row.label)
			}
		}
	}
}

// checkTable asks for a row for each figure, and as many cells in each row as
// there are rivals.
func checkTable(t *testing.T, results []result) {
	var out strings.Builder
	if err := writeTable(&out, results); err != nil {
		t.Fatal(err)
	}
	bars := strings.Count(strings.SplitN(out.String(), "\n", 2)[0], "|")
	if bars != len(rivals())+2 {
		t.Errorf("the head has %d bars, with %d rivals", bars, len(rivals()))
	}
	for _, w := range workloads {
		for _, r := range w.rows {
			line := lineWith(out.String(), w.title, r.label)
			if strings.Count(line, "|") != bars {
				t.Errorf("the row of %s, %s is %q; want %d bars as in the head", w.name, r.label, line, bars)
			}
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// lineWith returns the row with that title and label.
func lineWith(table, title, label string) string {
	if label != "" {
		title += ": " + label
	}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| "+title+" |") {
			return line
		}
	}
	return ""
}

// What was written as JSON gives the same table again.
func TestTableFromResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	var measured, read strings.Builder
	measure := []string{"-workloads", "memory,resetrandom", "-rivals", "timewheel,time", "-rounds", "3", "-scale", "0.001", "-json", file}
	if err := command(t.Context(), measure, &measured, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := command(t.Context(), []string{"-from", file}, &read, io.Discard); err != nil {
		t.Fatal(err)
	}
	if measured.String() != read.String() {
		t.Errorf("the table of the run is\n%s\nand that of its results\n%s", measured.String(), read.String())
	}
}

func TestWrongArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-workloads idle,nap", `no workload "nap"; take some of addcancel,`},
		{"-rivals sundial", `no rival "sundial"; take some of timewheel,`},
		{"-rounds 0", "-rounds must be at least 1"},
		{"-scale 0", "-scale more than 0"},
		{"-scale 2", "at most 1"},
		{"-from nowhere.jsonl", "nowhere.jsonl"},
		{"-tempo 3", "not defined: -tempo"},
	} {
		err := command(t.Context(), strings.Fields(c.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.args, err, c.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	if err := command(ctx, nil, &out, io.Discard); err == nil || out.Len() > 0 {
		t.Errorf("an interrupted run returns %v and prints %q; want an error and no table", err, out.String())
	}
}

// A measurement that fails is told, and does not keep the others from being made.
func TestOneFails(t *testing.T) {
	r := run{
		workloads: []workload{{name: "nap"}, {name: "memory"}}, rivals: []rival{packageTime()},
		rounds: 1, scale: tiny, results: io.Discard, progress: io.Discard,
	}
	results, err := r.do(t.Context())
	if err == nil || !strings.Contains(err.Error(), `no workload "nap"`) {
		t.Errorf("the error is %v, want that of the process", err)
	}
	if len(results) != 1 || results[0].Workload != "memory" {
		t.Errorf("results are %v, want one of memory", results)
	}
}
