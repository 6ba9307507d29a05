// Command crondiff asks other cron parsers of Go what it asks the package
// recurrence, and explains each answer that differs.
//
//	go run ./crondiff -n 10000 -seed 1 > table.md
//
// It makes up expressions in the dialect that all share – five fields of values,
// ranges, steps, lists and names – and asks for 20 occurrences after an instant,
// one after another, in zones where clocks change in different ways. An answer
// that differs is put into a class by what it is about, and a third opinion says
// who is right: judge, which knows nothing of either but steps through the
// minutes. A class that is not known for its rival, or an answer of ours that the
// judge does not share, is a failure.
//
//	parent ── expression, zone, instant ──▶ child of a rival ── differences ──▶ class ── table
//	              (killed and started anew: some rivals never return)
//
// A child has two goroutines: one that compares, one that ends the process when
// the first is stuck. The package knows of recurrence only what is exported.
package main
