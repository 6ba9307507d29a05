package scheduler

import (
	"cmp"
	"context"
	"errors"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// enqueue lets an occurrence wait until the one before, if it runs yet, is
// finished.
func (tx *tx) enqueue(s *task.Schedule, at task.Instant, running *record) Fate {
	if len(s.Queued) >= int(cmp.Or(s.Plan.QueueLimit, task.DefaultQueueLimit)) {
		s.Skipped++
		return tx.noteFate(s, FateSkipped, 1)
	}
	s.Queued = append(s.Queued, at)
	if running != nil {
		tx.chain(running)
	}
	return tx.noteFate(s, FateQueued, 1)
}

// chain has a task tell the schedule's queue when it is finished, also one that
// became a task before the schedule had a queue.
func (tx *tx) chain(r *record) {
	tx.noteChained(r)
	if !r.cur.Chained {
		t := r.cur.Clone()
		t.Chained = true
		tx.put(r, t)
	}
}

// noteChained has unchain look at a task when the pass has changed all that it will.
func (tx *tx) noteChained(r *record) {
	t := r.cur
	if t == nil {
		t = r.prev
	}
	if tx.chained == nil {
		tx.chained = make(map[*record]store.Ref)
	}
	key, _, _ := task.CutOccurrence(t.Key)
	tx.chained[r] = store.Ref{Queue: t.Queue, Key: key}
}

// unchain lets the next queued occurrences begin whose predecessors were
// finished in this pass.
func (tx *tx) unchain(ctx context.Context) error {
	for _, r := range tx.changed {
		if r.prev != nil && r.prev.Chained && !r.prev.State.Finished() {
			tx.noteChained(r)
		}
	}
	var refs []store.Ref
	for r, ref := range tx.chained {
		if !unfinished(r) {
			refs = append(refs, ref)
		}
	}
	if err := tx.fetchSchedules(ctx, refs); err != nil {
		return err
	}
	for _, ref := range refs {
		if err := tx.beginQueued(ctx, tx.schedules[ref]); err != nil {
			return err
		}
	}
	return nil
}

// beginQueued lets the oldest queued occurrence of a schedule become a task, if
// nothing is in its way.
func (tx *tx) beginQueued(ctx context.Context, r *scheduleRecord) error {
	if r.cur == nil || r.cur.Paused || len(r.cur.Queued) == 0 {
		return nil
	}
	last, err := tx.lastOf(ctx, r.cur)
	switch {
	case err != nil:
	case unfinished(last):
		tx.chain(last)
	default:
		s := r.cur.Clone()
		if err = tx.beginFirst(ctx, s); err == nil {
			tx.putSchedule(r, s)
		}
	}
	if _, ok := errors.AsType[*unreadableError](err); ok {
		return nil // the next occurrence tries again
	}
	return err
}

// beginFirst makes the task of the oldest queued occurrence; if that was made,
// and finished, by somebody else, that of the next.
func (tx *tx) beginFirst(ctx context.Context, s *task.Schedule) error {
	for len(s.Queued) > 0 {
		at := s.Queued[0]
		s.Queued = s.Queued[1:]
		if err := tx.makeTask(ctx, s, occurrence{at: at, due: min(at, tx.now), expiry: tx.now}); err != nil {
			return err
		}
		if made := tx.records[occurrenceRef(s, at)]; unfinished(made) && s.Last == at {
			tx.chain(made)
			return nil
		}
	}
	return nil
}
