package api

import (
	"bytes"
	"time"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// taskInput is what a request says of a task, be it new or changed.
type taskInput struct {
	queue, key  optional[string] // in batches
	ifAbsent    bool             // in batches
	due         optional[time.Time]
	delay       optional[time.Duration]
	payload     optional[[]byte]
	bytes       optional[[]byte] // payload_base64
	contentType optional[string]
	webhook     *task.Webhook
	retry       optional[task.Retry]
	timeout     optional[time.Duration]
	retention   optional[time.Duration] // negative: not kept
	metadata    map[string]string
}

// taskFields are the fields of NewTask and of TaskPatch.
var taskFields = append([]field[taskInput]{
	{"due", false, func(d *decoder, t *taskInput) { t.due.set(d.instant()) }},
	{"delay", false, func(d *decoder, t *taskInput) { t.delay.set(d.upTo(maxDelay)) }},
}, contentFields...)

// contentFields are those of them that do not say when.
var contentFields = []field[taskInput]{
	{"payload", false, func(d *decoder, t *taskInput) { t.payload.set(bytes.Clone(d.Raw())) }},
	{"payload_base64", false, func(d *decoder, t *taskInput) { t.bytes.set(d.base64()) }},
	{"content_type", false, func(d *decoder, t *taskInput) { t.contentType.set(d.text()) }},
	{"webhook", false, func(d *decoder, t *taskInput) { t.webhook = d.webhook() }},
	{"retry", false, func(d *decoder, t *taskInput) { object(d, retryFields, &t.retry.value); t.retry.given = true }},
	{"timeout", false, func(d *decoder, t *taskInput) { t.timeout.set(d.positive(task.MaxTimeout)) }},
	{"retention", false, func(d *decoder, t *taskInput) { t.retention.set(d.retention()) }},
	{"metadata", false, func(d *decoder, t *taskInput) { t.metadata = d.pairs() }},
}

// batchFields are the fields of BatchTask.
var batchFields = append([]field[taskInput]{
	{"queue", false, func(d *decoder, t *taskInput) { t.queue.set(d.text()) }},
	{"key", false, func(d *decoder, t *taskInput) { t.key.set(d.text()) }},
	{"if_absent", false, func(d *decoder, t *taskInput) { t.ifAbsent = d.boolean() }},
}, taskFields...)

var webhookFields = []field[task.Webhook]{
	{"url", true, func(d *decoder, w *task.Webhook) { w.URL = d.text() }},
	{"headers", false, func(d *decoder, w *task.Webhook) { w.Headers = d.pairs() }},
}

var retryFields = []field[task.Retry]{
	{"max_attempts", false, func(d *decoder, r *task.Retry) { r.MaxAttempts = uint32(d.whole(1, task.MaxAttempts)) }},
	{"min_backoff", false, func(d *decoder, r *task.Retry) { r.MinBackoff = d.positive(task.MaxBackoff) }},
	{"max_backoff", false, func(d *decoder, r *task.Retry) { r.MaxBackoff = d.positive(task.MaxBackoff) }},
}

func (d *decoder) webhook() *task.Webhook {
	if !d.want(strictjson.Object) {
		return nil
	}
	w := &task.Webhook{}
	object(d, webhookFields, w)
	return w
}

// retention reads how long a record is kept. Zero is "not at all", which is
// negative in package task.
func (d *decoder) retention() time.Duration {
	faults := len(d.faults)
	v := d.upTo(task.MaxRetention)
	if v == 0 && len(d.faults) == faults {
		return -1
	}
	return v
}

// fits refuses a payload over the limit with the problem that a body over its
// limit has.
func fits(payload []byte, most int) error {
	if len(payload) > most {
		return problemf(wire.ProblemCodeBodyTooLarge, "the payload has %d bytes: the limit is %d", len(payload), most)
	}
	return nil
}

// body returns the payload and its content type, nil for what was not given.
func (t *taskInput) body(d *decoder) (payload *[]byte, contentType *string) {
	switch {
	case t.payload.given && t.bytes.given:
		d.faultAt("payload", "must not be set beside payload_base64: give one of them")
	case t.contentType.given && !t.bytes.given:
		d.faultAt("content_type", "belongs to payload_base64; a payload is application/json")
	case t.payload.given:
		return &t.payload.value, new(jsonType[0])
	case t.bytes.given:
		return &t.bytes.value, &t.contentType.value
	}
	return nil, nil
}

// content makes a Spec of what the contentFields say.
func (t *taskInput) content(d *decoder) task.Spec {
	s := task.Spec{
		Metadata: t.metadata, Webhook: t.webhook,
		Timeout: t.timeout.value, Retention: t.retention.value, Retry: t.retry.value,
	}
	if payload, contentType := t.body(d); payload != nil {
		s.Payload, s.ContentType = *payload, *contentType
	}
	return s
}

// request makes a ScheduleRequest for a queue and a key, "" for one that is
// generated. What the Scheduler would object to is found here only if there is
// another fault, so that the answer names them all.
func (t *taskInput) request(d *decoder, queue, key string, maxPayload int) (scheduler.ScheduleRequest, error) {
	switch {
	case !t.due.given && !t.delay.given:
		d.faultAt("due", "is missing: give due or delay")
	case t.due.given && t.delay.given:
		d.faultAt("due", "must not be set beside delay: give one of them")
	}
	r := scheduler.ScheduleRequest{Spec: t.content(d), IfAbsent: t.ifAbsent}
	r.Queue, r.Key, r.Due, r.Delay = queue, key, t.due.value, t.delay.value
	if err := fits(r.Payload, maxPayload); err != nil {
		return r, err
	}
	if len(d.faults) > 0 {
		d.merge(r.Validate(maxPayload))
	}
	return r, d.invalid()
}

// merge adds the faults of fields that have none yet.
func (d *decoder) merge(err error) {
	more, _ := err.(task.Invalid) //nolint:errorlint // Validate returns nothing else
	for _, f := range more {
		if !d.blames(f.Field) {
			d.faults = append(d.faults, f)
		}
	}
}

func (d *decoder) blames(field string) bool {
	for _, f := range d.faults {
		if f.Field == field || f.Field == "due" && field == "delay" {
			return true
		}
	}
	return false
}

// patch makes a Patch.
func (t *taskInput) patch(d *decoder, maxPayload int) (scheduler.Patch, error) {
	p := scheduler.Patch{
		Due: t.due.pointer(), Delay: t.delay.pointer(), Webhook: t.webhook,
		Retry: t.retry.pointer(), Timeout: t.timeout.pointer(), Retention: t.retention.pointer(),
	}
	if t.metadata != nil {
		p.Metadata = &t.metadata
	}
	if p.Payload, p.ContentType = t.body(d); p.Due != nil && p.Delay != nil {
		d.faultAt("due", "must not be set beside delay: give one of them")
	}
	if p == (scheduler.Patch{}) && len(d.faults) == 0 {
		d.faultAt("body", "changes nothing: give a field to change")
	}
	if p.Payload != nil {
		if err := fits(*p.Payload, maxPayload); err != nil {
			return p, err
		}
	}
	return p, d.invalid()
}
