package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

var claimFields = []field[scheduler.ClaimRequest]{
	{"max", false, func(d *decoder, r *scheduler.ClaimRequest) { r.Max = d.whole(1, scheduler.MaxClaim) }},
	{"lease", false, func(d *decoder, r *scheduler.ClaimRequest) { r.Lease = d.positive(task.MaxTimeout) }},
	{"wait", false, func(d *decoder, r *scheduler.ClaimRequest) { r.Wait = d.upTo(scheduler.MaxWait) }},
}

// claimTasks serves POST /v1/queues/{queue}:claim.
func (c *call) claimTasks() error {
	request := scheduler.ClaimRequest{Queue: c.queue}
	if err := task.ValidateQueueName(c.queue); err != nil {
		return err
	}
	if err := c.query().end(); err != nil {
		return err
	}
	if err := decodeBody(c, c.maxBody(), true, claimFields, &request); err != nil {
		return err
	}
	ctx := c.r.Context()
	leases, err := c.scheduler.Claim(ctx, request)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return c.release(leases, err)
	}
	if err := c.writeLeases(leases); err != nil {
		return c.release(leases, err)
	}
	return nil
}

// writeLeases sends the claimed tasks one by one, since they can be large, and
// returns an error if the client did not take them all.
func (c *call) writeLeases(leases []task.Lease) error {
	b := getBuffer()
	defer putBuffer(b)
	c.w.Header()["Content-Type"] = jsonType
	c.answered = true
	b.WriteString(`{"tasks":[`)
	for i, l := range leases {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encodeInline(b, wireLease(l)); err != nil {
			return err
		}
		if b.Len() < keepBuffer/2 {
			continue
		}
		if _, err := c.w.Write(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
	}
	b.WriteString("]}\n")
	if _, err := c.w.Write(b.Bytes()); err != nil {
		return err
	}
	if err := http.NewResponseController(c.w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// releaseTimeout bounds how long the release of leases may take that nobody
// waits for any more.
const releaseTimeout = 10 * time.Second

// release gives tasks back whose client went away before it had them.
func (c *call) release(leases []task.Lease, cause error) error {
	if len(leases) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), releaseTimeout)
	defer cancel()
	back := make([]scheduler.Settlement, len(leases))
	for i, l := range leases {
		back[i] = scheduler.Settlement{Token: l.Token, Outcome: task.Outcome{Verdict: task.Released}}
	}
	c.answered = true
	if _, err := c.scheduler.Settle(ctx, back); err != nil {
		c.Log.Warn("leases of a client that went away could not be released; they run out", "queue", c.queue, "tasks", len(back), "cause", cause, "error", err)
	}
	return nil
}
