package api

import (
	"encoding/base64"
	"errors"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// queuePatch is what a request changes of a queue. Nil fields stay.
type queuePatch struct {
	paused      *bool
	concurrency *int
	defaults    *task.Defaults
	secrets     *[]string
}

var queueFields = []field[queuePatch]{
	{"paused", false, func(d *decoder, p *queuePatch) { p.paused = new(d.boolean()) }},
	{"concurrency", false, func(d *decoder, p *queuePatch) { p.concurrency = new(d.whole(0, maxConcurrency)) }},
	{"defaults", false, func(d *decoder, p *queuePatch) {
		p.defaults = &task.Defaults{}
		object(d, defaultsFields, p.defaults)
	}},
	{"signing_secrets", false, func(d *decoder, p *queuePatch) {
		p.secrets = &[]string{}
		d.list(func() { *p.secrets = append(*p.secrets, d.text()) })
	}},
}

// maxConcurrency is package task's bound.
const maxConcurrency = 10_000

var defaultsFields = []field[task.Defaults]{
	{"webhook", false, func(d *decoder, t *task.Defaults) { t.Webhook = d.webhook() }},
	{"retry", false, func(d *decoder, t *task.Defaults) { object(d, retryFields, &t.Retry) }},
	{"timeout", false, func(d *decoder, t *task.Defaults) { t.Timeout = d.positive(task.MaxTimeout) }},
	{"retention", false, func(d *decoder, t *task.Defaults) { t.Retention = d.retention() }},
}

func (p *queuePatch) apply(q *task.Queue) {
	set(&q.Paused, p.paused)
	set(&q.Concurrency, p.concurrency)
	set(&q.Defaults, p.defaults)
	set(&q.SigningSecrets, p.secrets)
}

func set[T any](v, to *T) {
	if to != nil {
		*v = *to
	}
}

// listQueues serves GET /v1/queues. A page token is the name that the page
// before ended with.
func (c *call) listQueues() error {
	q := c.query()
	size, after := q.pageSize(), q.queueToken("page_token")
	if err := q.end(); err != nil {
		return err
	}
	if size == 0 {
		size = scheduler.DefaultPageSize
	}
	queues, err := c.scheduler.Queues(c.r.Context(), after, size)
	if err != nil {
		return err
	}
	list := wire.QueueList{Queues: make([]wire.Queue, len(queues))}
	for i, info := range queues {
		list.Queues[i] = wireQueueInfo(info)
	}
	if len(queues) == size {
		list.NextPageToken = base64.RawURLEncoding.EncodeToString([]byte(queues[size-1].Name))
	}
	return c.respond(&list)
}

func (q *query) queueToken(name string) string {
	text := q.text(name)
	after, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || text != "" && task.ValidateQueueName(string(after)) != nil {
		q.fault(name, "must be the next_page_token of the page before")
	}
	return string(after)
}

// getQueue serves GET /v1/queues/{queue}.
func (c *call) getQueue() error {
	if err := c.plainQueue(); err != nil {
		return err
	}
	info, err := c.readQueue()
	if err != nil {
		return err
	}
	w := wireQueueInfo(info)
	w.SigningSecrets = info.SigningSecrets
	c.etag(w.Revision)
	return c.respond(&w)
}

// readQueue reads the queue; one that was never used is a problem.
func (c *call) readQueue() (scheduler.QueueInfo, error) {
	info, err := c.scheduler.Queue(c.r.Context(), c.queue)
	if errors.Is(err, scheduler.ErrNotFound) {
		err = problemf(wire.ProblemCodeNotFound, "queue %q was never used", c.queue)
	}
	return info, err
}

// plainQueue checks a call on a queue that has no parameters.
func (c *call) plainQueue() error {
	if err := task.ValidateQueueName(c.queue); err != nil {
		return err
	}
	return c.query().end()
}

// updateQueue serves PATCH /v1/queues/{queue}.
func (c *call) updateQueue() error {
	if err := c.plainQueue(); err != nil {
		return err
	}
	revision, err := c.ifMatch(0)
	if err != nil {
		return err
	}
	var patch queuePatch
	if err := decodeBody(c, c.maxBody(), false, queueFields, &patch); err != nil {
		return err
	}
	if patch == (queuePatch{}) {
		return fault("body", "changes nothing: give a field to change")
	}
	return c.changeQueue(func(q *task.Queue) error {
		if revision.given && revision.value != q.Revision {
			return problemf(wire.ProblemCodeRevisionMismatch, "the queue has revision %d, not %d: read it again", q.Revision, revision.value)
		}
		patch.apply(q)
		return nil
	})
}

// changeQueue answers with the queue as it is after the change, its secrets
// included, and with whether the change made it.
func (c *call) changeQueue(change func(*task.Queue) error) error {
	_, unused := c.readQueue()
	if unused != nil && codeOf(unused) != wire.ProblemCodeNotFound {
		return unused
	}
	q, err := c.scheduler.UpdateQueue(c.r.Context(), c.queue, change)
	if err != nil {
		return err
	}
	w := wireQueue(q)
	w.New = unused != nil
	w.SigningSecrets = q.SigningSecrets
	c.etag(w.Revision)
	return c.respond(&w)
}

// pauseQueue serves POST /v1/queues/{queue}:pause.
func (c *call) pauseQueue() error { return c.setPaused(true) }

// resumeQueue serves POST /v1/queues/{queue}:resume.
func (c *call) resumeQueue() error { return c.setPaused(false) }

func (c *call) setPaused(paused bool) error {
	if err := c.plainQueue(); err != nil {
		return err
	}
	if err := c.noBody(); err != nil {
		return err
	}
	if !paused { // there is no pause to end in a queue that is not there
		if _, err := c.readQueue(); err != nil {
			return err
		}
	}
	return c.changeQueue(func(q *task.Queue) error {
		q.Paused = paused
		return nil
	})
}

var purgeFields = []field[task.State]{
	{"state", false, func(d *decoder, s *task.State) { *s = d.state() }},
}

// purgeQueue serves POST /v1/queues/{queue}:purge.
func (c *call) purgeQueue() error {
	if err := c.plainQueue(); err != nil {
		return err
	}
	var state task.State
	if err := decodeBody(c, c.maxBody(), true, purgeFields, &state); err != nil {
		return err
	}
	purged, err := c.scheduler.Purge(c.r.Context(), c.queue, state)
	if err != nil {
		return err
	}
	return c.respond(&wire.PurgeResponse{Purged: purged})
}
