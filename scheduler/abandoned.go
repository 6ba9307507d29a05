package scheduler

import (
	"context"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// releaseAbandoned makes tasks due again whose attempts (pushes, handler calls)
// ran in the process that owned the shards before and ended with it. Without
// this they would wait for their leases to run out. Workers' leases stay.
func (s *Scheduler) releaseAbandoned(ctx context.Context) error {
	for after := ""; ; {
		rows, err := s.store.Queues(ctx, after, MaxPageSize)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if row.Counts[task.Leased] == 0 {
				continue
			}
			if err := s.releaseAbandonedIn(ctx, row.Name); err != nil {
				return err
			}
		}
		after = rows[len(rows)-1].Name
	}
}

func (s *Scheduler) releaseAbandonedIn(ctx context.Context, queue string) error {
	for _, sh := range s.shards {
		q := store.ListQuery{Queue: queue, State: task.Leased, Limit: MaxPageSize}
		for {
			page, err := s.store.List(ctx, sh.n, q)
			if err != nil {
				return err
			}
			var ss []Settlement
			for _, t := range page {
				if t.RunBy != 0 && t.RunBy != sh.epoch {
					ss = append(ss, Settlement{
						Token:   task.Token{Queue: t.Queue, Key: t.Key, Attempt: t.Attempt, Nonce: t.Nonce},
						Outcome: task.Outcome{Verdict: task.Released},
					})
				}
			}
			if _, err := s.Settle(ctx, ss); err != nil {
				return err
			}
			if len(page) < q.Limit {
				break
			}
			last := page[len(page)-1]
			q.After = store.Pos{At: last.Expiry, ID: last.ID}
		}
	}
	return nil
}
