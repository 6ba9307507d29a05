package pebblestore

import (
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
)

// Since format 2 the instant at the end of a key is no part of what the key's
// shard is worked out from. Tasks of format 1 that have such a key move.

// One step of moving ends when its batch has so much.
const (
	stepRecords = 250
	stepBytes   = 1 << 20
)

// mover moves strays to the shards they belong to.
type mover struct {
	s       *Store
	scratch scratch
	batch   *pebble.Batch
	waiting int // tasks in batch
	moved   int // tasks in all
}

// rehome moves every stray, and returns their number. A step moves its tasks
// wholly or, if it is cut off, not at all.
func (s *Store) rehome() (int, error) {
	m := &mover{s: s, scratch: newScratch(), batch: s.db.NewBatch()}
	if err := s.strays(m.move); err != nil {
		return 0, errors.Join(err, m.batch.Close())
	}
	return m.moved, m.step()
}

// move carries head, body and rows over, head and body as they are.
func (m *mover) move(st stray) error {
	t, body, err := m.s.readParts(st)
	if err != nil {
		return err
	}
	c, p := &m.scratch, m.batch
	m.waiting++
	m.moved++
	err = errors.Join(
		c.index(p, st.from, store.Write{Prev: t}),
		p.Delete(c.ref(kindHead, st.from, st.ref), nil),
		p.Delete(c.ref(kindBody, st.from, st.ref), nil),
		c.index(p, st.home, store.Write{Task: t}),
		p.Set(c.ref(kindHead, st.home, st.ref), st.head, nil),
		p.Set(c.ref(kindBody, st.home, st.ref), body, nil),
	)
	if err == nil && (m.waiting >= stepRecords || p.Len() >= stepBytes) {
		err = m.step()
	}
	return err
}

// step writes what was moved.
func (m *mover) step() error {
	b := m.batch
	m.batch, m.waiting = m.s.db.NewBatch(), 0
	return m.s.apply(context.Background(), b, func(error) {})
}
