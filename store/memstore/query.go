package memstore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Get reads records.
func (s *Store) Get(ctx context.Context, shard int, refs []store.Ref, bodies bool) ([]*task.Task, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := make([]*task.Task, len(refs))
	for at, ref := range refs {
		switch t := h.records[ref]; {
		case t == nil:
		case bodies:
			found[at] = deepCopy(t)
		default:
			found[at] = headCopy(t)
		}
	}
	return found, nil
}

// Due reads the index by Next.
func (s *Store) Due(ctx context.Context, shard int, after store.Pos, limit int) ([]store.Entry, error) {
	place := func(t *task.Task) (store.Pos, bool) {
		return store.Pos{At: t.Next, ID: t.ID}, t.Next != 0
	}
	return s.entries(ctx, shard, place, after, limit)
}

// Ready reads the index of ready tasks.
func (s *Store) Ready(ctx context.Context, shard int, lane task.Lane, after store.Pos, limit int) ([]store.Entry, error) {
	place := func(t *task.Task) (store.Pos, bool) {
		return expiryPos(t), t.State == task.Ready && t.Lane() == lane
	}
	return s.entries(ctx, shard, place, after, limit)
}

// entries returns the places after a position, of those tasks that have one.
func (s *Store) entries(ctx context.Context, shard int, place func(*task.Task) (store.Pos, bool), after store.Pos, limit int) ([]store.Entry, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []store.Entry
	for ref, t := range h.records {
		if pos, ok := place(t); ok && pos.Compare(after) > 0 {
			found = append(found, store.Entry{Pos: pos, Ref: ref})
		}
	}
	slices.SortFunc(found, func(a, b store.Entry) int { return a.Compare(b.Pos) })
	return first(found, limit), nil
}

// Lanes returns the lanes with ready tasks.
func (s *Store) Lanes(ctx context.Context, shard int, after task.Lane, limit int) ([]task.Lane, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []task.Lane
	for _, t := range h.records {
		if t.State == task.Ready && compareLanes(t.Lane(), after) > 0 {
			found = append(found, t.Lane())
		}
	}
	slices.SortFunc(found, compareLanes)
	return first(slices.Compact(found), limit), nil
}

// List returns records of a queue.
func (s *Store) List(ctx context.Context, shard int, q store.ListQuery) ([]*task.Task, error) {
	if q.State == 0 && q.Before != 0 {
		return nil, errors.New("a listing without a state can't have a Before instant")
	}
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []*task.Task
	for _, t := range h.records {
		if t.Queue == q.Queue && listed(t, q) {
			found = append(found, headCopy(t))
		}
	}
	slices.SortFunc(found, func(a, b *task.Task) int {
		if q.State == 0 {
			return cmp.Compare(a.Key, b.Key)
		}
		return expiryPos(a).Compare(expiryPos(b))
	})
	return first(found, q.Limit), nil
}

func listed(t *task.Task, q store.ListQuery) bool {
	if q.State == 0 {
		return t.Key > q.AfterKey
	}
	return t.State == q.State && expiryPos(t).Compare(q.After) > 0 && (q.Before == 0 || t.Expiry < q.Before)
}

func expiryPos(t *task.Task) store.Pos { return store.Pos{At: t.Expiry, ID: t.ID} }

func compareLanes(a, b task.Lane) int {
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Host, b.Host))
}

// first returns at most limit elements of s.
func first[T any](s []T, limit int) []T { return s[:min(len(s), max(limit, 0))] }
