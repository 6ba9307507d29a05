package api

import (
	"net/http"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// ref refuses a path whose queue or key is none.
func (c *call) ref() error { return task.ValidateRef(c.queue, c.key) }

// scheduleTask serves PUT …/tasks/{key}.
func (c *call) scheduleTask() error {
	if err := c.ref(); err != nil {
		return err
	}
	ifAbsent, revision, err := c.putConditions()
	if err != nil {
		return err
	}
	return c.schedule(scheduler.ScheduleRequest{IfAbsent: ifAbsent, IfRevision: revision})
}

// createTask serves POST …/tasks.
func (c *call) createTask() error {
	if err := task.ValidateQueueName(c.queue); err != nil {
		return err
	}
	if err := c.query().end(); err != nil {
		return err
	}
	return c.schedule(scheduler.ScheduleRequest{})
}

// schedule reads the task from the body and schedules it under conditions.
func (c *call) schedule(conditions scheduler.ScheduleRequest) error {
	var request scheduler.ScheduleRequest
	err := c.withBody(c.maxBody(), func(d *decoder) error {
		var in taskInput
		err := decode(d, taskFields, &in)
		if err != nil {
			return err
		}
		request, err = in.request(d, c.queue, c.key, c.MaxPayload)
		return err
	})
	if err != nil {
		return err
	}
	request.IfAbsent, request.IfRevision = conditions.IfAbsent, conditions.IfRevision
	request.Traceparent = c.traceparent()
	return c.scheduled(c.scheduler.Schedule(c.r.Context(), request))
}

func (c *call) scheduled(result scheduler.ScheduleResult) error {
	if result.Err != nil {
		return result.Err
	}
	t, status := result.Task, http.StatusOK
	if !result.Replaced {
		status = http.StatusCreated
		c.w.Header()["Location"] = []string{"/v1/queues/" + wire.PathSegment(t.Queue) + "/tasks/" + wire.PathSegment(t.Key)}
	}
	return c.respondHead(status, t)
}

// respondHead answers with a task without its body, which whoever just sent it
// does not need back.
func (c *call) respondHead(status int, t *task.Task) error {
	c.etag(t.Revision)
	return c.respondWith(status, func(b []byte) []byte { return appendHead(b, t) })
}

// changed answers with a task as it is now, or with why it could not be
// changed.
func (c *call) changed(t *task.Task, err error) error {
	if err != nil {
		return err
	}
	return c.respondHead(http.StatusOK, t)
}

// getTask serves GET …/tasks/{key}.
func (c *call) getTask() error {
	if err := c.plain(); err != nil {
		return err
	}
	t, err := c.scheduler.Get(c.r.Context(), c.queue, c.key)
	if err != nil {
		return err
	}
	w := wireTask(t)
	c.etag(w.Revision)
	return c.respond(&w)
}

// plain checks a call on a task that has neither parameters nor body.
func (c *call) plain() error {
	if err := c.ref(); err != nil {
		return err
	}
	return c.query().end()
}

// updateTask serves PATCH …/tasks/{key}.
func (c *call) updateTask() error {
	if err := c.plain(); err != nil {
		return err
	}
	revision, err := c.ifMatch(1)
	if err != nil {
		return err
	}
	var patch scheduler.Patch
	var in taskInput
	err = c.withBody(c.maxBody(), func(d *decoder) error {
		err := decode(d, taskFields, &in)
		if err != nil {
			return err
		}
		patch, err = in.patch(d, c.MaxPayload)
		return err
	})
	if err != nil {
		return err
	}
	return c.changed(c.scheduler.Update(c.r.Context(), c.queue, c.key, patch, revision.value))
}

// cancelTask serves DELETE …/tasks/{key}.
func (c *call) cancelTask() error {
	if err := c.plain(); err != nil {
		return err
	}
	revision, err := c.ifMatch(1)
	if err != nil {
		return err
	}
	t, err := c.scheduler.Cancel(c.r.Context(), c.queue, c.key, revision.value)
	if err != nil {
		return err
	}
	c.etag(t.Revision)
	return c.nothing()
}

// runTask serves POST …/tasks/{key}:run.
func (c *call) runTask() error {
	if err := c.verb(); err != nil {
		return err
	}
	return c.changed(c.scheduler.RunNow(c.r.Context(), c.queue, c.key))
}

// redriveTask serves POST …/tasks/{key}:redrive.
func (c *call) redriveTask() error {
	if err := c.verb(); err != nil {
		return err
	}
	return c.changed(c.scheduler.Redrive(c.r.Context(), c.queue, c.key))
}

// verb checks a call on a task that takes nothing else: its body may be empty
// or an empty object.
func (c *call) verb() error {
	if err := c.plain(); err != nil {
		return err
	}
	return c.noBody()
}

func (c *call) noBody() error {
	return decodeBody(c, 4<<10, true, []field[struct{}]{}, &struct{}{})
}

// listTasks serves GET …/tasks.
func (c *call) listTasks() error {
	if err := task.ValidateQueueName(c.queue); err != nil {
		return err
	}
	q := c.query()
	request := scheduler.ListRequest{
		Queue: c.queue, State: q.state("state"), DueBefore: q.instant("due_before"),
		PageSize: q.pageSize(), PageToken: q.text("page_token"),
	}
	if request.DueBefore != 0 && request.State == 0 {
		q.fault("due_before", "needs a state")
	}
	if err := q.end(); err != nil {
		return err
	}
	page, err := c.scheduler.List(c.r.Context(), request)
	if err != nil {
		return err
	}
	return c.respondWith(http.StatusOK, func(b []byte) []byte { return appendPage(b, page) })
}

// appendPage appends a wire.TaskList.
func appendPage(b []byte, page scheduler.Page) []byte {
	b = append(b, `{"tasks":[`...)
	for i, t := range page.Tasks {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendHead(b, t)
	}
	b = append(b, ']')
	if page.NextPageToken != "" {
		b = appendText(append(b, `,"next_page_token":`...), page.NextPageToken)
	}
	return append(b, '}')
}
