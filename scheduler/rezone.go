package scheduler

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/store"
)

// rezone works the next occurrences out anew that were worked out with other
// zone data than this program has: "at nine" is another instant when a country
// changes its clocks. It looks through all schedules, once, beside the work, and
// does not give up when the store is in trouble.
func (s *Scheduler) rezone(ctx context.Context) {
	const again = time.Second
	for _, sh := range s.shards {
		for err := s.rezoneShard(ctx, sh); err != nil; err = s.rezoneShard(ctx, sh) {
			if ctx.Err() != nil || errors.Is(err, ErrClosed) || errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrClosed) {
				return
			}
			s.trouble("working schedules out with new zone data", err)
			if !pause(ctx, again) {
				return
			}
		}
	}
}

func (s *Scheduler) rezoneShard(ctx context.Context, sh *shard) error {
	const atOnce = 64 // plans in memory
	for q := (store.ScheduleQuery{Limit: MaxPageSize}); ; {
		page, err := s.store.ListSchedules(ctx, sh.n, q)
		if err != nil || len(page) == 0 {
			return err
		}
		var ops []op
		for _, sc := range page {
			if sc.Zones != "" && sc.Zones != s.rules.version {
				ops = append(ops, &changeScheduleOp{at: store.ScheduleRef(sc), f: rezoneOne})
			}
		}
		for part := range slices.Chunk(ops, atOnce) {
			if err := sh.do(ctx, part...); err != nil {
				return err
			}
			for _, o := range part {
				if err := o.(*changeScheduleOp).err; err != nil && !errors.Is(err, ErrNoSchedule) {
					s.trouble("working a schedule out with new zone data", err)
				}
			}
		}
		q.After = store.ScheduleRef(page[len(page)-1])
	}
}

// rezoneOne works one schedule's cursor out anew, if it lies ahead. What is due
// already stays what it is.
func rezoneOne(_ context.Context, tx *tx, r *scheduleRecord) error {
	t, err := tx.sh.s.rules.compile(r.cur)
	if err != nil {
		return &callersError{err}
	}
	next := r.cur.Clone()
	next.Zones = t.zones
	if next.Cursor > tx.now {
		// All up to Updated was decided on.
		next.Cursor = t.next(max(next.Last, next.Updated))
	}
	if next.Turn == 0 {
		next.Next = t.nextLook(next)
	}
	tx.putSchedule(r, next)
	return nil
}
