package client

import (
	"context"
	"net/http"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// What batches of leases are made of.
type (
	// Complete names an attempt that succeeded.
	Complete = wire.Complete
	// Fail names an attempt that failed, and why.
	Fail = wire.Fail
	// Snooze names an attempt to repeat after a delay.
	Snooze = wire.Snooze
	// Renew names a lease to keep longer.
	Renew = wire.Renew
)

// Claim claims ready tasks of a queue. It returns as soon as there is one, or
// none when q.Wait is over. Tasks claimed for a context that is done come back to the
// queue by themselves.
func (c *Client) Claim(ctx context.Context, queue string, q ClaimRequest) ([]ClaimedTask, error) {
	var answer wire.ClaimResponse
	_, err := c.do(ctx, request{method: http.MethodPost, path: queuePath(queue) + ":claim", body: &q, into: &answer})
	return answer.Tasks, err
}

// Complete says that the attempt succeeded.
func (c *Client) Complete(ctx context.Context, token string) error {
	return alone(c.CompleteBatch(ctx, []Complete{{LeaseToken: token}}))
}

// Fail says that the attempt failed. The task is tried again after its backoff,
// if attempts are left, unless f.Dead.
func (c *Client) Fail(ctx context.Context, f Fail) error {
	return alone(c.FailBatch(ctx, []Fail{f}))
}

// Snooze puts the task off, which does not count as a failure. With a delay of
// 0, it goes back at once.
func (c *Client) Snooze(ctx context.Context, token string, delay time.Duration) error {
	return alone(c.SnoozeBatch(ctx, []Snooze{{LeaseToken: token, Delay: Duration(delay)}}))
}

// Renew keeps the lease for so long from now, and returns until when.
func (c *Client) Renew(ctx context.Context, token string, lease time.Duration) (time.Time, error) {
	answer, err := c.RenewBatch(ctx, []Renew{{LeaseToken: token, Lease: Duration(lease)}})
	if err := alone(answer, err); err != nil {
		return time.Time{}, err
	}
	return answer.Results[0].Next, nil
}

// alone returns the error of a batch of one.
func alone(answer SettleResponse, err error) error {
	if err == nil && len(answer.Results) == 1 && answer.Results[0].Problem != nil {
		return answer.Results[0].Problem
	}
	return err
}

// CompleteBatch is Complete for up to MaxBatch attempts, each with its own
// result, in their order. Without an error, look at Failed.
func (c *Client) CompleteBatch(ctx context.Context, leases []Complete) (SettleResponse, error) {
	return c.settle(ctx, "complete", &wire.CompleteRequest{Leases: leases})
}

// FailBatch is Fail for up to MaxBatch attempts.
func (c *Client) FailBatch(ctx context.Context, leases []Fail) (SettleResponse, error) {
	return c.settle(ctx, "fail", &wire.FailRequest{Leases: leases})
}

// SnoozeBatch is Snooze for up to MaxBatch attempts.
func (c *Client) SnoozeBatch(ctx context.Context, leases []Snooze) (SettleResponse, error) {
	return c.settle(ctx, "snooze", &wire.SnoozeRequest{Leases: leases})
}

// RenewBatch is Renew for up to MaxBatch leases.
func (c *Client) RenewBatch(ctx context.Context, leases []Renew) (SettleResponse, error) {
	return c.settle(ctx, "renew", &wire.RenewRequest{Leases: leases})
}

func (c *Client) settle(ctx context.Context, verb string, body any) (answer SettleResponse, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: "/v1/leases:" + verb, body: body, into: &answer})
	return answer, err
}
