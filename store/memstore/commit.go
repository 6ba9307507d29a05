package memstore

import (
	"context"
	"fmt"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Commit applies a batch. One that breaks a rule of IllegalError is refused as
// a whole.
func (s *Store) Commit(ctx context.Context, b store.Batch) error {
	h, err := s.enterShard(ctx, b.Shard)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	if b.Epoch != h.epoch || !s.heldLocked(h) {
		return fmt.Errorf("shard %d, epoch %d: %w", b.Shard, b.Epoch, store.ErrFenced)
	}
	if err := s.checkBatchLocked(h, b); err != nil {
		s.onIllegal(err)
		return err
	}
	for _, w := range b.Writes {
		s.applyLocked(h, w)
	}
	for _, w := range b.Schedules {
		s.applyScheduleLocked(h, w)
	}
	return nil
}

func (s *Store) applyLocked(h *shard, w store.Write) {
	if w.Task == nil {
		delete(h.records, store.RefOf(w.Prev))
		return
	}
	ref := store.RefOf(w.Task)
	t := deepCopy(w.Task)
	if t.Body == nil {
		t.Body = h.records[ref].Body
	}
	h.records[ref] = t
	s.knowLocked(ref.Queue)
}

func (s *Store) applyScheduleLocked(h *shard, w store.ScheduleWrite) {
	if w.Schedule == nil {
		delete(h.schedules, store.ScheduleRef(w.Prev))
		return
	}
	ref := store.ScheduleRef(w.Schedule)
	c := deepSchedule(w.Schedule)
	if c.Plan == nil {
		c.Plan = h.schedules[ref].Plan
	}
	h.schedules[ref] = c
	s.knowLocked(ref.Queue)
}

// knowLocked remembers that a queue was used.
func (s *Store) knowLocked(queue string) {
	if _, known := s.queues[queue]; !known {
		s.queues[queue] = task.Queue{Name: queue}
	}
}
