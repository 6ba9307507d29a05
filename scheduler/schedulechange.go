package scheduler

import (
	"context"
	"errors"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// DeleteSchedule removes a schedule. Occurrences that are tasks already stay as
// they are. ifRevision, if not 0, is the revision that it must have.
func (s *Scheduler) DeleteSchedule(ctx context.Context, queue, key string, ifRevision uint64) error {
	_, err := s.changeSchedule(ctx, queue, key, ifRevision, func(_ context.Context, tx *tx, r *scheduleRecord) error {
		tx.putSchedule(r, nil)
		return nil
	})
	return err
}

// PauseSchedule stops a schedule: until it is resumed no occurrence becomes a
// task, but for triggered ones. Pausing a paused schedule succeeds too.
func (s *Scheduler) PauseSchedule(ctx context.Context, queue, key string) (*ScheduleInfo, error) {
	return s.changeSchedule(ctx, queue, key, 0, func(_ context.Context, tx *tx, r *scheduleRecord) error {
		if r.cur.Paused {
			return nil
		}
		next := r.cur.Clone()
		next.Paused, next.Next, next.Turn = true, 0, 0
		tx.putSchedule(r, next)
		return nil
	})
}

// ResumeSchedule lets a paused schedule go on, in its old phase. What it passed
// over while it was paused was not missed and is not made up for. Resuming one that
// is not paused succeeds too.
func (s *Scheduler) ResumeSchedule(ctx context.Context, queue, key string) (*ScheduleInfo, error) {
	return s.changeSchedule(ctx, queue, key, 0, func(ctx context.Context, tx *tx, r *scheduleRecord) error {
		if !r.cur.Paused {
			return nil
		}
		t, err := tx.sh.s.rules.compile(r.cur)
		if err != nil {
			return &callersError{err}
		}
		next := r.cur.Clone()
		next.Paused = false
		tx.resume(next, t)
		next.Next = t.nextLook(next)
		tx.putSchedule(r, next)
		return tx.beginQueued(ctx, r)
	})
}

// resume sets the cursor to the first occurrence that was not due while the
// schedule was paused.
func (tx *tx) resume(s *task.Schedule, t timetable) {
	if s.Cursor != 0 && t.due(s.Cursor) <= tx.now {
		s.Cursor, s.Zones = t.ahead(max(tx.now, s.Last)), t.zones
	}
}

// Triggered is what became of a trigger.
type Triggered struct {
	At   task.Instant // the instant of the occurrence that was made
	Fate Fate         // FateFired, or FateQueued
	Task *task.Task   // of FateFired: the task, without its body
}

// TriggerSchedule makes an occurrence at once, beside those of the recurrence,
// also of a schedule that is paused or finished. It heeds the overlap policy, and
// does not count among Plan.Times.
func (s *Scheduler) TriggerSchedule(ctx context.Context, queue, key string) (Triggered, error) {
	var made Triggered
	_, err := s.changeSchedule(ctx, queue, key, 0, func(ctx context.Context, tx *tx, r *scheduleRecord) (err error) {
		made, err = tx.trigger(ctx, r)
		return err
	})
	return made, err
}

func (tx *tx) trigger(ctx context.Context, r *scheduleRecord) (Triggered, error) {
	if err := tx.beginQueued(ctx, r); err != nil { // what waits comes first
		return Triggered{}, err
	}
	at, err := tx.freeInstant(ctx, r.cur)
	if err != nil {
		return Triggered{}, err
	}
	next := r.cur.Clone()
	fate, err := tx.occur(ctx, next, occurrence{at: at, due: tx.now, expiry: tx.now})
	switch {
	case err != nil:
		return Triggered{}, err
	case fate == FateSkipped:
		return Triggered{}, &callersError{ErrOverlap}
	}
	next.Triggered++
	tx.putSchedule(r, next)
	made := Triggered{At: at, Fate: fate}
	if fate == FateFired || fate == FateReplaced {
		made.Fate = FateFired
		made.Task = tx.records[occurrenceRef(next, at)].cur
	}
	return made, nil
}

// freeInstant returns now, or the first instant after it that is no occurrence's
// yet, and is none that the recurrence has yet to come to.
func (tx *tx) freeInstant(ctx context.Context, s *task.Schedule) (task.Instant, error) {
	t, err := tx.sh.s.rules.compile(s)
	ahead := func(at task.Instant) bool {
		return err == nil && s.Cursor != 0 && at >= s.Cursor && t.next(at-1) == at
	}
	for at := tx.now; ; at++ {
		r, err := tx.one(ctx, occurrenceRef(s, at))
		if err != nil {
			return 0, err
		}
		if r.cur == nil && !slices.Contains(s.Queued, at) && !ahead(at) {
			return at, nil
		}
	}
}

// changeSchedule carries out f on one existing schedule.
func (s *Scheduler) changeSchedule(ctx context.Context, queue, key string, ifRevision uint64, f changeScheduleFunc) (*ScheduleInfo, error) {
	if err := task.ValidateScheduleRef(queue, key); err != nil {
		return nil, err
	}
	o := &changeScheduleOp{at: store.Ref{Queue: queue, Key: key}, ifRevision: ifRevision, f: f}
	if err := s.shardOf(queue, key).do(ctx, o); err != nil {
		return nil, err
	}
	if o.err != nil || o.schedule == nil {
		return nil, o.err
	}
	return s.info(o.schedule), nil
}

// changeScheduleFunc changes a schedule that exists, by tx.putSchedule. A
// callersError, or that a record can't be read, is for the caller, and nothing may
// have been changed then; any other is the store's and fails the whole pass.
type changeScheduleFunc func(ctx context.Context, tx *tx, r *scheduleRecord) error

type changeScheduleOp struct {
	at         store.Ref
	ifRevision uint64
	f          changeScheduleFunc

	schedule *task.Schedule // as it is now; nil: deleted
	err      error
}

func (o *changeScheduleOp) target() target { return target{o.at, true} }

func (o *changeScheduleOp) fail(err error) { o.err = err }

func (o *changeScheduleOp) apply(ctx context.Context, tx *tx) error {
	r := tx.schedules[o.at]
	if r.cur == nil {
		o.err = ErrNoSchedule
		return nil
	}
	if o.err = checkScheduleRevision(r.cur, o.ifRevision); o.err != nil {
		return nil //nolint:nilerr // the caller is told by o.err
	}
	err := o.f(ctx, tx, r)
	if _, ok := errors.AsType[*unreadableError](err); ok {
		err = &callersError{err}
	}
	if callers, ok := errors.AsType[*callersError](err); ok {
		o.err, err = callers.err, nil
	}
	o.schedule = r.cur
	return err
}

// callersError is what a changeScheduleFunc has to say to the caller.
type callersError struct{ err error }

func (e *callersError) Error() string { return e.err.Error() }

func (e *callersError) Unwrap() error { return e.err }

// checkScheduleRevision compares a schedule's revision with the one a caller
// expects; 0 expects nothing.
func checkScheduleRevision(s *task.Schedule, want uint64) error {
	var have uint64
	if s != nil {
		have = s.Revision
	}
	if want != 0 && have != want {
		return &RevisionError{Want: want, Have: have, Schedule: true}
	}
	return nil
}
