package archtest

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Violation is one line of source that the table does not allow.
type Violation struct {
	File   string // below the module's directory
	Line   int    // 0 for the file as a whole
	What   string
	Reason string
}

// String returns the violation as an editor can jump to it.
func (v Violation) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", v.File, v.Line, v.What, v.Reason)
}

// Check reads the module in fsys and returns all that the table does not allow,
// in the order of the files. The error is that of reading.
func (t Table) Check(fsys fs.FS) ([]Violation, error) {
	files, err := readModule(fsys)
	if err != nil {
		return nil, err
	}
	var all []Violation
	homeless := map[string]bool{}
	for _, f := range files {
		row, ok := t.Row(f.pkg)
		if !ok {
			if !homeless[f.pkg] {
				all = append(all, noRow(f))
			}
			homeless[f.pkg] = true
			continue
		}
		all = append(all, t.checkImports(f, row)...)
		all = append(all, checkTime(f, row)...)
	}
	return all, nil
}

func noRow(f file) Violation {
	return Violation{
		File: f.name, What: "package " + f.pkg + " has no row in the table",
		Reason: "say in internal/archtest/floors.go which floor it lives on, what it owns and what it refuses to know",
	}
}

func (t Table) checkImports(f file, row Row) []Violation {
	var found []Violation
	for _, imp := range f.imports {
		if reason := t.refusal(f, row, imp.path); reason != "" {
			found = append(found, Violation{f.name, imp.line, "imports " + imp.path, reason})
		}
	}
	return found
}

// refusal says why f, which lives on row, may not import path. It is empty if
// it may.
func (t Table) refusal(f file, row Row, path string) string {
	if f.test && testMay(f, row, path) {
		return ""
	}
	if reason := row.banned(path); reason != "" && !f.test {
		return reason
	}
	if own, ours := below(path); ours {
		return t.refusalOfOurs(f, row, own)
	}
	switch {
	case isStandard(path):
		return refusalOfStandard(f, row, path)
	case row.Floor == Free || isSys(path):
		return ""
	case (f.test || row.Kit) && isTestKit(path):
		return ""
	case row.Pure && !f.test:
		return "this package promises its users the standard library and golang.org/x/sys only"
	case row.outside(path):
		return ""
	default:
		return "a new dependency is a decision: do without, or add it to this package's row"
	}
}

// refusalOfOurs is refusal for packages of this module.
func (t Table) refusalOfOurs(f file, row Row, pkg string) string {
	target, ok := t.Row(pkg)
	switch {
	case !ok || row.Floor == Free:
		return "" // a package without a row is reported where it stands
	case target.Kit && f.test && target.Floor <= row.Floor:
		return ""
	case target.Floor == Free:
		return "that stands beside the house: nothing in the house leans on it"
	case target.Floor > row.Floor:
		return fmt.Sprintf("floor %d is above floor %d; %s refuses to know %s", target.Floor, row.Floor, f.pkg, row.Refuses)
	case target.Floor == row.Floor:
		return fmt.Sprintf("both live on floor %d; %s refuses to know %s", row.Floor, f.pkg, row.Refuses)
	case f.test:
		return ""
	case target.Kit && !row.Kit:
		return "that is a test kit, and this file is no test"
	case target.Driver && !row.Composes:
		return "a driver is chosen in the composition root alone, so that all else runs on any of them"
	case row.Pure && !target.Pure:
		return "this package promises its users the standard library and golang.org/x/sys only, and that one does not"
	}
	return ""
}

// refusalOfStandard is refusal for packages of the standard library.
func refusalOfStandard(f file, row Row, path string) string {
	switch {
	case path == "C" && row.Floor != Free:
		return "the daemon is one static binary, and the library builds without a C compiler"
	case isTesting(path) && !f.test && !row.Kit && row.Floor != Free:
		return "a program does not carry its tests' tools"
	}
	return ""
}

// testMay reports whether the table lets this test file import path, whatever
// the floors say.
func testMay(f file, row Row, path string) bool {
	if pkg, ours := below(path); ours && pkg == f.pkg {
		return true // a test from outside its own package
	}
	return slices.ContainsFunc(row.TestsUse, func(p string) bool { return matchesImport(p, path) })
}

// banned returns why the row forbids path, or nothing.
func (r Row) banned(path string) string {
	for _, b := range r.Ban {
		if matchesImport(b.Path, path) {
			return b.Reason
		}
	}
	return ""
}

func (r Row) outside(path string) bool {
	return slices.ContainsFunc(r.Outside, func(p string) bool { return matches(p, path) })
}

// isStandard reports whether path is of the standard library, whose paths
// alone have no dot in their first element.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func isTesting(path string) bool { return matches("testing/...", path) }

func isSys(path string) bool { return matches("golang.org/x/sys/...", path) }

// isTestKit reports whether path is one of the two kits that any test may use:
// random operations against a model, and the search for leaked goroutines.
func isTestKit(path string) bool {
	return path == "pgregory.net/rapid" || path == "go.uber.org/goleak"
}
