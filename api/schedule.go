package api

import (
	"bytes"
	"net/http"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// putSchedule serves PUT …/schedules/{key}.
func (c *call) putSchedule() error {
	if err := task.ValidateScheduleRef(c.queue, c.key); err != nil {
		return err
	}
	ifAbsent, revision, err := c.putConditions()
	if err != nil {
		return err
	}
	var request scheduler.PutScheduleRequest
	err = c.withBody(c.maxBody(), func(d *decoder) error {
		var in scheduleInput
		err := decode(d, scheduleFields, &in)
		if err != nil {
			return err
		}
		request, err = in.request(d, c.queue, c.key, c.MaxPayload)
		return err
	})
	if err != nil {
		return err
	}
	request.IfAbsent, request.IfRevision = ifAbsent, revision
	result := c.scheduler.PutSchedule(c.r.Context(), request)
	if result.Err != nil {
		return result.Err
	}
	status := http.StatusOK
	if !result.Replaced {
		status = http.StatusCreated
		c.w.Header()["Location"] = []string{"/v1/queues/" + wire.PathSegment(c.queue) + "/schedules/" + wire.PathSegment(c.key)}
	}
	return c.respondSchedule(status, result.Schedule)
}

// respondSchedule answers with a schedule without its task's payload, which
// whoever just sent it does not need back.
func (c *call) respondSchedule(status int, s *scheduler.ScheduleInfo) error {
	w := wireSchedule(s)
	c.etag(w.Revision)
	c.send(status, jsonType, &w)
	return nil
}

// getSchedule serves GET …/schedules/{key}.
func (c *call) getSchedule() error {
	if err := c.plainSchedule(); err != nil {
		return err
	}
	s, err := c.scheduler.GetSchedule(c.r.Context(), c.queue, c.key)
	if err != nil {
		return err
	}
	w := wireSchedule(s)
	addPayload(&w.Task, &s.Plan.Task)
	c.etag(w.Revision)
	return c.respond(&w)
}

// plainSchedule checks a call on a schedule that has no parameters.
func (c *call) plainSchedule() error {
	if err := task.ValidateScheduleRef(c.queue, c.key); err != nil {
		return err
	}
	return c.query().end()
}

// deleteSchedule serves DELETE …/schedules/{key}.
func (c *call) deleteSchedule() error {
	if err := c.plainSchedule(); err != nil {
		return err
	}
	revision, err := c.ifMatch(1)
	if err != nil {
		return err
	}
	if err := c.scheduler.DeleteSchedule(c.r.Context(), c.queue, c.key, revision.value); err != nil {
		return err
	}
	return c.nothing()
}

// pauseSchedule serves POST …/schedules/{key}:pause.
func (c *call) pauseSchedule() error {
	if err := c.scheduleVerb(); err != nil {
		return err
	}
	return c.scheduleChanged(c.scheduler.PauseSchedule(c.r.Context(), c.queue, c.key))
}

// resumeSchedule serves POST …/schedules/{key}:resume.
func (c *call) resumeSchedule() error {
	if err := c.scheduleVerb(); err != nil {
		return err
	}
	return c.scheduleChanged(c.scheduler.ResumeSchedule(c.r.Context(), c.queue, c.key))
}

func (c *call) scheduleChanged(s *scheduler.ScheduleInfo, err error) error {
	if err != nil {
		return err
	}
	return c.respondSchedule(http.StatusOK, s)
}

// scheduleVerb checks a call on a schedule that takes nothing else.
func (c *call) scheduleVerb() error {
	if err := c.plainSchedule(); err != nil {
		return err
	}
	return c.noBody()
}

// triggerSchedule serves POST …/schedules/{key}:trigger.
func (c *call) triggerSchedule() error {
	if err := c.scheduleVerb(); err != nil {
		return err
	}
	made, err := c.scheduler.TriggerSchedule(c.r.Context(), c.queue, c.key)
	if err != nil {
		return err
	}
	w := wire.TriggerResponse{At: made.At.Time(), Fate: made.Fate.String()}
	if made.Task != nil {
		w.Task = new(wireHead(made.Task))
	}
	return c.respond(&w)
}

// listSchedules serves GET …/schedules.
func (c *call) listSchedules() error {
	if err := task.ValidateQueueName(c.queue); err != nil {
		return err
	}
	q := c.query()
	request := scheduler.ListSchedulesRequest{Queue: c.queue, PageSize: q.pageSize(), PageToken: q.text("page_token")}
	if err := q.end(); err != nil {
		return err
	}
	page, err := c.scheduler.ListSchedules(c.r.Context(), request)
	if err != nil {
		return err
	}
	list := wire.ScheduleList{Schedules: make([]wire.Schedule, len(page.Schedules)), NextPageToken: page.NextPageToken}
	for i, s := range page.Schedules {
		list.Schedules[i] = wireSchedule(s)
	}
	return c.respond(&list)
}

// defaultOccurrences is how many occurrences of each kind are listed.
const defaultOccurrences = 10

// listOccurrences serves GET …/schedules/{key}/occurrences.
func (c *call) listOccurrences() error {
	if err := task.ValidateScheduleRef(c.queue, c.key); err != nil {
		return err
	}
	q := c.query()
	n, before := q.count("n"), q.instant("before")
	if err := q.end(); err != nil {
		return err
	}
	if n == 0 {
		n = defaultOccurrences
	}
	found, err := c.scheduler.Occurrences(c.r.Context(), scheduler.OccurrencesRequest{
		Queue: c.queue, Key: c.key, Coming: n, Past: n, Before: before,
	})
	if err != nil {
		return err
	}
	w := wire.Occurrences{
		Coming: make([]wire.ComingOccurrence, len(found.Coming)),
		Queued: times(found.Queued[:min(n, len(found.Queued))]),
		Past:   make([]wire.Task, len(found.Past)),
	}
	for i, o := range found.Coming {
		w.Coming[i] = wire.ComingOccurrence{At: o.At.Time(), Due: o.Due.Time()}
	}
	for i, t := range found.Past {
		w.Past[i] = wireHead(t)
	}
	return c.respond(&w)
}

func times(list []task.Instant) []time.Time {
	all := make([]time.Time, len(list))
	for i, at := range list {
		all[i] = at.Time()
	}
	return all
}

// putSchedules serves POST /v1/schedules:batch. All of the body is read before
// the first schedule is stored.
func (c *call) putSchedules() error {
	q := c.query()
	in := batchOfSchedules{call: c, queue: q.text("queue")}
	if err := q.end(); err != nil {
		return err
	}
	batch, err := readBatch(c, "schedules", in.next)
	if err != nil {
		return err
	}
	results, err := c.scheduler.PutSchedules(c.r.Context(), batch.good)
	if err != nil {
		return err
	}
	return batchAnswer(c, &batch, results,
		func(r scheduler.PutScheduleResult) (bool, error) { return r.Replaced, r.Err },
		func(b *bytes.Buffer, r scheduler.PutScheduleResult) error {
			return encodeInline(b, wireScheduleResult(r))
		})
}

// batchOfSchedules makes the requests of a batch.
type batchOfSchedules struct {
	*call
	queue string // of schedules that name none
}

// next reads one schedule.
func (b *batchOfSchedules) next(d *decoder) (scheduler.PutScheduleRequest, error) {
	var in scheduleInput
	if err := decode(d, batchScheduleFields, &in); err != nil {
		return scheduler.PutScheduleRequest{}, err
	}
	if !in.key.given {
		d.faultAt("key", "is missing: a schedule is known by its key")
	}
	queue := b.queue
	if in.queue.given {
		queue = in.queue.value
	}
	return in.request(d, queue, in.key.value, b.MaxPayload)
}
