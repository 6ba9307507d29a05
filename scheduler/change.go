package scheduler

import (
	"context"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Get returns one task, with its body.
func (s *Scheduler) Get(ctx context.Context, queue, key string) (*task.Task, error) {
	if err := task.ValidateRef(queue, key); err != nil {
		return nil, err
	}
	ts, err := s.store.Get(ctx, s.shardOf(queue, key).n, []store.Ref{{Queue: queue, Key: key}}, true)
	if err != nil {
		return nil, err
	}
	if ts[0] == nil {
		return nil, ErrNotFound
	}
	return ts[0], nil
}

// Cancel takes a pending task back. When it returns without error, the task
// will not fire. Cancelling a cancelled task succeeds too. ifRevision, if not
// 0, is the revision that the task must have.
func (s *Scheduler) Cancel(ctx context.Context, queue, key string, ifRevision uint64) (*task.Task, error) {
	return s.change(ctx, queue, key, ifRevision, false, cancel)
}

func cancel(tx *tx, r *record) (*task.Task, error) {
	switch st := r.cur.State; {
	case st == task.Cancelled:
		return r.cur.Clone(), nil
	case st == task.Leased:
		return nil, ErrAlreadyClaimed
	case !st.Pending():
		return nil, &StateError{State: st, Verb: "cancelled"}
	}
	t := r.cur.Clone()
	t.State = task.Cancelled
	tx.conclude(r, t, t.Retention)
	if f := tx.sh.s.o.Events.Cancelled; f != nil {
		tx.then(func() { f(t) })
	}
	return t, nil
}

// RunNow makes a pending task due at once.
func (s *Scheduler) RunNow(ctx context.Context, queue, key string) (*task.Task, error) {
	return s.change(ctx, queue, key, 0, false, func(tx *tx, r *record) (*task.Task, error) {
		if err := mustBePending(r.cur.State, "run at once"); err != nil {
			return nil, err
		}
		if r.cur.State == task.Ready {
			return r.cur.Clone(), nil
		}
		t := r.cur.Clone()
		t.Due = tx.now
		tx.reschedule(r, t, tx.now)
		return t, nil
	})
}

// Redrive brings a dead task back: due at once, with all its attempts before
// it. Attempt numbers go on.
func (s *Scheduler) Redrive(ctx context.Context, queue, key string) (*task.Task, error) {
	return s.change(ctx, queue, key, 0, false, func(tx *tx, r *record) (*task.Task, error) {
		if r.cur.State != task.Dead {
			return nil, &StateError{State: r.cur.State, Verb: "redriven: only dead tasks can"}
		}
		t := r.cur.Clone()
		t.Failures, t.Finished = 0, 0
		tx.reschedule(r, t, tx.now)
		return t, nil
	})
}

// mustBePending explains why a task in this state can't be changed.
func mustBePending(st task.State, verb string) error {
	switch {
	case st.Pending():
		return nil
	case st == task.Leased:
		return ErrAlreadyClaimed
	}
	return &StateError{State: st, Verb: verb}
}

// change carries out f on one existing record.
func (s *Scheduler) change(ctx context.Context, queue, key string, ifRevision uint64, body bool, f changeFunc) (*task.Task, error) {
	if err := task.ValidateRef(queue, key); err != nil {
		return nil, err
	}
	o := &changeOp{at: store.Ref{Queue: queue, Key: key}, ifRevision: ifRevision, body: body, f: f}
	if err := s.shardOf(queue, key).do(ctx, o); err != nil {
		return nil, err
	}
	return o.task, o.err
}

// changeFunc changes a record that exists, by tx.put, and returns it, or an error for the
// caller.
type changeFunc func(tx *tx, r *record) (*task.Task, error)

type changeOp struct {
	at         store.Ref
	ifRevision uint64
	body       bool // f needs the body
	f          changeFunc

	task *task.Task
	err  error
}

func (o *changeOp) target() target { return target{Ref: o.at} }

func (o *changeOp) fail(err error) { o.err = err }

func (o *changeOp) apply(ctx context.Context, tx *tx) error {
	r := tx.records[o.at]
	if r.cur == nil {
		o.err = ErrNotFound
		return nil
	}
	if o.err = checkRevision(r.cur, o.ifRevision); o.err != nil {
		return nil //nolint:nilerr // the caller is told by o.err
	}
	if o.body && r.cur.Body == nil {
		full, err := tx.sh.s.store.Get(ctx, tx.sh.n, []store.Ref{o.at}, true)
		if err != nil {
			return err
		}
		r.cur = r.cur.Clone()
		r.cur.Body = full[0].Body
	}
	o.task, o.err = o.f(tx, r)
	return nil
}

// reschedule makes t, a changed copy of r.cur, wait until at.
func (tx *tx) reschedule(r *record, t *task.Task, at task.Instant) {
	t.State, t.Nonce, t.RunBy = task.Scheduled, 0, 0
	t.Expiry = max(at, tx.now)
	t.Next = t.Expiry
	tx.put(r, t)
}

// conclude makes t, a copy of r.cur in a finished state, stay for the given
// retention; 0 removes the record.
func (tx *tx) conclude(r *record, t *task.Task, retention time.Duration) {
	t.Nonce, t.RunBy, t.Finished = 0, 0, tx.now
	if retention == 0 {
		t.Revision, t.Updated, t.Next = r.cur.Revision+1, tx.now, 0
		tx.put(r, nil)
		return
	}
	t.Next = tx.now.Add(retention)
	tx.put(r, t)
}
