// Package recurrence says when what recurs is due: by cron expressions, intervals,
// lists of instants, and what can be made of them. A [Rule] is a pure function of an
// instant; the package has no clock, and waits for nothing.
//
//	rule, err := recurrence.Cron("0 9 * * MON-FRI", recurrence.In(berlin))
//	next := rule.Next(now)
//
// # How a cron expression is answered
//
//	"0 9 * * MON-FRI"
//	      │ Cron: once
//	      ▼
//	fields ──▶ calendar              bit sets of seconds … months, days of each month
//	              │ ▲
//	   wall time  │ │ not before
//	              ▼ │ this wall time
//	           search ◀──▶ zone      spans of constant offset from UTC
//	              │
//	              ▼
//	           instant
//
// The calendar knows no zones: it finds the next wall time that the fields name by
// skipping from set bit to set bit, whole months and years at once. The search sees
// whether the span that it is in ever shows this wall time; if not, it goes on with the
// next span, or jumps to those around the wall time if that is far. No search steps
// through minutes or days, and a rule knows its first and its last occurrence from
// the beginning.
//
// Excluded days are taken out of the calendar itself, so that no search has to pass
// them one by one.
//
// # When clocks change
//
// Where the offset grows, clocks go forward over a gap: wall times that never come.
// Where it shrinks, they go back: wall times come twice, in two passes. What this means
// to a rule depends on how it repeats:
//
//	               example          in a gap              come twice
//	fixed times    30 2 * * *       once, at its end      at the first pass
//	hourly         30 * * * *       not                   at both passes
//	spaced         */15 * * * *     not                   at both passes
//
// A rule is spaced if its minute or its second is written with a * or a step: it then
// follows what the clock on the wall shows, and keeps its distances. It is hourly if
// it is not spaced and its hours are all 24, so that each real hour has its run.
// For these and for fixed times [OnGap] and [OnFold] choose otherwise; spaced rules
// take no notice.
//
// [GapAfter] makes up for all that a gap holds by one occurrence at the first instant
// after it, which may be an occurrence anyway. All this holds for changes of any size:
// half an hour, midnight, a whole day.
//
// # Time zones
//
// [LoadZone] has the zone data in the package itself, of the version that
// [ZoneVersion] tells: the same on every machine.
//
// # Concurrency
//
// Rules never change, and may be used from many goroutines at once.
package recurrence
