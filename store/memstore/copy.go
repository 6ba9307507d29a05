package memstore

import (
	"maps"
	"slices"

	"github.com/timewheel-dev/timewheel/task"
)

// headCopy returns a copy of t without its body.
func headCopy(t *task.Task) *task.Task {
	c := t.Clone()
	c.Body = nil
	return c
}

// deepCopy returns a copy of t that shares nothing with it.
func deepCopy(t *task.Task) *task.Task {
	c := t.Clone()
	if t.Body != nil {
		b := *t.Body
		b.Payload = slices.Clone(b.Payload)
		b.Metadata = maps.Clone(b.Metadata)
		b.Webhook = copyWebhook(b.Webhook)
		c.Body = &b
	}
	return c
}

// headSchedule returns a copy of s without its plan.
func headSchedule(s *task.Schedule) *task.Schedule {
	c := s.Clone()
	c.Plan = nil
	return c
}

// deepSchedule returns a copy of s that shares nothing with it.
func deepSchedule(s *task.Schedule) *task.Schedule {
	c := s.Clone()
	if s.Plan != nil {
		p := *s.Plan
		p.Rule = slices.Clone(p.Rule)
		p.Task.Payload = slices.Clone(p.Task.Payload)
		p.Task.Metadata = maps.Clone(p.Task.Metadata)
		p.Task.Webhook = copyWebhook(p.Task.Webhook)
		c.Plan = &p
	}
	return c
}

func copyWebhook(w *task.Webhook) *task.Webhook {
	if w == nil {
		return nil
	}
	return &task.Webhook{URL: w.URL, Headers: maps.Clone(w.Headers)}
}

func copyQueue(q task.Queue) task.Queue {
	q.SigningSecrets = slices.Clone(q.SigningSecrets)
	q.Defaults.Webhook = copyWebhook(q.Defaults.Webhook)
	return q
}
