package pebblestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Queues reads the counts, which every queue ever used has, and beside them the
// settings.
func (s *Store) Queues(ctx context.Context, last string, limit int) (found []store.QueueRow, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	it, err := s.iterate(ctx, after(appendName(nil, kindCounts, last)), []byte{kindCounts + 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	for ok := limit > 0 && it.First(); ok; ok = len(found) < limit && it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, asCorrupt(err)
		}
		row, err := s.queueRow(string(it.Key()[1:]), value)
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, nil
}

// Queue reads one queue.
func (s *Store) Queue(ctx context.Context, name string) (store.QueueRow, error) {
	if err := s.enter(ctx); err != nil {
		return store.QueueRow{}, err
	}
	defer s.leave()
	value, err := s.read(appendName(nil, kindCounts, name))
	if err != nil {
		return store.QueueRow{}, err
	}
	return s.queueRow(name, value)
}

// queueRow puts a queue's stored counts, which can be empty, and its settings
// together.
func (s *Store) queueRow(name string, value []byte) (row store.QueueRow, err error) {
	c, err := decodeCounts(value)
	if err != nil {
		return store.QueueRow{}, err
	}
	row.Counts, row.Schedules = c.tasks, c.schedules
	if row.Queue, err = s.readSettings(name); err != nil {
		return store.QueueRow{}, err
	}
	return row, nil
}

func (s *Store) readSettings(name string) (task.Queue, error) {
	value, err := s.read(appendName(nil, kindQueue, name))
	if err != nil {
		return task.Queue{}, err
	}
	if value == nil {
		return task.Queue{Name: name}, nil
	}
	q, err := task.DecodeQueue(value)
	if err != nil {
		return task.Queue{}, corrupt("settings of queue %s: %w", name, err)
	}
	return q, nil
}

// PutQueue stores settings. It does not heed ctx while it writes: the outcome
// would be open.
func (s *Store) PutQueue(ctx context.Context, q task.Queue) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	s.settings.Lock()
	defer s.settings.Unlock()
	have, err := s.readSettings(q.Name)
	if err != nil {
		return err
	}
	if q.Revision != have.Revision+1 {
		return fmt.Errorf("queue %s has revision %d: %w", q.Name, have.Revision, store.ErrConflict)
	}
	b := s.db.NewBatch()
	err = errors.Join(
		b.Set(appendName(nil, kindQueue, q.Name), task.AppendQueue(nil, &q), nil),
		b.Merge(appendName(nil, kindCounts, q.Name), appendCounts(nil, counts{}), nil),
	)
	if err != nil {
		return errors.Join(err, b.Close())
	}
	return s.apply(context.WithoutCancel(ctx), b, func(error) {})
}
