package cli

import (
	"errors"

	"github.com/timewheel-dev/timewheel/client"
)

// scheduleLine is a line of a file: what somebody wrote, or what schedules get
// and schedules list write with --json.
type scheduleLine struct {
	client.NewSchedule

	// What a schedule has come to, which is of no account to one that is to be.
	ID          ignored `json:"id"`
	Revision    ignored `json:"revision"`
	State       ignored `json:"state"`
	Description ignored `json:"description"`
	Next        ignored `json:"next"`
	NextDue     ignored `json:"next_due"`
	Last        ignored `json:"last"`
	Fired       ignored `json:"fired"`
	Triggered   ignored `json:"triggered"`
	Missed      ignored `json:"missed"`
	Skipped     ignored `json:"skipped"`
	Queued      ignored `json:"queued"`
	ZoneData    ignored `json:"zone_data"`
	CreatedAt   ignored `json:"created_at"`
	UpdatedAt   ignored `json:"updated_at"`
}

// parseScheduleLine reads one schedule of a file and fills what it leaves out
// from the defaults.
func parseScheduleLine(line []byte, defaults *client.NewSchedule) (client.NewSchedule, error) {
	read, err := decodeLine[scheduleLine](line, `{"key":"42","every":"10m"}`)
	s := read.NewSchedule
	if err != nil {
		return s, err
	}
	fillSchedule(&s, defaults)
	fillScheduleTask(&s.Task, &defaults.Task)
	switch {
	case s.Queue == "":
		return s, errors.New("no queue: name one on the line, or with --queue for all lines that name none")
	case s.Key == "":
		return s, errors.New("no key: name the schedule")
	case !recurs(&s):
		return s, errors.New("must have cron, every or at, one of them: put it on the line, or give --cron, --every or --at for all lines that have none")
	}
	return s, nil
}

// recurs reports whether a schedule says when.
func recurs(s *client.NewSchedule) bool {
	return len(s.Cron) > 0 || s.Every != 0 || len(s.At) > 0
}

func fillSchedule(s, d *client.NewSchedule) {
	fillFrom(&s.Queue, d.Queue)
	s.IfAbsent = s.IfAbsent || d.IfAbsent
	if !recurs(s) {
		s.Cron, s.Every, s.At = d.Cron, d.Every, d.At
	}
	if s.Every != 0 {
		fillFrom(&s.Anchor, d.Anchor)
		s.Spread = s.Spread || d.Spread
	}
	if len(s.Cron) > 0 {
		fillFrom(&s.DayRule, d.DayRule)
		fillFrom(&s.DST.Gap, d.DST.Gap)
		fillFrom(&s.DST.Overlap, d.DST.Overlap)
	}
	if len(s.Exclude) == 0 {
		s.Exclude = d.Exclude
	}
	fillFrom(&s.TimeZone, d.TimeZone)
	fillFrom(&s.Start, d.Start)
	fillFrom(&s.End, d.End)
	fillFrom(&s.Times, d.Times)
	fillFrom(&s.Jitter, d.Jitter)
	fillFrom(&s.Misfire.Policy, d.Misfire.Policy)
	fillFrom(&s.Misfire.Window, d.Misfire.Window)
	fillFrom(&s.Misfire.Grace, d.Misfire.Grace)
	if s.Misfire.Policy == client.MisfireAll {
		fillFrom(&s.Misfire.Limit, d.Misfire.Limit)
	}
	fillFrom(&s.Overlap, d.Overlap)
	if s.Overlap == client.OverlapQueue {
		fillFrom(&s.QueueLimit, d.QueueLimit)
	}
	fillFrom(&s.Paused, d.Paused)
}

func fillScheduleTask(t, d *client.ScheduleTask) {
	if t.Payload == nil && t.PayloadBase64 == nil {
		t.Payload, t.PayloadBase64 = d.Payload, d.PayloadBase64
		fillFrom(&t.ContentType, d.ContentType)
	}
	fillFrom(&t.Webhook, d.Webhook)
	fillRetry(&t.Retry, d.Retry)
	fillFrom(&t.Timeout, d.Timeout)
	fillFrom(&t.Retention, d.Retention)
	t.Metadata = merged(d.Metadata, t.Metadata)
}
