package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/timewheel-dev/timewheel/task"
)

// Update changes a pending task: what the patch names, nothing else. ifRevision,
// if not 0, is the revision that the task must have.
func (s *Scheduler) Update(ctx context.Context, queue, key string, p Patch, ifRevision uint64) (*task.Task, error) {
	if err := p.validate(queue, key, s.o.MaxPayload); err != nil {
		return nil, err
	}
	return s.change(ctx, queue, key, ifRevision, p.touchesBody(), func(tx *tx, r *record) (*task.Task, error) {
		if err := mustBePending(r.cur.State, "changed"); err != nil {
			return nil, err
		}
		if p.Webhook != nil && r.cur.Host == "" {
			return nil, task.Invalid{{Field: "webhook", Reason: "can't be added to a task that workers pull: schedule its key anew"}}
		}
		t := r.cur.Clone()
		p.applyHead(t)
		if p.touchesBody() {
			p.applyBody(t)
		}
		switch {
		case p.Due != nil:
			t.Due = task.CeilInstant(*p.Due)
			tx.reschedule(r, t, t.Due)
		case p.Delay != nil:
			t.Due = tx.up.Add(*p.Delay)
			tx.reschedule(r, t, t.Due)
		case t.State == task.Ready && t.Host != r.cur.Host: // another lane
			tx.reschedule(r, t, tx.now)
		default:
			tx.put(r, t)
		}
		return t, nil
	})
}

// validate checks the patch as if it were a task of its own.
func (p *Patch) validate(queue, key string, maxPayload int) error {
	spec := task.Spec{Queue: queue, Key: key, Webhook: p.Webhook}
	if key == "" {
		return task.ValidateRef(queue, key)
	}
	set(&spec.Due, p.Due)
	set(&spec.Delay, p.Delay)
	set(&spec.Payload, p.Payload)
	set(&spec.ContentType, p.ContentType)
	set(&spec.Metadata, p.Metadata)
	set(&spec.Retry, p.Retry)
	set(&spec.Timeout, p.Timeout)
	set(&spec.Retention, p.Retention)
	if p.Due != nil && p.Due.IsZero() {
		return task.Invalid{{Field: "due", Reason: "must be from 1970 to 9999, got year 1"}}
	}
	if p.Due != nil && p.Delay != nil {
		return task.Invalid{{Field: "delay", Reason: "must not be set beside due: give one of them"}}
	}
	if p.Timeout != nil && *p.Timeout == 0 {
		return task.Invalid{{Field: "timeout", Reason: fmt.Sprintf("must be over 0s and at most %s", task.MaxTimeout)}}
	}
	return spec.Validate(maxPayload)
}

// set copies *from, if there is one.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (p *Patch) touchesBody() bool {
	return p.Payload != nil || p.ContentType != nil || p.Metadata != nil || p.Webhook != nil
}

func (p *Patch) applyHead(t *task.Task) {
	set(&t.Timeout, p.Timeout)
	if p.Retention != nil {
		t.Retention = max(0, *p.Retention)
	}
	if p.Retry != nil {
		t.Retry = task.Spec{Retry: *p.Retry}.WithDefaults(task.Defaults{Retry: t.Retry}).Retry
	}
}

// applyBody gives t a changed copy of its body: bodies are never changed in
// place.
func (p *Patch) applyBody(t *task.Task) {
	b := *t.Body
	set(&b.ContentType, p.ContentType)
	if p.Payload != nil {
		b.Payload = slices.Clone(*p.Payload)
	}
	if p.Metadata != nil {
		b.Metadata = maps.Clone(*p.Metadata)
	}
	if p.Webhook != nil {
		b.Webhook = cloneWebhook(p.Webhook)
		t.Host = hostOf(p.Webhook)
	}
	t.Body = &b
	t.Size = uint32(len(b.Payload))
}
