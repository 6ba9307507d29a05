package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// PutScheduleRequest asks for one schedule.
type PutScheduleRequest struct {
	Queue string
	Key   string
	Rule  recurrence.Spec
	Plan  task.Plan // its Rule is not looked at

	// Paused, if not nil, pauses or resumes the schedule. A new one is not
	// paused, an existing one stays as it is.
	Paused *bool

	IfAbsent   bool   // refuse, with ErrScheduleExists, if the key has a schedule
	IfRevision uint64 // if not 0, refuse unless the key has a schedule of this revision
}

// PutScheduleResult is what became of one request of a batch.
type PutScheduleResult struct {
	Schedule *ScheduleInfo // as stored; nil if Err is set
	Replaced bool          // the key had a schedule, which was changed
	Err      error
}

// PutSchedule stores one schedule, or changes the one that has the key. A
// changed one keeps its id, its phase, its counts and what it waits for; only when its
// recurrence is another one than before, it goes on with the first occurrence from now.
func (s *Scheduler) PutSchedule(ctx context.Context, r PutScheduleRequest) PutScheduleResult {
	rs, err := s.PutSchedules(ctx, []PutScheduleRequest{r})
	if err != nil {
		return PutScheduleResult{Err: err}
	}
	return rs[0]
}

// PutSchedules stores many schedules, each for itself: result i says what became
// of request i. It returns when all that succeeded are durable. The error is of
// the call as a whole, such as a batch that is too large.
func (s *Scheduler) PutSchedules(ctx context.Context, rs []PutScheduleRequest) ([]PutScheduleResult, error) {
	if len(rs) > MaxBatch {
		return nil, task.Invalid{{Field: "schedules", Reason: fmt.Sprintf("must not be over %d in one batch, got %d", MaxBatch, len(rs))}}
	}
	ops := make([]*putScheduleOp, len(rs))
	results := make([]PutScheduleResult, len(rs))
	groups := newGroups(len(s.shards))
	for i := range rs {
		if err := ctx.Err(); err != nil {
			return nil, err // nobody waits for the answer
		}
		o, err := s.newPutScheduleOp(ctx, &rs[i])
		if err != nil {
			results[i].Err = err
			continue
		}
		ops[i] = o
		groups.add(s.shardOf(o.at.Queue, o.at.Key).n, i, o, len(o.plan.Task.Payload)+len(o.plan.Rule))
	}
	s.doGroups(ctx, groups, func(i int, err error) { results[i].Err = err })
	for i, o := range ops {
		if o != nil && results[i].Err == nil {
			results[i] = o.result
		}
	}
	return results, nil
}

func (s *Scheduler) newPutScheduleOp(ctx context.Context, r *PutScheduleRequest) (*putScheduleOp, error) {
	plan := r.Plan
	plan.Rule = nil
	text, err := r.Rule.MarshalJSON()
	if err != nil {
		return nil, err
	}
	plan.Rule = text
	var spec recurrence.Spec // as it will be read, so that answers don't depend on how it was written
	if err := spec.UnmarshalJSON(text); err != nil {
		return nil, task.Invalid{{Field: kindOf(r.Rule), Reason: err.Error()}}
	}
	if err := joinFaults(plan.Validate(r.Queue, r.Key, s.o.MaxPayload), s.judge(r)); err != nil {
		return nil, err
	}
	t := &plan.Task
	t.Payload, t.Metadata, t.Webhook = slices.Clone(t.Payload), maps.Clone(t.Metadata), cloneWebhook(t.Webhook)
	t.Queue, t.Key, t.Due, t.Delay = "", "", time.Time{}, 0
	settings, err := s.settings.get(ctx, r.Queue)
	if err != nil {
		return nil, err
	}
	if (t.Webhook != nil || settings.Defaults.Webhook != nil) && len(settings.SigningSecrets) == 0 {
		if err := s.ensureSecret(ctx, r.Queue); err != nil {
			return nil, err
		}
	}
	return &putScheduleOp{
		at: store.Ref{Queue: r.Queue, Key: r.Key}, id: newID(), spec: spec, plan: &plan,
		paused: r.Paused, ifAbsent: r.IfAbsent, ifRevision: r.IfRevision,
	}, nil
}

