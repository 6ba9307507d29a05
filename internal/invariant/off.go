//go:build !invariants

package invariant

// Enabled reports whether this build checks its invariants. It is a constant,
// so that a block under it vanishes from a release build.
const Enabled = false

// Check does nothing in builds without the tag invariants.
func Check(bool, string, ...any) {}
