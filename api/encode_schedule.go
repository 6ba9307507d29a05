package api

import (
	"encoding/json"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// wireSchedule returns s as the wire has it, without its task's payload.
func wireSchedule(s *scheduler.ScheduleInfo) wire.Schedule {
	w := wire.Schedule{
		ID: s.ID.String(), Queue: s.Queue, Key: s.Key, Revision: s.Revision,
		State: scheduleState(s.Schedule), Paused: s.Paused, Description: s.Describe(), Last: s.Last.Time(),
		Fired: s.Fired, Triggered: s.Triggered, Missed: s.Missed, Skipped: s.Skipped, ZoneData: s.Zones,
		CreatedAt: s.Created.Time(), UpdatedAt: s.Updated.Time(),
	}
	if len(s.Queued) > 0 {
		w.Queued = times(s.Queued)
	}
	w.Next, w.NextDue = coming(s)
	addRule(&w, &s.Rule)
	addPlan(&w, s.Plan)
	return w
}

func scheduleState(s *task.Schedule) wire.ScheduleState {
	switch {
	case s.Finished():
		return wire.ScheduleStateFinished
	case s.Paused:
		return wire.ScheduleStatePaused
	}
	return wire.ScheduleStateActive
}

// coming returns the occurrence to come and when it is due, both zero if none is.
func coming(s *scheduler.ScheduleInfo) (at, due time.Time) {
	if s.Paused {
		return at, due
	}
	return s.Cursor.Time(), s.Due.Time()
}

func addRule(w *wire.Schedule, r *recurrence.Spec) {
	w.Cron, w.Every = r.Cron, wire.Duration(r.Every)
	for _, at := range r.At {
		w.At = append(w.At, at.UTC())
	}
	w.Anchor, w.Spread, w.TimeZone = inUTC(r.Anchor), r.Spread, r.Zone
	w.DayRule, w.DST = r.Days.String(), wire.DST{Gap: r.Gap.String(), Overlap: r.Fold.String()}
	w.Exclude, w.Start, w.End = r.Exclude, inUTC(r.Start), inUTC(r.End)
}

// inUTC leaves the zero Time what it is: none.
func inUTC(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

func addPlan(w *wire.Schedule, p *task.Plan) {
	w.Times, w.Jitter, w.QueueLimit = p.Times, wire.Duration(p.Jitter), p.QueueLimit
	w.Misfire = wire.Misfire{
		Policy: wire.MisfirePolicy(p.Misfire.Policy.String()), Limit: p.Misfire.Limit,
		Window: wire.Duration(p.Misfire.Window), Grace: wire.Duration(p.Misfire.Grace),
	}
	w.Overlap = wire.Overlap(p.Overlap.String())
	t := &p.Task
	w.Task = wire.ScheduleTask{Metadata: t.Metadata, Retry: wireRetry(t.Retry), Timeout: wire.Duration(t.Timeout)}
	if t.Webhook != nil {
		w.Task.Webhook = wireWebhook(t.Webhook)
	}
	if r := t.Retention; r != 0 {
		w.Task.Retention = new(wire.Duration(max(0, r)))
	}
}

// addPayload shares memory with t, as addBody does with a body.
func addPayload(w *wire.ScheduleTask, t *task.Spec) {
	switch {
	case t.ContentType == jsonType[0] && json.Valid(t.Payload):
		w.Payload = t.Payload
	case t.ContentType != "" || len(t.Payload) > 0:
		w.ContentType, w.PayloadBase64 = t.ContentType, append([]byte{}, t.Payload...)
	}
}

// wireScheduleResult returns what became of a schedule of a batch.
func wireScheduleResult(r scheduler.PutScheduleResult) *wire.ScheduleBatchResult {
	s := r.Schedule
	w := &wire.ScheduleBatchResult{Queue: s.Queue, Key: s.Key, ID: s.ID.String(), Revision: s.Revision, Replaced: r.Replaced}
	w.Next, _ = coming(s)
	return w
}
