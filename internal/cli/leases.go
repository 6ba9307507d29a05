package cli

import (
	"context"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

type leasesCmd struct {
	Complete completeCmd `cmd:"" help:"The attempts succeeded."`
	Fail     failCmd     `cmd:"" help:"The attempts failed."`
	Snooze   snoozeCmd   `cmd:"" help:"Not now: again after a delay."`
	Renew    renewCmd    `cmd:"" help:"Keep the leases longer."`
}

// tokenArgs are the leases that a command is about.
type tokenArgs struct {
	Tokens []string `arg:"" name:"lease-token" help:"Lease tokens, as claim printed them."`
}

// settle shows what became of each lease.
func (t tokenArgs) settle(a *app, call func(*client.Client) (client.SettleResponse, error)) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	resp, err := call(remote)
	if err != nil {
		return err
	}
	if err := showSettled(a, resp.Results); err != nil {
		return err
	}
	if resp.Failed > 0 {
		return errReported
	}
	return nil
}

func showSettled(a *app, results []client.SettleResult) error {
	if a.JSON {
		for _, r := range results {
			if err := writeJSON(a.out, r); err != nil {
				return err
			}
		}
		return nil
	}
	table := newTable(a.out, "STATE", "NEXT", "PROBLEM")
	for _, r := range results {
		if r.Problem != nil {
			table.row("-", "-", problemText(r.Problem))
			continue
		}
		table.row(string(r.State), instant(r.Next))
	}
	return table.flush()
}

// perLease makes one item of a request for each token.
func perLease[T any](tokens []string, item func(token string) T) []T {
	items := make([]T, len(tokens))
	for i, token := range tokens {
		items[i] = item(token)
	}
	return items
}

type completeCmd struct {
	tokenArgs `embed:""`
	Output    string `placeholder:"TEXT" help:"What the attempts wrote; the last 4 KiB are kept with the tasks."`
}

// Run completes attempts.
func (c *completeCmd) Run(ctx context.Context, a *app) error {
	return c.settle(a, func(remote *client.Client) (client.SettleResponse, error) {
		return remote.CompleteBatch(ctx, perLease(c.Tokens, func(token string) client.Complete {
			return client.Complete{LeaseToken: token, Output: c.Output}
		}))
	})
}

type failCmd struct {
	tokenArgs  `embed:""`
	Error      string        `required:"" placeholder:"TEXT" help:"Why."`
	Output     string        `placeholder:"TEXT" help:"What the attempts wrote; the last 4 KiB are kept with the tasks."`
	RetryAfter time.Duration `placeholder:"DURATION" help:"Try again no sooner than this."`
	Dead       bool          `help:"Trying again is no use: the task is dead at once."`
}

// Run fails attempts.
func (c *failCmd) Run(ctx context.Context, a *app) error {
	return c.settle(a, func(remote *client.Client) (client.SettleResponse, error) {
		return remote.FailBatch(ctx, perLease(c.Tokens, func(token string) client.Fail {
			return client.Fail{LeaseToken: token, Error: c.Error, Output: c.Output, RetryAfter: client.Duration(c.RetryAfter), Dead: c.Dead}
		}))
	})
}

type snoozeCmd struct {
	tokenArgs `embed:""`
	For       time.Duration `required:"" placeholder:"DURATION" help:"How long from now; 0s gives the tasks back at once."`
}

// Run snoozes attempts.
func (c *snoozeCmd) Run(ctx context.Context, a *app) error {
	return c.settle(a, func(remote *client.Client) (client.SettleResponse, error) {
		return remote.SnoozeBatch(ctx, perLease(c.Tokens, func(token string) client.Snooze {
			return client.Snooze{LeaseToken: token, Delay: client.Duration(c.For)}
		}))
	})
}

type renewCmd struct {
	tokenArgs `embed:""`
	Lease     time.Duration `required:"" placeholder:"DURATION" help:"How long from now."`
}

// Run renews leases.
func (c *renewCmd) Run(ctx context.Context, a *app) error {
	return c.settle(a, func(remote *client.Client) (client.SettleResponse, error) {
		return remote.RenewBatch(ctx, perLease(c.Tokens, func(token string) client.Renew {
			return client.Renew{LeaseToken: token, Lease: client.Duration(c.Lease)}
		}))
	})
}
