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

// Due reads the index by Next, which has tasks and schedules.
func (s *Store) Due(ctx context.Context, shard int, after store.Pos, limit int) ([]store.Entry, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []store.Entry
	for ref, t := range h.records {
		if t.Next != 0 {
			found = append(found, store.Entry{Pos: store.Pos{At: t.Next, ID: t.ID}, Ref: ref})
		}
	}
	for ref, c := range h.schedules {
		if c.Next != 0 {
			found = append(found, store.Entry{Pos: store.Pos{At: c.Next, ID: c.ID}, Ref: ref, Schedule: true})
		}
	}
	return page(found, after, limit), nil
}

// Ready reads the index of ready tasks.
func (s *Store) Ready(ctx context.Context, shard int, lane task.Lane, after store.Pos, limit int) ([]store.Entry, error) {
	h, err := s.enterShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []store.Entry
	for ref, t := range h.records {
		if t.State == task.Ready && t.Lane() == lane {
			found = append(found, store.Entry{Pos: expiryPos(t), Ref: ref})
		}
	}
	return page(found, after, limit), nil
}

// page returns the entries after a position, in order.
func page(all []store.Entry, after store.Pos, limit int) []store.Entry {
	found := slices.DeleteFunc(all, func(e store.Entry) bool { return e.Compare(after) <= 0 })
	slices.SortFunc(found, func(a, b store.Entry) int { return a.Compare(b.Pos) })
	return first(found, limit)
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
	slices.SortFunc(found, listOrder(q))
	return first(found, q.Limit), nil
}

func listOrder(q store.ListQuery) func(a, b *task.Task) int {
	switch {
	case q.State != 0:
		return func(a, b *task.Task) int { return expiryPos(a).Compare(expiryPos(b)) }
	case q.Descending:
		return func(a, b *task.Task) int { return cmp.Compare(b.Key, a.Key) }
	}
	return func(a, b *task.Task) int { return cmp.Compare(a.Key, b.Key) }
}

func listed(t *task.Task, q store.ListQuery) bool {
	if q.State == 0 {
		return t.Key > q.AfterKey && (q.BeforeKey == "" || t.Key < q.BeforeKey)
	}
	return t.State == q.State && expiryPos(t).Compare(q.After) > 0 && (q.Before == 0 || t.Expiry < q.Before)
}

func expiryPos(t *task.Task) store.Pos { return store.Pos{At: t.Expiry, ID: t.ID} }

func compareLanes(a, b task.Lane) int {
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Host, b.Host))
}

// first returns at most limit elements of s.
func first[T any](s []T, limit int) []T { return s[:min(len(s), max(limit, 0))] }
