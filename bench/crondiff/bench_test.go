package main

import (
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// BenchmarkNext asks every parser the same four questions, in a zone that changes its
// clocks:
//
//	go test -run xxx -bench Next ./crondiff
func BenchmarkNext(b *testing.B) {
	zone, err := recurrence.LoadZone("America/New_York")
	if err != nil {
		b.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 34, 56, 0, zone)
	ours := rival{"recurrence", "", func(e expression, zone *time.Location) (next, error) {
		rule, err := recurrence.Cron(e.String(), recurrence.In(zone))
		return func(after time.Time) (time.Time, error) { return rule.Next(after), nil }, err
	}}
	for _, q := range []struct{ name, fields string }{
		{"quarters", "*/15 * * * *"},
		{"workdays", "0 9 * * 1-5"},
		{"monthly", "30 3 1 * *"},
		{"29-February", "0 0 29 2 *"},
	} {
		for _, r := range append([]rival{ours}, rivals...) {
			b.Run(q.name+"/"+r.name, func(b *testing.B) {
				ask, err := r.open(quoted(q.fields), zone)
				if err != nil {
					b.Skip("it refuses the expression: ", err)
				}
				for b.Loop() {
					if _, err := ask(at); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
