package cli

import (
	"context"
	"slices"
	"sync"
	"time"
)

// load is what a number of workers did for a while.
type load struct {
	ops       int
	took      time.Duration
	latencies []time.Duration // of each, sorted
}

// perSecond is the number of items per second, if each operation does so many.
func (l load) perSecond(items int) float64 {
	if l.took <= 0 {
		return 0
	}
	return float64(l.ops*items) / l.took.Seconds()
}

// runLoad has workers do op, one after the other, until the time is up. The
// operations under way are awaited and counted. It stops at the first error.
func runLoad(ctx context.Context, workers int, d time.Duration, op func(context.Context) error) (load, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	parts := make([][]time.Duration, workers)
	begun := time.Now()
	end := begun.Add(d)
	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() {
			for last := time.Now(); last.Before(end) && ctx.Err() == nil; {
				if err := op(ctx); err != nil {
					stop(err)
					return
				}
				now := time.Now()
				parts[i] = append(parts[i], now.Sub(last))
				last = now
			}
		})
	}
	group.Wait()
	l := load{took: time.Since(begun), latencies: slices.Concat(parts...)}
	l.ops = len(l.latencies)
	slices.Sort(l.latencies)
	return l, context.Cause(ctx)
}
