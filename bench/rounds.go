package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// run is one call of the command.
type run struct {
	workloads []workload
	rivals    []rival
	rounds    int
	scale     float64

	results  io.Writer // gets a line of JSON for each result
	progress io.Writer
}

// do measures everything, round by round, and returns what it has, even if some
// could not be measured or ctx ended it.
func (r run) do(ctx context.Context) ([]result, error) {
	var (
		results []result
		faults  []error
		plans   = r.plans()
		here    = thisMachine()
	)
	for i, p := range plans {
		if ctx.Err() != nil {
			return results, errors.Join(append(faults, context.Cause(ctx))...)
		}
		begin := time.Now()
		f, err := measureApart(ctx, p)
		took := time.Since(begin).Round(100 * time.Millisecond)
		if err != nil {
			faults = append(faults, err)
			r.report("%3d/%d  round %d  %-12s  %-16s  failed after %v\n", i+1, len(plans), p.Round, p.Workload, p.Rival, took)
			continue
		}
		r.report("%3d/%d  round %d  %-12s  %-16s  %v\n", i+1, len(plans), p.Round, p.Workload, p.Rival, took)
		one := result{p, f, here}
		results = append(results, one)
		if err := writeResult(r.results, one); err != nil {
			return results, errors.Join(append(faults, err)...)
		}
	}
	return results, errors.Join(faults...)
}

// plans returns all measurements in their order. The rivals take turns within a
// workload, and each round begins with another one, so that none always comes
// after the same neighbour.
func (r run) plans() []plan {
	var plans []plan
	for round := range r.rounds {
		for _, w := range r.workloads {
			for i := range r.rivals {
				rival := r.rivals[(round+i)%len(r.rivals)]
				if w.suits(rival) {
					plans = append(plans, plan{w.name, rival.name, round + 1, r.scale})
				}
			}
		}
	}
	return plans
}

func (r run) report(format string, args ...any) {
	fmt.Fprintf(r.progress, format, args...) //nolint:errcheck // progress that can't be shown stops nothing
}
