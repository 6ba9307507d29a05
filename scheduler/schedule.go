package scheduler

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Schedule stores one task. When it returns without Err, the task fires.
func (s *Scheduler) Schedule(ctx context.Context, r ScheduleRequest) ScheduleResult {
	rs, err := s.ScheduleBatch(ctx, []ScheduleRequest{r})
	if err != nil {
		return ScheduleResult{Err: err}
	}
	return rs[0]
}

// ScheduleBatch stores many tasks, each for itself: result i says what became
// of request i. It returns when all that succeeded are durable. The error is of
// the call as a whole, such as a batch that is too large.
func (s *Scheduler) ScheduleBatch(ctx context.Context, rs []ScheduleRequest) ([]ScheduleResult, error) {
	if len(rs) > MaxBatch {
		return nil, task.Invalid{{Field: "tasks", Reason: fmt.Sprintf("must not be over %d in one batch, got %d", MaxBatch, len(rs))}}
	}
	ops := make([]*scheduleOp, len(rs))
	results := make([]ScheduleResult, len(rs))
	groups := newGroups(len(s.shards))
	for i := range rs {
		o, err := s.newScheduleOp(ctx, &rs[i])
		if err != nil {
			results[i].Err = err
			continue
		}
		ops[i] = o
		groups.add(s.shardOf(o.spec.Queue, o.spec.Key).n, i, o, len(o.spec.Payload))
	}
	s.doGroups(ctx, groups, func(i int, err error) { results[i].Err = err })
	for i, o := range ops {
		if o != nil && results[i].Err == nil {
			results[i] = o.result
		}
	}
	s.countScheduled(results)
	return results, nil
}

func (s *Scheduler) newScheduleOp(ctx context.Context, r *ScheduleRequest) (*scheduleOp, error) {
	if err := r.Validate(s.o.MaxPayload); err != nil {
		return nil, err
	}
	settings, err := s.settings.get(ctx, r.Queue)
	if err != nil {
		return nil, err
	}
	o := &scheduleOp{spec: r.WithDefaults(settings.Defaults), ifAbsent: r.IfAbsent, ifRevision: r.IfRevision, id: newID()}
	if o.spec.Key == "" {
		o.spec.Key = o.id.String()
	}
	// The caller may go on with its buffers if ctx is done before the commit.
	o.spec.Payload, o.spec.Metadata, o.spec.Webhook = slices.Clone(o.spec.Payload), maps.Clone(o.spec.Metadata), cloneWebhook(o.spec.Webhook)
	if o.spec.Webhook != nil && len(settings.SigningSecrets) == 0 {
		if err := s.ensureSecret(ctx, r.Queue); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (s *Scheduler) countScheduled(results []ScheduleResult) {
	if s.o.Events.Scheduled == nil {
		return
	}
	n := make(map[string]int)
	for _, r := range results {
		if r.Err == nil {
			n[r.Task.Queue]++
		}
	}
	for queue, k := range n {
		s.o.Events.Scheduled(queue, k)
	}
}

// scheduleOp creates or replaces one task.
type scheduleOp struct {
	spec       task.Spec // with defaults and key
	ifAbsent   bool
	ifRevision uint64
	id         task.ID
	result     ScheduleResult
}

func (o *scheduleOp) ref() store.Ref { return store.Ref{Queue: o.spec.Queue, Key: o.spec.Key} }

func (o *scheduleOp) target() target { return target{Ref: o.ref()} }

func (o *scheduleOp) fail(err error) { o.result.Err = err }

func (o *scheduleOp) apply(_ context.Context, tx *tx) error {
	r := tx.records[o.ref()]
	if err := checkRevision(r.cur, o.ifRevision); err != nil {
		o.result.Err = err
		return nil //nolint:nilerr // the caller is told by the result
	}
	if r.cur != nil && o.ifAbsent {
		o.result.Err = ErrAlreadyExists
		return nil
	}
	due := o.spec.DueAt(tx.up)
	t := newTask(o.id, &o.spec, due, max(due, tx.now), tx.now) // an instant in the past is due now
	if r.cur != nil && r.cur.State.Pending() && r.cur.Attempt == 0 {
		// No receiver has seen the id yet, so the task can stay the same one.
		t.ID, t.Created = r.cur.ID, r.cur.Created
	}
	if unfinished(r) { // it stays the occurrence that it was
		t.Occurrence, t.Missed, t.Chained = r.cur.Occurrence, r.cur.Missed, r.cur.Chained
	}
	o.result = ScheduleResult{Task: t, Replaced: r.cur != nil}
	tx.put(r, t)
	return nil
}

// newTask makes a task from a spec with defaults and key. Its first attempt is due
// at expiry.
func newTask(id task.ID, s *task.Spec, due, expiry, now task.Instant) *task.Task {
	return &task.Task{
		ID: id, Queue: s.Queue, Key: s.Key,
		State: task.Scheduled,
		Due:   due, Expiry: expiry, Next: expiry,
		Created: now,
		Timeout: s.Timeout, Retention: s.Retention, Retry: s.Retry,
		Size: uint32(len(s.Payload)),
		Host: hostOf(s.Webhook),
		Body: &task.Body{
			Payload: s.Payload, ContentType: s.ContentType, Metadata: s.Metadata,
			Webhook: s.Webhook, Traceparent: s.Traceparent,
		},
	}
}

func cloneWebhook(w *task.Webhook) *task.Webhook {
	if w == nil {
		return nil
	}
	return &task.Webhook{URL: w.URL, Headers: maps.Clone(w.Headers)}
}

// hostOf returns the push lane of a validated webhook: host and port in lower
// case; "" for none.
func hostOf(w *task.Webhook) string {
	if w == nil {
		return ""
	}
	u, err := url.Parse(w.URL)
	if err != nil {
		return "invalid" // Validate refuses it
	}
	return strings.ToLower(u.Host)
}

// checkRevision compares a record's revision with the one a caller expects; 0
// expects nothing.
func checkRevision(t *task.Task, want uint64) error {
	if want == 0 {
		return nil
	}
	var have uint64
	if t != nil {
		have = t.Revision
	}
	if have != want {
		return &RevisionError{Want: want, Have: have}
	}
	return nil
}
