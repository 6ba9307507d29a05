package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

const (
	askClock = "ask package clock for the time, so that a test can step it"
	stayWake = "this wait can't be stopped: use a timer beside a context or a channel"
	hope     = "a test that sleeps hopes: run it in a testing/synctest bubble, or wait for the condition itself"
)

// readings are the functions of package time that read or follow the real
// clock, with the reason against each. Timers are not among them: in a bubble
// they follow the bubble's time.
var readings = map[string]string{
	"Now": askClock, "Since": askClock, "Until": askClock,
	"Sleep": stayWake, "After": stayWake, "Tick": stayWake,
}

// checkTime finds uses of the real clock in a package that may not read it.
// A test file with bubbles is left alone: in a bubble the clock is not real.
func checkTime(f file, row Row) []Violation {
	if row.RealTime != "" || !f.has("time") {
		return nil
	}
	if f.test && f.has("testing/synctest") {
		return nil
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.name, f.source, parser.SkipObjectResolution)
	if err != nil {
		return []Violation{{File: f.name, What: "does not parse", Reason: err.Error()}}
	}
	var found []Violation
	ast.Inspect(tree, func(n ast.Node) bool {
		if name, ok := f.timeName(n); ok {
			if reason := against(name, f.test); reason != "" {
				line := fset.Position(n.Pos()).Line
				found = append(found, Violation{f.name, line, "uses time." + name, reason})
			}
		}
		return true
	})
	return found
}

// against returns the reason not to use a function of package time here, or
// nothing. A test may read the clock, and bound a wait with time.After.
func against(name string, test bool) string {
	switch {
	case !test:
		return readings[name]
	case name == "Sleep":
		return hope
	default:
		return ""
	}
}

// timeName returns the name behind "time." if n is such an expression, under
// whichever name the file imports package time.
func (f file) timeName(n ast.Node) (string, bool) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && slices.ContainsFunc(f.imports, func(imp importLine) bool {
		return imp.path == "time" && (imp.name == pkg.Name || imp.name == "" && pkg.Name == "time")
	})
}

func (f file) has(path string) bool {
	return slices.ContainsFunc(f.imports, func(imp importLine) bool { return imp.path == path })
}
