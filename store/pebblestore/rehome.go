package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Since format 2 the instant at the end of a key is no part of what the key's
// shard is worked out from. Tasks of format 1 that have such a key move.

// One step of moving ends when its batch has so much.
const (
	stepRecords = 250
	stepBytes   = 1 << 20
)

// mover moves tasks to the shards they belong to.
type mover struct {
	s       *Store
	scratch scratch
	batch   *pebble.Batch
	waiting int // tasks in batch
	moved   int // tasks in all
}

// rehome moves every task that stands in another shard than its own, and
// returns their number. A step moves its tasks wholly or, if it is cut off, not
// at all.
func (s *Store) rehome() (moved int, err error) {
	it, err := s.iterate(context.Background(), []byte{kindHead}, []byte{kindHead + 1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	m := &mover{s: s, scratch: newScratch(), batch: s.db.NewBatch()}
	for ok := it.First(); ok; ok = it.Next() { // it sees the store as it was before
		if err := m.look(it); err != nil {
			return 0, errors.Join(err, m.batch.Close())
		}
		if m.waiting >= stepRecords || m.batch.Len() >= stepBytes {
			if err := m.step(); err != nil {
				return 0, err
			}
		}
	}
	return m.moved, m.step()
}

// step writes what was moved.
func (m *mover) step() error {
	b := m.batch
	m.batch, m.waiting = m.s.db.NewBatch(), 0
	return m.s.apply(context.Background(), b, func(error) {})
}

// look moves the task of one head, if it has to.
func (m *mover) look(it *pebble.Iterator) error {
	shard, ref, ok := readRef(it.Key())
	if !ok || shard >= len(m.s.shards) {
		return corrupt("head at key %x", it.Key())
	}
	home := task.Shard(ref.Queue, ref.Key, len(m.s.shards))
	if home == shard {
		return nil
	}
	if shard != formerShard(ref, len(m.s.shards)) {
		return corrupt("head of %s/%s is in shard %d, which was never its own", ref.Queue, ref.Key, shard)
	}
	head, err := it.ValueAndErr()
	if err != nil {
		return asCorrupt(err)
	}
	return m.move(ref, shard, home, head)
}

// formerShard is task.Shard as it was in format 1.
func formerShard(r store.Ref, n int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Queue + "\x00" + r.Key)) // never fails
	return int(h.Sum64() % uint64(n))
}

// move carries head, body and rows over, head and body as they are.
func (m *mover) move(ref store.Ref, from, home int, head []byte) error {
	t, body, err := m.check(ref, from, home, head)
	if err != nil {
		return err
	}
	c, p := &m.scratch, m.batch
	m.waiting++
	m.moved++
	return errors.Join(
		c.index(p, from, store.Write{Prev: t}),
		p.Delete(c.ref(kindHead, from, ref), nil),
		p.Delete(c.ref(kindBody, from, ref), nil),
		c.index(p, home, store.Write{Task: t}),
		p.Set(c.ref(kindHead, home, ref), head, nil),
		p.Set(c.ref(kindBody, home, ref), body, nil),
	)
}

// check reports a task that is not whole: moving it would hide that. It returns
// the task and its body's bytes.
func (m *mover) check(ref store.Ref, from, home int, head []byte) (*task.Task, []byte, error) {
	t, err := decodeHead(ref, head)
	if err != nil {
		return nil, nil, err
	}
	if err := m.checkRows(from, t); err != nil {
		return nil, nil, err
	}
	other, err := m.s.read(appendRef(nil, kindHead, home, ref))
	if err == nil && other != nil {
		err = corrupt("head of %s/%s is in the shards %d and %d", ref.Queue, ref.Key, from, home)
	}
	if err != nil {
		return nil, nil, err
	}
	body, err := m.s.read(appendRef(nil, kindBody, from, ref))
	if err == nil && body == nil {
		err = corrupt("body of %s/%s is missing", ref.Queue, ref.Key)
	}
	return t, body, err
}

func (m *mover) checkRows(shard int, t *task.Task) error {
	for i := range rows {
		r := &rows[i]
		if !r.has(t) {
			continue
		}
		key := r.key(nil, shard, t)
		value, err := m.s.read(key)
		if err != nil {
			return err
		}
		if !bytes.Equal(value, r.value(nil, t)) {
			return corrupt("index key %x of %s/%s is missing, or points to something else", key, t.Queue, t.Key)
		}
	}
	return nil
}
