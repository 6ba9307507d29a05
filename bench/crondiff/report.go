package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// report writes the classes of all rivals as Markdown: how often, an example that
// can be asked again, and what it means.
func report(all []tally) string {
	var b strings.Builder
	b.WriteString("| rival | expressions | refused | answers compared | differ |\n|---|--:|--:|--:|--:|\n")
	for _, t := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", t.Rival.module, t.Trials, t.Refused, t.Compared, t.differences())
	}
	for _, t := range all {
		fmt.Fprintf(&b, "\n### %s\n\n| class | answers | example | why |\n|---|--:|---|---|\n", t.Rival.module)
		for _, of := range slices.Sorted(maps.Keys(t.Classes)) {
			found := t.Classes[of]
			fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", of, len(found), shortest(found), explanations[t.Rival.name][of])
		}
	}
	return b.String()
}

func (t tally) differences() int {
	n := 0
	for _, found := range t.Classes {
		n += len(found)
	}
	return n
}

// shortest returns the difference of the shortest expression: the easiest to see
// through.
func shortest(found []difference) difference {
	return slices.MinFunc(found, func(a, b difference) int {
		return len(a.Trial.Expr.String()) - len(b.Trial.Expr.String())
	})
}

// String returns the question and both answers on one line.
func (d difference) String() string {
	zone := mustLoad(d.Trial.Zone)
	show := func(at int64) string { return time.Unix(at, 0).In(zone).Format("2006-01-02T15:04:05-07:00") }
	theirs := d.Fault
	if theirs == "" {
		theirs = show(d.Theirs)
	}
	return fmt.Sprintf("%#q %s after %s: %s, theirs %s", d.Trial.Expr.String(), d.Trial.Zone, show(d.After), show(d.Ours), theirs)
}
