//go:build !invariants

package invariant_test

import (
	"testing"

	"github.com/timewheel-dev/timewheel/internal/invariant"
)

func TestReleaseBuildsCheckNothing(t *testing.T) {
	if invariant.Enabled {
		t.Fatal("Enabled is true in a build without the tag invariants")
	}
	invariant.Check(false, "this must not panic: %d", 1)
}

func TestReleaseBuildsAllocateNothing(t *testing.T) {
	n := 1 << 40
	allocs := testing.AllocsPerRun(100, func() {
		invariant.Check(n < 0, "n is %d", n)
		n++
	})
	if allocs != 0 {
		t.Errorf("an empty Check allocates %v times a call, want 0", allocs)
	}
}
