package scheduler

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Queues returns the queues by name, strictly after a name, at most limit.
func (s *Scheduler) Queues(ctx context.Context, after string, limit int) ([]QueueInfo, error) {
	rows, err := s.store.Queues(ctx, after, min(max(limit, 1), MaxPageSize))
	if err != nil {
		return nil, err
	}
	infos := make([]QueueInfo, len(rows))
	for i, r := range rows {
		infos[i] = QueueInfo(r)
	}
	return infos, nil
}

// Queue returns one queue, or ErrNotFound if it never had tasks or settings.
func (s *Scheduler) Queue(ctx context.Context, name string) (QueueInfo, error) {
	if err := task.ValidateQueueName(name); err != nil {
		return QueueInfo{}, err
	}
	row, err := s.store.Queue(ctx, name)
	if err != nil {
		return QueueInfo{}, err
	}
	if row.Revision == 0 && row.Counts == (task.Counts{}) && row.Schedules == 0 {
		return QueueInfo{}, fmt.Errorf("queue %s: %w: it has never had tasks or settings", name, ErrNotFound)
	}
	row.Name = name
	return QueueInfo(row), nil
}

// UpdateQueue changes a queue's settings and returns the new ones. It creates
// the queue if need be. An error of change is returned as it is.
func (s *Scheduler) UpdateQueue(ctx context.Context, name string, change func(*task.Queue) error) (task.Queue, error) {
	if err := task.ValidateQueueName(name); err != nil {
		return task.Queue{}, err
	}
	for {
		q, err := s.settings.update(ctx, name, change)
		if errors.Is(err, store.ErrConflict) && ctx.Err() == nil {
			continue // another node was quicker
		}
		s.hub.queueChanged(name) // after an error, too: it may have taken effect
		return q, err
	}
}

// ensureSecret gives a queue that is to push its first webhook a signing
// secret.
func (s *Scheduler) ensureSecret(ctx context.Context, queue string) error {
	_, err := s.UpdateQueue(ctx, queue, func(q *task.Queue) error {
		if len(q.SigningSecrets) == 0 {
			q.SigningSecrets = []string{newSecret()}
		}
		return nil
	})
	return err
}

// newSecret makes a signing secret of 32 random bytes.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return task.NewSecret(b[:])
}

// Purge deletes the queue's records in one state for good, or, for state 0, in
// all states but leased. Pending ones never fire then. It returns how many it
// deleted, also if it fails half-way. Records that come in meanwhile may stay.
func (s *Scheduler) Purge(ctx context.Context, queue string, state task.State) (int64, error) {
	if err := task.ValidateQueueName(queue); err != nil {
		return 0, err
	}
	if state == task.Leased {
		return 0, task.Invalid{{Field: "state", Reason: "must not be leased: attempts are running"}}
	}
	states := task.States[:]
	if state != 0 {
		states = []task.State{state}
	}
	var n int64
	for _, st := range states {
		for shard := range s.shards {
			k, err := s.purgeShard(ctx, shard, queue, st)
			n += k
			if err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (s *Scheduler) purgeShard(ctx context.Context, shard int, queue string, state task.State) (n int64, err error) {
	if state == task.Leased {
		return 0, nil
	}
	q := store.ListQuery{Queue: queue, State: state, Limit: MaxPageSize}
	for {
		page, err := s.store.List(ctx, shard, q)
		if err != nil || len(page) == 0 {
			return n, err
		}
		ops := make([]op, len(page))
		for i, t := range page {
			ops[i] = &purgeOp{at: store.RefOf(t), state: state}
		}
		if err := s.shards[shard].do(ctx, ops...); err != nil {
			return n, err
		}
		for _, o := range ops {
			if o.(*purgeOp).done {
				n++
			}
		}
		last := page[len(page)-1]
		q.After = store.Pos{At: last.Expiry, ID: last.ID}
	}
}

// purgeOp deletes a record that is still in the state it was listed in.
type purgeOp struct {
	at    store.Ref
	state task.State
	done  bool
}

func (o *purgeOp) target() target { return target{Ref: o.at} }

func (o *purgeOp) fail(error) {} // it stays

func (o *purgeOp) apply(_ context.Context, tx *tx) error {
	r := tx.records[o.at]
	if r.cur != nil && r.cur.State == o.state {
		tx.put(r, nil)
		o.done = true
	}
	return nil
}
