//go:build invariants

package invariant_test

import (
	"testing"

	"github.com/timewheel-dev/timewheel/internal/invariant"
)

func TestCheckPanicsWithTheMessage(t *testing.T) {
	if !invariant.Enabled {
		t.Fatal("Enabled is false in a build with the tag invariants")
	}
	defer func() {
		const want = "invariant violated: slot 3 holds 7 entries"
		if got := recover(); got != want {
			t.Errorf("Check panicked with %v, want %q", got, want)
		}
	}()
	invariant.Check(false, "slot %d holds %d entries", 3, 7)
}

func TestCheckLetsTheTruthPass(t *testing.T) {
	invariant.Check(true, "slot %d holds %d entries", 3, 7)
}
