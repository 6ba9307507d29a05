package pebblestore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
)

// shard is what a Store keeps in memory about one shard.
type shard struct {
	locked  chan struct{} // the lock: whoever has put something in holds it
	owner   string        // guarded by the lock; "": nobody
	epoch   uint64        // guarded by the lock; the highest ever granted, as stored
	scratch scratch       // guarded by the lock; of commits
}

// lockShard takes a shard's lock.
func (s *Store) lockShard(ctx context.Context, shard int) (*shard, error) {
	h := s.shards[shard]
	select {
	case h.locked <- struct{}{}:
		return h, nil
	case <-s.stop.thrown:
		return nil, s.stop.err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *shard) unlock() { <-h.locked }

func (s *Store) loadEpochs() error {
	s.shards = make([]*shard, s.meta.shards)
	for i := range s.shards {
		s.shards[i] = &shard{locked: make(chan struct{}, 1), scratch: newScratch()}
		value, err := s.read(appendShard(nil, kindEpoch, i))
		if err != nil {
			return err
		}
		if value == nil {
			continue // never owned
		}
		if s.shards[i].epoch, err = decodeEpoch(value); err != nil {
			return err
		}
	}
	return nil
}

// Acquire makes node the owner of shards, or of none, under epochs that are on
// disk when it returns. Grants never lapse: this process alone has the store.
// A node that owns a shard already gets a new epoch for it, which fences its
// former self.
func (s *Store) Acquire(ctx context.Context, node string, shards []int) ([]store.Grant, error) {
	if node == "" {
		return nil, errors.New("a node needs a name")
	}
	order, err := s.lockOrder(shards)
	if err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	unlock, err := s.lockShards(ctx, order)
	if err != nil {
		return nil, err
	}
	b := s.db.NewBatch()
	grants := make([]store.Grant, len(shards))
	for at, i := range shards {
		h := s.shards[i]
		if h.owner != "" && h.owner != node {
			err = errors.Join(err, fmt.Errorf("shard %d: %w, %s", i, store.ErrHeld, h.owner))
		}
		grants[at] = store.Grant{Shard: i, Epoch: h.epoch + 1}
		err = errors.Join(err, b.Set(appendShard(nil, kindEpoch, i), binary.AppendUvarint(nil, h.epoch+1), nil))
	}
	if err != nil {
		unlock()
		return nil, errors.Join(err, b.Close())
	}
	if err := s.grant(ctx, node, grants, b, unlock); err != nil {
		return nil, err
	}
	return grants, nil
}

// grant stores new epochs and, once they are on disk, hands the shards over
// and unlocks them. It does not heed ctx: a grant that nobody knows of would
// shut out all others.
func (s *Store) grant(ctx context.Context, node string, grants []store.Grant, b *pebble.Batch, unlock func()) error {
	return s.apply(context.WithoutCancel(ctx), b, func(err error) {
		defer unlock()
		for _, g := range grants {
			h := s.shards[g.Shard]
			h.epoch, h.owner = g.Epoch, ""
			if err == nil {
				h.owner = node
			}
		}
	})
}

// Renew confirms grants that node still holds.
func (s *Store) Renew(ctx context.Context, node string, grants []store.Grant) ([]store.Grant, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	for _, g := range grants {
		current, err := s.withGrant(ctx, node, g, func(*shard) {})
		if err != nil {
			return nil, err
		}
		if !current {
			return nil, fmt.Errorf("shard %d, epoch %d: %w", g.Shard, g.Epoch, store.ErrFenced)
		}
	}
	return slices.Clone(grants), nil
}

// Release gives grants back. When it returns no commit under them is under way.
func (s *Store) Release(ctx context.Context, node string, grants []store.Grant) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	for _, g := range grants {
		if _, err := s.withGrant(ctx, node, g, func(h *shard) { h.owner = "" }); err != nil {
			return err
		}
	}
	return nil
}

// withGrant runs f under the shard's lock if g is current, and reports that.
func (s *Store) withGrant(ctx context.Context, node string, g store.Grant, f func(*shard)) (bool, error) {
	if s.checkShard(g.Shard) != nil {
		return false, nil
	}
	h, err := s.lockShard(ctx, g.Shard)
	if err != nil {
		return false, err
	}
	defer h.unlock()
	if h.owner != node || h.epoch != g.Epoch || node == "" {
		return false, nil
	}
	f(h)
	return true, nil
}

// lockOrder returns the shards in the order in which all calls lock them.
func (s *Store) lockOrder(shards []int) ([]int, error) {
	order := slices.Sorted(slices.Values(shards))
	for at, i := range order {
		if err := s.checkShard(i); err != nil {
			return nil, err
		}
		if at > 0 && order[at-1] == i {
			return nil, fmt.Errorf("shard %d is asked for twice", i)
		}
	}
	return order, nil
}

// lockShards locks all shards or none.
func (s *Store) lockShards(ctx context.Context, order []int) (unlock func(), err error) {
	var held []*shard
	unlock = func() {
		for _, h := range held {
			h.unlock()
		}
	}
	for _, i := range order {
		h, err := s.lockShard(ctx, i)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, h)
	}
	return unlock, nil
}
