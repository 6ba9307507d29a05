// Package invariant holds assertions that cost nothing in release builds.
//
// It owns one switch and one check. It refuses to know everything else: it
// imports the standard library only, so that any package may assert.
//
//	go build                      Enabled = false, Check is empty
//	go build -tags invariants     Enabled = true,  Check panics
//
// A violated invariant is a defect of this program, never bad input: bad input
// is an error. Every test run of this module has the tag on (make test).
//
// The compiler inlines the empty Check, but it still evaluates the arguments of
// the call. Where these cost something, guard the call with the constant, and
// the compiler drops the whole block from a release build:
//
//	if invariant.Enabled {
//		invariant.Check(w.verify() == nil, "wheel is damaged at tick %d", now)
//	}
//
// All of it may be called from any number of goroutines.
package invariant
