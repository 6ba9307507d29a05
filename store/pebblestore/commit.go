package pebblestore

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/internal/invariant"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Commit writes a batch and waits for it to be on disk. Commits of several
// shards at the same time share the fsync.
func (s *Store) Commit(ctx context.Context, b store.Batch) error {
	start := s.clock.Now()
	err := s.commit(ctx, b)
	if s.onCommit != nil {
		s.onCommit(len(b.Writes)+len(b.Schedules), s.clock.Now().Sub(start), err)
	}
	return err
}

func (s *Store) commit(ctx context.Context, b store.Batch) error {
	if err := s.enterShard(ctx, b.Shard); err != nil {
		return err
	}
	defer s.leave()
	h, err := s.lockShard(ctx, b.Shard)
	if err != nil {
		return err
	}
	if h.owner == "" || h.epoch != b.Epoch {
		h.unlock()
		return fmt.Errorf("shard %d, epoch %d: %w", b.Shard, b.Epoch, store.ErrFenced)
	}
	if len(b.Writes) == 0 && len(b.Schedules) == 0 {
		h.unlock()
		return nil
	}
	if invariant.Enabled {
		s.checkPrevs(b)
	}
	p := s.db.NewBatch()
	if err := h.scratch.fill(p, b); err != nil {
		h.unlock()
		return err
	}
	return s.apply(ctx, p, func(error) { h.unlock() })
}

// scratch is the memory that a shard's commits reuse.
type scratch struct {
	key, value []byte
	tally      tally
}

func newScratch() scratch { return scratch{tally: make(tally)} }

// fill translates the writes of one shard into keys.
func (c *scratch) fill(p *pebble.Batch, b store.Batch) error {
	clear(c.tally)
	for _, w := range b.Writes {
		if err := c.write(p, b.Shard, w); err != nil {
			return err
		}
	}
	for _, w := range b.Schedules {
		if err := c.writeSchedule(p, b.Shard, w); err != nil {
			return err
		}
	}
	for queue, delta := range c.tally {
		c.key = appendName(c.key[:0], kindCounts, queue)
		c.value = appendCounts(c.value[:0], *delta)
		if err := p.Merge(c.key, c.value, nil); err != nil {
			return err
		}
	}
	return nil
}

// write translates the write of one task.
func (c *scratch) write(p *pebble.Batch, shard int, w store.Write) error {
	if err := c.index(p, shard, w); err != nil {
		return err
	}
	if w.Task == nil {
		ref := store.RefOf(w.Prev)
		c.tally.move(ref.Queue, w.Prev.State, 0)
		if err := p.Delete(c.ref(kindHead, shard, ref), nil); err != nil {
			return err
		}
		return p.Delete(c.ref(kindBody, shard, ref), nil)
	}
	ref, from := store.RefOf(w.Task), task.State(0)
	if w.Prev != nil {
		from = w.Prev.State
	}
	c.tally.move(ref.Queue, from, w.Task.State)
	c.value = task.AppendHead(c.value[:0], w.Task)
	if err := p.Set(c.ref(kindHead, shard, ref), c.value, nil); err != nil {
		return err
	}
	if w.Task.Body == nil {
		return nil
	}
	c.value = task.AppendBody(c.value[:0], w.Task.Body)
	return p.Set(c.ref(kindBody, shard, ref), c.value, nil)
}

func (c *scratch) ref(kind byte, shard int, r store.Ref) []byte {
	c.key = appendRef(c.key[:0], kind, shard, r)
	return c.key
}

// row is one row of an index: how its key and value are written, for a task
// that has it.
type row struct {
	has   func(*task.Task) bool
	same  func(a, b *task.Task) bool // both have the row, and it has the same key
	key   func(dst []byte, shard int, t *task.Task) []byte
	value func(dst []byte, t *task.Task) []byte
}

func samePlace(a, b *task.Task) bool { return a.Expiry == b.Expiry && a.ID == b.ID }

func keyValue(dst []byte, t *task.Task) []byte { return append(dst, t.Key...) }

// rows are the indexes.
var rows = [...]row{
	{
		has:  func(t *task.Task) bool { return t.Next != 0 },
		same: func(a, b *task.Task) bool { return a.Next == b.Next && a.ID == b.ID },
		key: func(dst []byte, shard int, t *task.Task) []byte {
			return appendNext(dst, shard, store.Pos{At: t.Next, ID: t.ID})
		},
		value: func(dst []byte, t *task.Task) []byte { return appendNextValue(dst, store.RefOf(t), false) },
	},
	{
		has:  func(*task.Task) bool { return true },
		same: func(a, b *task.Task) bool { return a.State == b.State && samePlace(a, b) },
		key: func(dst []byte, shard int, t *task.Task) []byte {
			return appendPos(appendStatePrefix(dst, shard, t.Queue, t.State), expiryPos(t))
		},
		value: keyValue,
	},
	{
		has:  func(t *task.Task) bool { return t.State == task.Ready },
		same: func(a, b *task.Task) bool { return a.Host == b.Host && samePlace(a, b) },
		key: func(dst []byte, shard int, t *task.Task) []byte {
			return appendPos(appendLane(dst, shard, t.Lane()), expiryPos(t))
		},
		value: keyValue,
	},
}

func expiryPos(t *task.Task) store.Pos { return store.Pos{At: t.Expiry, ID: t.ID} }

// index moves the record's rows. Pebble's SingleDelete would do for them and
// leave fewer tombstones, but it takes the process down when it meets a damaged
// table; scans start behind the rows that were deleted anyway.
func (c *scratch) index(p *pebble.Batch, shard int, w store.Write) error {
	for i := range rows {
		r := &rows[i]
		had := w.Prev != nil && r.has(w.Prev)
		has := w.Task != nil && r.has(w.Task)
		if had && has && r.same(w.Prev, w.Task) {
			continue
		}
		if had {
			c.key = r.key(c.key[:0], shard, w.Prev)
			if err := p.Delete(c.key, nil); err != nil {
				return err
			}
		}
		if has {
			c.key = r.key(c.key[:0], shard, w.Task)
			c.value = r.value(c.value[:0], w.Task)
			if err := p.Set(c.key, c.value, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
