package api

import (
	"encoding/json"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// wireTask returns t as the wire has it, with its body.
func wireTask(t *task.Task) wire.Task {
	w := wireHead(t)
	if t.Body != nil {
		addBody(&w, t.Body)
	}
	return w
}

// wireHead returns t without its body.
func wireHead(t *task.Task) wire.Task {
	w := wire.Task{
		ID: t.ID.String(), Queue: t.Queue, Key: t.Key,
		State: wire.TaskState(t.State.String()), Revision: t.Revision, Attempt: t.Attempt, Failures: t.Failures,
		Due: t.Due.Time(), Next: t.Next.Time(),
		CreatedAt: t.Created.Time(), UpdatedAt: t.Updated.Time(), FiredAt: t.Fired.Time(), FinishedAt: t.Finished.Time(),
		Timeout: wire.Duration(t.Timeout), Retention: wire.Duration(t.Retention), Retry: wireRetry(t.Retry),
		LastError: t.LastError, Output: t.Output,
	}
	if t.Occurrence != 0 {
		w.Schedule, _, _ = task.CutOccurrence(t.Key)
		w.Occurrence, w.Missed = t.Occurrence.Time(), t.Missed
	}
	return w
}

// addBody shares memory with b. Bytes that call themselves JSON and are not,
// as a Go program can schedule them, go out as bytes.
func addBody(w *wire.Task, b *task.Body) {
	w.Metadata, w.Traceparent = b.Metadata, b.Traceparent
	if b.Webhook != nil {
		w.Webhook = wireWebhook(b.Webhook)
	}
	if b.ContentType == jsonType[0] && json.Valid(b.Payload) {
		w.Payload = b.Payload
		return
	}
	w.ContentType, w.PayloadBase64 = b.ContentType, b.Payload
}

func wireWebhook(w *task.Webhook) *wire.Webhook {
	return &wire.Webhook{URL: w.URL, Headers: w.Headers}
}

func wireRetry(r task.Retry) wire.Retry {
	return wire.Retry{MaxAttempts: r.MaxAttempts, MinBackoff: wire.Duration(r.MinBackoff), MaxBackoff: wire.Duration(r.MaxBackoff)}
}

func wireLease(l task.Lease) *wire.ClaimedTask {
	return &wire.ClaimedTask{LeaseToken: l.Token.String(), LeaseUntil: l.Until.Time(), Epoch: l.Epoch, Task: wireTask(l.Task)}
}

// wireQueue returns q without its signing secrets.
func wireQueue(q task.Queue) wire.Queue {
	w := wire.Queue{Name: q.Name, Revision: q.Revision, Paused: q.Paused, Concurrency: q.Concurrency}
	w.Defaults = wire.QueueDefaults{Retry: wireRetry(q.Defaults.Retry), Timeout: wire.Duration(q.Defaults.Timeout)}
	if q.Defaults.Webhook != nil {
		w.Defaults.Webhook = wireWebhook(q.Defaults.Webhook)
	}
	if r := q.Defaults.Retention; r != 0 {
		w.Defaults.Retention = new(wire.Duration(max(0, r)))
	}
	return w
}

func wireQueueInfo(q scheduler.QueueInfo) wire.Queue {
	w := wireQueue(q.Queue)
	w.Schedules = &q.Schedules
	w.Counts = &wire.QueueCounts{
		Scheduled: q.Counts[task.Scheduled], Ready: q.Counts[task.Ready], Leased: q.Counts[task.Leased],
		Completed: q.Counts[task.Completed], Cancelled: q.Counts[task.Cancelled], Dead: q.Counts[task.Dead],
	}
	return w
}
