package memstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// GetSchedules reads schedules.
func (s *Store) GetSchedules(ctx context.Context, shard int, refs []store.Ref) ([]*task.Schedule, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := make([]*task.Schedule, len(refs))
	for at, ref := range refs {
		if c := h.schedules[ref]; c != nil {
			found[at] = deepSchedule(c)
		}
	}
	return found, nil
}

// ListSchedules returns schedules of one queue or of all.
func (s *Store) ListSchedules(ctx context.Context, shard int, q store.ScheduleQuery) ([]*task.Schedule, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []*task.Schedule
	for ref, c := range h.schedules {
		if (q.Queue == "" || q.Queue == ref.Queue) && compareRefs(ref, q.After) > 0 {
			found = append(found, headSchedule(c))
		}
	}
	slices.SortFunc(found, func(a, b *task.Schedule) int {
		return compareRefs(store.ScheduleRef(a), store.ScheduleRef(b))
	})
	return first(found, q.Limit), nil
}

func compareRefs(a, b store.Ref) int {
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Key, b.Key))
}
