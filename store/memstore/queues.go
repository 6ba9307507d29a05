package memstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Queues returns the queues ever used.
func (s *Store) Queues(ctx context.Context, after string, limit int) ([]store.QueueRow, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var rows []store.QueueRow
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		if name > after && len(rows) < limit {
			rows = append(rows, s.rowLocked(name))
		}
	}
	return rows, nil
}

// Queue returns one queue.
func (s *Store) Queue(ctx context.Context, name string) (store.QueueRow, error) {
	if err := s.enter(ctx); err != nil {
		return store.QueueRow{}, err
	}
	defer s.mu.Unlock()
	return s.rowLocked(name), nil
}

// PutQueue stores settings.
func (s *Store) PutQueue(ctx context.Context, q task.Queue) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if have := s.queues[q.Name].Revision; q.Revision != have+1 {
		return fmt.Errorf("queue %s has revision %d: %w", q.Name, have, store.ErrConflict)
	}
	s.queues[q.Name] = copyQueue(q)
	return nil
}

func (s *Store) rowLocked(name string) store.QueueRow {
	row := store.QueueRow{Queue: copyQueue(s.queues[name])}
	row.Name = name
	for _, h := range s.shards {
		for ref, t := range h.records {
			if ref.Queue == name {
				row.Counts[t.State]++
			}
		}
		for ref := range h.schedules {
			if ref.Queue == name {
				row.Schedules++
			}
		}
	}
	return row
}
