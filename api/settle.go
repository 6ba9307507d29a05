package api

import (
	"time"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// maxSnooze bounds a snooze, and the wait that a failing worker asks for.
const maxSnooze = 10 * 365 * 24 * time.Hour

var leaseToken = field[scheduler.Settlement]{"lease_token", true, func(d *decoder, s *scheduler.Settlement) {
	if !d.want(strictjson.String) {
		return
	}
	token, err := task.ParseToken(d.text())
	if err != nil {
		d.fault("must be the token that the claim returned")
	}
	s.Token = token
}}

var output = field[scheduler.Settlement]{"output", false, func(d *decoder, s *scheduler.Settlement) { s.Outcome.Output = d.text() }}

var completeFields = []field[scheduler.Settlement]{leaseToken, output}

var failFields = []field[scheduler.Settlement]{
	leaseToken,
	{"error", true, func(d *decoder, s *scheduler.Settlement) { s.Outcome.Error = d.text() }},
	{"retry_after", false, func(d *decoder, s *scheduler.Settlement) { s.Outcome.After = d.upTo(maxSnooze) }},
	{"dead", false, func(d *decoder, s *scheduler.Settlement) {
		if d.boolean() {
			s.Outcome.Verdict = task.Refused
		}
	}},
	output,
}

var snoozeFields = []field[scheduler.Settlement]{
	leaseToken,
	{"delay", true, func(d *decoder, s *scheduler.Settlement) {
		if s.Outcome.After = d.upTo(maxSnooze); s.Outcome.After == 0 {
			s.Outcome.Verdict = task.Released
		}
	}},
}

var renewFields = []field[scheduler.Settlement]{
	leaseToken,
	{"lease", true, func(d *decoder, s *scheduler.Settlement) { s.Renew = d.positive(task.MaxTimeout) }},
}

// completeLeases serves POST /v1/leases:complete.
func (c *call) completeLeases() error { return c.settle(completeFields, task.Succeeded) }

// failLeases serves POST /v1/leases:fail.
func (c *call) failLeases() error { return c.settle(failFields, task.Failed) }

// snoozeLeases serves POST /v1/leases:snooze.
func (c *call) snoozeLeases() error { return c.settle(snoozeFields, task.Snoozed) }

// renewLeases serves POST /v1/leases:renew.
func (c *call) renewLeases() error { return c.settle(renewFields, 0) }

// settle reads a batch of leases by a table and settles them. A wrong one fails
// alone.
func (c *call) settle(fields []field[scheduler.Settlement], verdict task.Verdict) error {
	if err := c.query().end(); err != nil {
		return err
	}
	var batch items[scheduler.Settlement]
	body := []field[items[scheduler.Settlement]]{
		{"leases", true, func(d *decoder, batch *items[scheduler.Settlement]) {
			d.list(func() {
				one := scheduler.Settlement{Outcome: task.Outcome{Verdict: verdict}}
				batch.add(one, d.apart(func() { object(d, fields, &one) }))
			})
		}},
	}
	err := decodeBody(c, c.MaxBatchBody, false, body, &batch)
	if err != nil {
		return err
	}
	if err := batch.check("leases"); err != nil {
		return err
	}
	results, err := c.scheduler.Settle(c.r.Context(), batch.good)
	if err != nil {
		return err
	}
	return c.settled(&batch, results)
}

func (c *call) settled(batch *items[scheduler.Settlement], results []scheduler.SettleResult) error {
	answer := wire.SettleResponse{Results: make([]wire.SettleResult, len(batch.errs))}
	for i, err := range batch.errs {
		var r scheduler.SettleResult
		if err == nil {
			r, results = results[0], results[1:]
			err = r.Err
		}
		if err != nil {
			answer.Failed++
			answer.Results[i].Problem = c.itemProblem(err)
			continue
		}
		answer.Settled++
		answer.Results[i] = wire.SettleResult{State: wire.TaskState(r.Task.State.String()), Next: r.Task.Next.Time()}
	}
	return c.respond(&answer)
}
