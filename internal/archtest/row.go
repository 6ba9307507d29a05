package archtest

import "strings"

// Module is the path of the module that the table describes.
const Module = "github.com/timewheel-dev/timewheel"

// Free is the floor of what stands beside the house: examples, simulations,
// tests of the whole. It imports any package, and no package of the house
// imports it.
const Free = 1000

// Row places the packages that match Pattern on a floor. A pattern is a path
// below the module's: "." for the root package, or one that ends in "/..." for
// a package and all below it. Paths that name packages of others as well as our
// own are full import paths, or a pattern with "./" before it.
type Row struct {
	Pattern string
	Floor   int
	// Owns and Refuses are the two columns of the plan: what the package is
	// for, and what it must not know of.
	Owns, Refuses string

	// Pure packages import the standard library, golang.org/x/sys, and other
	// pure packages of ours.
	Pure bool
	// Driver marks a package that only tests and the packages that Compose
	// import.
	Driver   bool
	Composes bool
	// Kit marks a package that exists for tests: only tests and other kits
	// import it, and it imports what tests may.
	Kit bool

	// Outside lists the modules of others that the package may import.
	Outside []string
	// Ban lists imports that the floor alone would allow.
	Ban []Ban
	// RealTime says why the package may read the real clock itself; empty means
	// that it asks package clock.
	RealTime string
	// TestsUse lists what the package's tests may import beyond what the package
	// may, the package itself, lower floors, and test kits.
	TestsUse []string
}

// Ban forbids the imports that match Path, for a reason.
type Ban struct{ Path, Reason string }

// Table is a list of rows.
type Table []Row

// Row returns the row for a package, given by its path below the module's: of
// the rows that match, the one with the longest pattern.
func (t Table) Row(pkg string) (Row, bool) {
	var best Row
	for _, r := range t {
		if matches(r.Pattern, pkg) && len(r.Pattern) > len(best.Pattern) {
			best = r
		}
	}
	return best, best.Pattern != ""
}

// below returns the path of an import below the module's, and whether it is
// one of ours at all.
func below(importPath string) (string, bool) {
	if importPath == Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, Module+"/")
}

// matches reports whether path is pattern, or lies below a pattern that ends
// in "/...".
func matches(pattern, path string) bool {
	prefix, deep := strings.CutSuffix(pattern, "/...")
	return path == prefix || deep && strings.HasPrefix(path, prefix+"/")
}

// matchesImport is matches for full import paths.
func matchesImport(pattern, importPath string) bool {
	if own, ok := strings.CutPrefix(pattern, "./"); ok {
		path, ours := below(importPath)
		return ours && matches(own, path)
	}
	return matches(pattern, importPath)
}
