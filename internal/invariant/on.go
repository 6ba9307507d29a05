//go:build invariants

package invariant

import "fmt"

// Enabled reports whether this build checks its invariants. It is a constant,
// so that a block under it vanishes from a release build.
const Enabled = true

// Check panics with the formatted message, in builds with the tag invariants,
// if cond is false.
func Check(cond bool, format string, args ...any) {
	if !cond {
		panic("invariant violated: " + fmt.Sprintf(format, args...))
	}
}
