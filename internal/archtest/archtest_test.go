package archtest_test

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/timewheel-dev/timewheel/internal/archtest"
)

// TestFloors holds this module to its table. It reads the files itself, through
// package os, so that the go command knows them as inputs of this test: its
// cache can't hide a new import.
func TestFloors(t *testing.T) {
	violations, err := archtest.Floors.Check(os.DirFS(moduleDir(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// TestFloorsAreRead proves that the reading finds this very module: held to a
// table in which this package lives alone, and under a ban that it breaks, both
// it and the other packages must be found at fault.
func TestFloorsAreRead(t *testing.T) {
	alone := archtest.Table{{Pattern: "internal/archtest", Ban: []archtest.Ban{{Path: "go/ast", Reason: "to be found"}}}}
	violations, err := alone.Check(os.DirFS(moduleDir(t)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, v := range violations {
		found[path.Dir(v.File)+": "+v.What] = true
	}
	for _, want := range []string{
		"internal/archtest: imports go/ast",
		"internal/backoff: package internal/backoff has no row in the table",
	} {
		if !found[want] {
			t.Errorf("the reading of the module's files did not find %q", want)
		}
	}
}

func TestEveryRowSaysWhy(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range archtest.Floors {
		if seen[r.Pattern] {
			t.Errorf("%s has two rows", r.Pattern)
		}
		seen[r.Pattern] = true
		if r.Owns == "" || r.Refuses == "" {
			t.Errorf("%s does not say what it owns and what it refuses to know", r.Pattern)
		}
		for _, b := range r.Ban {
			if b.Path == "" || b.Reason == "" {
				t.Errorf("%s bans %q without a reason", r.Pattern, b.Path)
			}
		}
	}
}

// moduleDir returns the directory of this module: the nearest one above the
// test's with a go.mod.
func moduleDir(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's directory")
		}
		dir = parent
	}
}
