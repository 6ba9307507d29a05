package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// The command starts its own executable to compare; in a test that is the test's.
func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(childVariable); ok {
		exitOn(compareHere(name, os.Stdin, os.Stdout))
		return
	}
	os.Exit(m.Run())
}

// Two hundred expressions; `go run ./crondiff` does ten thousand.
func TestDifferencesAreExplained(t *testing.T) {
	var table, progress bytes.Buffer
	if err := command(t.Context(), []string{"-n", "200", "-seed", "2"}, &table, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	for _, r := range rivals {
		if !strings.Contains(table.String(), "### "+r.module) {
			t.Errorf("no table of %s:\n%s", r.name, table.String())
		}
	}
}

// What is put into the judge must come out of it: an answer of ours that is wrong
// must be seen to be.
func TestClassifyFindsOursWrong(t *testing.T) {
	noon := expression{
		Minute: field{Text: "0", Set: 1}, Hour: field{Text: "12", Set: 1 << 12},
		Day: field{Text: "*", Set: span(1, 31, 1), Star: true}, Month: field{Text: "*", Set: span(1, 12, 1), Star: true},
		Weekday: field{Text: "*", Set: span(0, 6, 1), Star: true},
	}
	at := func(s string) int64 { return instant(t, s).Unix() }
	d := difference{
		Rival: "robfig", Trial: trial{Expr: noon, Zone: "UTC"},
		After: at("2026-01-01T00:00:00Z"), Ours: at("2026-01-02T12:00:00Z"), Theirs: at("2026-01-01T12:00:00Z"),
	}
	if got := classify(d); got != oursWrong {
		t.Errorf("%q, want %q", got, oursWrong)
	}
	d.Ours, d.Theirs = d.Theirs, d.Ours
	if got := classify(d); got != classLost {
		t.Errorf("%q, want %q", got, classLost)
	}
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
