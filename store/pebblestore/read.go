package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// read returns a copy of one key's value, nil if it is absent.
func (s *Store) read(key []byte) ([]byte, error) {
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, asCorrupt(err)
	}
	return bytes.Clone(value), closer.Close()
}

// Get reads records, in the order of their keys, whatever that of refs.
func (s *Store) Get(ctx context.Context, shard int, refs []store.Ref, bodies bool) (found []*task.Task, err error) {
	if err := s.enterShard(ctx, shard); err != nil {
		return nil, err
	}
	defer s.leave()
	bodyKind := byte(0)
	if bodies {
		bodyKind = kindBody
	}
	r, err := s.newRecords(ctx, shard, kindHead, bodyKind)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	found = make([]*task.Task, len(refs))
	for _, at := range byKey(refs) {
		if found[at], err = r.get(refs[at]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// byKey returns the indices of refs in the order of their keys: going forward
// is what iterators do best.
func byKey(refs []store.Ref) []int {
	order := make([]int, len(refs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareRefs(refs[a], refs[b]) })
	return order
}

// records looks up tasks or schedules of one shard, all as they were at one
// moment.
type records struct {
	shard      int
	head, body byte // the kinds of their keys
	heads      *pebble.Iterator
	bodies     *pebble.Iterator // nil: not wanted
	key        []byte
}

// newRecords looks up records by the kinds of their two keys. Kind 0 of the
// second leaves bodies out.
func (s *Store) newRecords(ctx context.Context, shard int, head, body byte) (*records, error) {
	heads, err := s.iterate(ctx, appendShard(nil, head, shard), appendShard(nil, head, shard+1))
	if err != nil {
		return nil, err
	}
	r := &records{shard: shard, head: head, body: body, heads: heads}
	if body != 0 {
		r.bodies, err = cloneIter(heads, appendShard(nil, body, shard), appendShard(nil, body, shard+1))
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	return r, nil
}

func (r *records) close() error {
	err := r.heads.Close()
	if r.bodies != nil {
		err = errors.Join(err, r.bodies.Close())
	}
	return asCorrupt(err)
}

// get returns a task, nil if it is absent.
func (r *records) get(ref store.Ref) (*task.Task, error) {
	head, body, err := r.find(ref)
	if head == nil || err != nil {
		return nil, err
	}
	t, err := decodeHead(ref, head)
	if err != nil || r.bodies == nil {
		return t, err
	}
	if t.Body, err = task.DecodeBody(body); err != nil {
		return nil, corrupt("body of %s/%s: %w", ref.Queue, ref.Key, err)
	}
	return t, nil
}

// decodeHead reads the head that stands under a name.
func decodeHead(ref store.Ref, head []byte) (*task.Task, error) {
	t, err := task.DecodeHead(head)
	if err != nil {
		return nil, corrupt("head of %s/%s: %w", ref.Queue, ref.Key, err)
	}
	if store.RefOf(t) != ref {
		return nil, corrupt("head of %s/%s is that of %s/%s", ref.Queue, ref.Key, t.Queue, t.Key)
	}
	return t, nil
}

// find returns the two values of a record, valid until the next find: no head
// if the record is absent, no body if none are wanted.
func (r *records) find(ref store.Ref) (head, body []byte, err error) {
	head, err = r.lookup(r.heads, r.head, ref)
	if head == nil || err != nil || r.bodies == nil {
		return head, nil, err
	}
	body, err = r.lookup(r.bodies, r.body, ref)
	if err == nil && body == nil {
		err = corrupt("%s/%s of kind %c has no part of kind %c", ref.Queue, ref.Key, r.head, r.body)
	}
	return head, body, err
}

// lookup returns a value that is valid until the next lookup there.
func (r *records) lookup(it *pebble.Iterator, kind byte, ref store.Ref) ([]byte, error) {
	r.key = appendRef(r.key[:0], kind, r.shard, ref)
	if !it.SeekPrefixGE(r.key) || !bytes.Equal(it.Key(), r.key) {
		return nil, asCorrupt(it.Error())
	}
	value, err := it.ValueAndErr()
	return value, asCorrupt(err)
}

// iterate returns an iterator over the keys from lower to below upper.
func (s *Store) iterate(ctx context.Context, lower, upper []byte) (*pebble.Iterator, error) {
	it, err := s.db.NewIterWithContext(ctx, iterOptions(lower, upper))
	return it, asCorrupt(err)
}

// cloneIter returns an iterator over other keys that sees the same moment.
func cloneIter(it *pebble.Iterator, lower, upper []byte) (*pebble.Iterator, error) {
	clone, err := it.Clone(pebble.CloneOptions{IterOptions: iterOptions(lower, upper)})
	return clone, asCorrupt(err)
}

// iterOptions has the last level's filters used: most keys that are looked for
// and absent would cost a block read there.
func iterOptions(lower, upper []byte) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: lower, UpperBound: upper, UseL6Filters: true}
}
