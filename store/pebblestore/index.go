package pebblestore

import (
	"cmp"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

func compareRefs(a, b store.Ref) int {
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Key, b.Key))
}

// Due reads the index "next".
func (s *Store) Due(ctx context.Context, shard int, pos store.Pos, limit int) ([]store.Entry, error) {
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	lower := after(appendNext(nil, shard, pos))
	upper := appendShard(nil, kindNext, shard+1)
	return s.entries(ctx, lower, upper, limit, decodeNextValue)
}

// Ready reads one lane of the index "ready".
func (s *Store) Ready(ctx context.Context, shard int, lane task.Lane, pos store.Pos, limit int) ([]store.Entry, error) {
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	lower := after(appendPos(appendLane(nil, shard, lane), pos))
	upper := beyond(appendLane(nil, shard, lane))
	return s.entries(ctx, lower, upper, limit, func(value []byte) (store.Entry, error) {
		return store.Entry{Ref: store.Ref{Queue: lane.Queue, Key: string(value)}}, nil
	})
}

// entries reads rows of an index. decode tells what a row points to.
func (s *Store) entries(ctx context.Context, lower, upper []byte, limit int, decode func(value []byte) (store.Entry, error)) (found []store.Entry, err error) {
	it, err := s.iterate(ctx, lower, upper)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	for ok := limit > 0 && it.First(); ok; ok = len(found) < limit && it.Next() {
		e, err := readEntry(it, decode)
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, nil
}

func readEntry(it *pebble.Iterator, decode func(value []byte) (store.Entry, error)) (store.Entry, error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return store.Entry{}, asCorrupt(err)
	}
	pos, ok := readPos(it.Key())
	if !ok {
		return store.Entry{}, corrupt("index key %x", it.Key())
	}
	e, err := decode(value)
	e.Pos = pos
	return e, err
}

// Lanes seeks from one lane's first row to the next lane's, whatever their
// number of rows.
func (s *Store) Lanes(ctx context.Context, shard int, last task.Lane, limit int) (found []task.Lane, err error) {
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	it, err := s.iterate(ctx, appendShard(nil, kindReady, shard), appendShard(nil, kindReady, shard+1))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	for len(found) < limit && it.SeekGE(beyond(appendLane(nil, shard, last))) {
		if last, err = readLane(it.Key()); err != nil {
			return nil, err
		}
		found = append(found, last)
	}
	return found, nil
}

// readLane reads the lane in a key of the index "ready".
func readLane(key []byte) (task.Lane, error) {
	queue, rest, ok := cutPart(key[min(3, len(key)):])
	host, rest, ok2 := cutPart(rest)
	if !ok || !ok2 || len(rest) != posLen {
		return task.Lane{}, corrupt("index key %x", key)
	}
	return task.Lane{Queue: queue, Host: host}, nil
}
