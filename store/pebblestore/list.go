package pebblestore

import (
	"bytes"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// List reads heads in the order of their keys, or by the index "state".
func (s *Store) List(ctx context.Context, shard int, q store.ListQuery) ([]*task.Task, error) {
	if q.State == 0 && q.Before != 0 {
		return nil, errors.New("a listing without a state can't have a Before instant")
	}
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	if q.Limit <= 0 {
		return nil, nil
	}
	if q.State == 0 {
		return s.listByKey(ctx, shard, q)
	}
	return s.listByState(ctx, shard, q)
}

func (s *Store) listByKey(ctx context.Context, shard int, q store.ListQuery) (found []*task.Task, err error) {
	lower := after(appendRef(nil, kindHead, shard, store.Ref{Queue: q.Queue, Key: q.AfterKey}))
	upper := beyond(appendRef(nil, kindHead, shard, store.Ref{Queue: q.Queue}))
	if q.BeforeKey != "" {
		upper = appendRef(nil, kindHead, shard, store.Ref{Queue: q.Queue, Key: q.BeforeKey})
	}
	if bytes.Compare(lower, upper) >= 0 {
		return nil, nil
	}
	it, err := s.iterate(ctx, lower, upper)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	first, next := it.First, it.Next
	if q.Descending {
		first, next = it.Last, it.Prev
	}
	for ok := first(); ok; ok = len(found) < q.Limit && next() {
		t, err := readHead(it)
		if err != nil {
			return nil, err
		}
		found = append(found, t)
	}
	return found, nil
}

func readHead(it *pebble.Iterator) (*task.Task, error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, asCorrupt(err)
	}
	t, err := task.DecodeHead(value)
	if err != nil {
		return nil, corrupt("head at key %x: %w", it.Key(), err)
	}
	return t, nil
}

func (s *Store) listByState(ctx context.Context, shard int, q store.ListQuery) (found []*task.Task, err error) {
	r, err := s.newRecords(ctx, shard, kindHead, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	lower := after(appendPos(appendStatePrefix(nil, shard, q.Queue, q.State), q.After))
	upper := beyond(appendStatePrefix(nil, shard, q.Queue, q.State))
	if q.Before != 0 {
		upper = appendInstant(appendStatePrefix(nil, shard, q.Queue, q.State), q.Before)
	}
	it, err := cloneIter(r.heads, lower, upper)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	for ok := it.First(); ok; ok = len(found) < q.Limit && it.Next() {
		t, err := r.get(store.Ref{Queue: q.Queue, Key: string(it.Value())})
		if err != nil {
			return nil, err
		}
		if t == nil {
			return nil, corrupt("index key %x points to no record", it.Key())
		}
		found = append(found, t)
	}
	return found, nil
}
