package pebblestore

import (
	"bytes"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// GetSchedules reads schedules with their plans, in the order of their keys,
// whatever that of refs.
func (s *Store) GetSchedules(ctx context.Context, shard int, refs []store.Ref) (found []*task.Schedule, err error) {
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	r, err := s.newRecords(ctx, shard, kindSchedule, kindPlan)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	found = make([]*task.Schedule, len(refs))
	for _, at := range byKey(refs) {
		if found[at], err = r.schedule(refs[at]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// schedule returns a schedule with its plan, nil if it is absent.
func (r *records) schedule(ref store.Ref) (*task.Schedule, error) {
	head, plan, err := r.find(ref)
	if head == nil || err != nil {
		return nil, err
	}
	c, err := task.DecodeSchedule(head)
	if err != nil {
		return nil, corrupt("schedule %s/%s: %w", ref.Queue, ref.Key, err)
	}
	if store.ScheduleRef(c) != ref {
		return nil, corrupt("schedule %s/%s is %s/%s", ref.Queue, ref.Key, c.Queue, c.Key)
	}
	if c.Plan, err = task.DecodePlan(plan); err != nil {
		return nil, corrupt("plan of schedule %s/%s: %w", ref.Queue, ref.Key, err)
	}
	return c, nil
}

// ListSchedules reads schedules in the order of their keys.
func (s *Store) ListSchedules(ctx context.Context, shard int, q store.ScheduleQuery) (found []*task.Schedule, err error) {
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	lower, upper := scheduleBounds(shard, q)
	if q.Limit <= 0 || bytes.Compare(lower, upper) >= 0 {
		return nil, nil
	}
	it, err := s.iterate(ctx, lower, upper)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	for ok := it.First(); ok; ok = len(found) < q.Limit && it.Next() {
		c, err := readSchedule(it)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

// scheduleBounds returns the first key that q selects, and the first behind
// all. There is none between them if After is in a later queue.
func scheduleBounds(shard int, q store.ScheduleQuery) (lower, upper []byte) {
	lower = after(appendRef(nil, kindSchedule, shard, q.After))
	if q.Queue == "" {
		return lower, appendShard(nil, kindSchedule, shard+1)
	}
	first := appendRef(nil, kindSchedule, shard, store.Ref{Queue: q.Queue})
	upper = beyond(bytes.Clone(first))
	if bytes.Compare(lower, first) < 0 {
		lower = first
	}
	return lower, upper
}

func readSchedule(it *pebble.Iterator) (*task.Schedule, error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, asCorrupt(err)
	}
	c, err := task.DecodeSchedule(value)
	if err != nil {
		return nil, corrupt("schedule at key %x: %w", it.Key(), err)
	}
	return c, nil
}
