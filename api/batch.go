package api

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// scheduleBatch serves POST /v1/tasks:batch. All of the body is read before
// the first task is scheduled, so that a call that is refused has no effect.
func (c *call) scheduleBatch() error {
	q := c.query()
	in := batchOfTasks{call: c, queue: q.text("queue"), traceparent: c.traceparent()}
	if err := q.end(); err != nil {
		return err
	}
	batch, err := readBatch(c, "tasks", in.next)
	if err != nil {
		return err
	}
	results, err := c.scheduler.ScheduleBatch(c.r.Context(), batch.good)
	if err != nil {
		return err
	}
	return batchAnswer(c, &batch, results,
		func(r scheduler.ScheduleResult) (bool, error) { return r.Replaced, r.Err },
		func(b *bytes.Buffer, r scheduler.ScheduleResult) error {
			b.Write(appendScheduled(b.AvailableBuffer(), r))
			return nil
		})
}

// batchOfTasks makes the requests of a batch.
type batchOfTasks struct {
	*call
	queue       string // of tasks that name none
	traceparent string // of all of them
	in          taskInput
	last        string // the queue of the task before
}

// next reads one task.
func (b *batchOfTasks) next(d *decoder) (scheduler.ScheduleRequest, error) {
	in := &b.in
	*in = taskInput{}
	if err := decode(d, batchFields, in); err != nil {
		return scheduler.ScheduleRequest{}, err
	}
	queue := b.queue
	if in.queue.given {
		queue = b.intern(in.queue.value)
	}
	if in.key.given && in.key.value == "" {
		d.faultAt("key", "must be 1 to %d bytes long, or left out to have one generated", task.MaxKeyLen)
	}
	r, err := in.request(d, queue, in.key.value, b.MaxPayload)
	r.Traceparent = b.traceparent
	return r, err
}

// intern returns the queue's name as the task before had it, so that a batch
// does not hold the same name ten thousand times.
func (b *batchOfTasks) intern(name string) string {
	if b.last != name {
		b.last = name
	}
	return b.last
}

// batchAnswer answers with what became of the items of a batch, in their order,
// and the numbers. fate says what became of one that the scheduler saw, add writes it.
func batchAnswer[T, R any](c *call, batch *items[T], results []R, fate func(R) (replaced bool, err error), add func(*bytes.Buffer, R) error) error {
	b := getBuffer()
	defer putBuffer(b)
	var created, replaced, failed int
	b.WriteString(`{"results":[`)
	for i, err := range batch.errs {
		if i > 0 {
			b.WriteByte(',')
		}
		var r R
		var old bool
		if err == nil {
			r, results = results[0], results[1:]
			old, err = fate(r)
		}
		switch {
		case err != nil:
			failed++
			err = encodeInline(b, &wire.BatchResult{Problem: c.itemProblem(err)})
		case old:
			replaced++
			err = add(b, r)
		default:
			created++
			err = add(b, r)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(b, "],\"created\":%d,\"replaced\":%d,\"failed\":%d}\n", created, replaced, failed)
	c.write(http.StatusOK, jsonType, b.Bytes())
	return nil
}
