package memstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/store"
)

// Acquire makes node the owner of shards, or of none. A node that owns a shard
// already gets a new epoch for it, which fences its former self.
func (s *Store) Acquire(ctx context.Context, node string, shards []int) ([]store.Grant, error) {
	if err := s.checkAcquire(node, shards); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	for _, i := range shards {
		if h := s.shards[i]; h.owner != node && s.heldLocked(h) {
			return nil, fmt.Errorf("shard %d: %w, %s", i, store.ErrHeld, h.owner)
		}
	}
	grants := make([]store.Grant, 0, len(shards))
	for _, i := range shards {
		h := s.shards[i]
		h.owner, h.until = node, s.untilLocked()
		h.epoch++
		grants = append(grants, store.Grant{Shard: i, Epoch: h.epoch, Until: h.until})
	}
	return grants, nil
}

func (s *Store) checkAcquire(node string, shards []int) error {
	if node == "" {
		return errors.New("a node needs a name")
	}
	for at, i := range shards {
		if err := s.checkShard(i); err != nil {
			return err
		}
		if slices.Contains(shards[:at], i) {
			return fmt.Errorf("shard %d is asked for twice", i)
		}
	}
	return nil
}

// Renew extends grants, or none.
func (s *Store) Renew(ctx context.Context, node string, grants []store.Grant) ([]store.Grant, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	for _, g := range grants {
		if !s.currentLocked(node, g) {
			return nil, fmt.Errorf("shard %d, epoch %d: %w", g.Shard, g.Epoch, store.ErrFenced)
		}
	}
	renewed := slices.Clone(grants)
	for at, g := range renewed {
		s.shards[g.Shard].until = s.untilLocked()
		renewed[at].Until = s.shards[g.Shard].until
	}
	return renewed, nil
}

// Release gives grants back.
func (s *Store) Release(ctx context.Context, node string, grants []store.Grant) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for _, g := range grants {
		if s.currentLocked(node, g) {
			s.shards[g.Shard].owner = ""
		}
	}
	return nil
}

// heldLocked reports whether anybody owns h.
func (s *Store) heldLocked(h *shard) bool {
	return h.owner != "" && (s.ttl == 0 || s.clock.Now().Before(h.until))
}

func (s *Store) currentLocked(node string, g store.Grant) bool {
	if s.checkShard(g.Shard) != nil {
		return false
	}
	h := s.shards[g.Shard]
	return h.owner == node && h.epoch == g.Epoch && s.heldLocked(h)
}

// untilLocked returns when a grant of now lapses.
func (s *Store) untilLocked() time.Time {
	if s.ttl == 0 {
		return time.Time{}
	}
	return s.clock.Now().Add(s.ttl)
}