// judge reports what is wrong with the recurrence, by the names of its fields.
func (s *Scheduler) judge(r *PutScheduleRequest) error {
	_, err := r.Rule.Compile(recurrence.Context{Key: r.Queue + "/" + r.Key, Anchor: s.clock.Now(), Zones: s.rules.zone})
	return asInvalid(err)
}

// asInvalid makes the faults of a recurrence those of a request.
func asInvalid(err error) error {
	var faults recurrence.Faults
	if !errors.As(err, &faults) {
		return err
	}
	invalid := make(task.Invalid, len(faults))
	for i, f := range faults {
		invalid[i] = task.Fault(f)
	}
	return invalid
}

// joinFaults makes one Invalid of two.
func joinFaults(a, b error) error {
	var first, second task.Invalid
	if errors.As(a, &first) && errors.As(b, &second) {
		return append(slices.Clip(first), second...)
	}
	if a != nil {
		return a
	}
	return b
}

// putScheduleOp creates or changes one schedule.
type putScheduleOp struct {
	at         store.Ref
	id         task.ID
	spec       recurrence.Spec
	plan       *task.Plan
	paused     *bool
	ifAbsent   bool
	ifRevision uint64
	result     PutScheduleResult
}

func (o *putScheduleOp) target() target { return target{o.at, true} }

func (o *putScheduleOp) fail(err error) { o.result.Err = err }

func (o *putScheduleOp) apply(ctx context.Context, tx *tx) error {
	r := tx.schedules[o.at]
	if o.result.Err = o.refused(r.cur); o.result.Err != nil {
		return nil //nolint:nilerr // the caller is told by the result
	}
	s := o.next(tx, r.cur)
	t, err := tx.sh.s.rules.make(s, o.spec)
	if err != nil {
		o.result.Err = asInvalid(err)
		return nil
	}
	switch {
	case s.Cursor == 0:
		s.Cursor, s.Zones = t.next(max(tx.now, s.Last)), t.zones
	case r.cur != nil && r.cur.Paused && !s.Paused:
		tx.resume(s, t)
	}
	same := r.cur != nil && bytes.Equal(r.cur.Plan.Rule, s.Plan.Rule)
	if s.Cursor == 0 && !same {
		o.result.Err = task.Invalid{{Field: kindOf(o.spec), Reason: fmt.Sprintf(
			"has no occurrence after %s: it would never fire", tx.now.Time().Format(time.RFC3339))}}
		return nil
	}
	if s.Exhausted() {
		s.Cursor = 0
	}
	if s.Next = t.nextLook(s); r.cur == nil || s.Cursor != r.cur.Cursor || s.Paused {
		s.Turn = 0
	}
	if s.Turn != 0 {
		s.Next = s.Turn // it keeps its place in the line
	}
	o.result.Replaced = r.cur != nil
	tx.putSchedule(r, s)
	if err := tx.beginQueued(ctx, r); err != nil {
		return err
	}
	o.result.Schedule = t.info(r.cur)
	return nil
}

// kindOf names the field that says when a rule has occurrences.
func kindOf(spec recurrence.Spec) string {
	switch {
	case spec.Every != 0:
		return "every"
	case len(spec.At) > 0:
		return "at"
	}
	return "cron"
}

func (o *putScheduleOp) refused(cur *task.Schedule) error {
	if cur != nil && o.ifAbsent {
		return ErrScheduleExists
	}
	return checkScheduleRevision(cur, o.ifRevision)
}

// next returns the schedule as it shall be. Its cursor is 0 if the occurrence to
// come is to be worked out anew.
func (o *putScheduleOp) next(tx *tx, cur *task.Schedule) *task.Schedule {
	if cur == nil {
		return &task.Schedule{
			ID: o.id, Queue: o.at.Queue, Key: o.at.Key, Created: tx.now, Plan: o.plan,
			Paused: o.paused != nil && *o.paused,
			Anchor: tx.now - tx.now%1_000_000, // a whole second, for the keys of its occurrences
		}
	}
	s := cur.Clone()
	s.Plan = o.plan
	if o.paused != nil {
		s.Paused = *o.paused
	}
	if !bytes.Equal(cur.Plan.Rule, o.plan.Rule) {
		s.Cursor = 0
	}
	return s
}
