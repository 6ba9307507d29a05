package cli

import (
	"context"

	"github.com/timewheel-dev/timewheel/client"
)

type queuesSetCmd struct {
	queueArg      `embed:""`
	Concurrency   *int     `placeholder:"N" help:"How many webhook pushes of the queue run at once; 0: the daemon's default."`
	SigningSecret []string `sep:"none" placeholder:"SECRET" help:"Sign webhooks with this (whsec_…), the first of two at most. Replaces what is there."`

	policyFlags `embed:""`
}

// Help is shown below the summary.
func (queuesSetCmd) Help() string {
	return `What is not given stays as it is. Defaults are copied into tasks when they are scheduled: those that are scheduled already stay as they are.`
}

// Run changes settings.
func (c *queuesSetCmd) Run(ctx context.Context, a *app) error {
	hook, err := c.webhook()
	if err != nil {
		return err
	}
	patch := client.QueuePatch{Concurrency: c.Concurrency, SigningSecrets: c.SigningSecret}
	if !c.changesDefaults() && patch.Concurrency == nil && patch.SigningSecrets == nil {
		return &usageError{"say what to change, such as --timeout 1m"}
	}
	return a.withQueue(func(remote *client.Client) (client.Queue, error) {
		if !c.changesDefaults() {
			return remote.UpdateQueue(ctx, c.Name, patch)
		}
		return c.merge(ctx, remote, patch, hook)
	})
}

func (c *queuesSetCmd) changesDefaults() bool {
	return c.Webhook != "" || c.retry() != (client.Retry{}) || c.Timeout != 0 || c.Retention != nil
}

// merge puts the new defaults over the present ones, since the API replaces
// them as a whole.
func (c *queuesSetCmd) merge(ctx context.Context, remote *client.Client, patch client.QueuePatch, hook *client.Webhook) (client.Queue, error) {
	now, err := remote.Queue(ctx, c.Name)
	if client.IsNotFound(err) {
		now, err = client.Queue{}, nil
	}
	if err != nil {
		return now, err
	}
	d, r := now.Defaults, c.retry()
	if hook != nil {
		d.Webhook = hook
	}
	override(&d.Retry.MaxAttempts, r.MaxAttempts)
	override(&d.Retry.MinBackoff, r.MinBackoff)
	override(&d.Retry.MaxBackoff, r.MaxBackoff)
	override(&d.Timeout, client.Duration(c.Timeout))
	override(&d.Retention, c.retention())
	patch.Defaults = &d
	return remote.UpdateQueue(ctx, c.Name, patch, client.IfRevision(now.Revision))
}

// override gives v the value n unless that is zero.
func override[T comparable](v *T, n T) {
	var zero T
	if n != zero {
		*v = n
	}
}
