package daemon

import (
	"context"

	"github.com/timewheel-dev/timewheel/task"
)

// pusherFunc is a function as a scheduler.Pusher.
type pusherFunc func(context.Context, task.Lease, []string) task.Outcome

// Push calls f.
func (f pusherFunc) Push(ctx context.Context, l task.Lease, secrets []string) task.Outcome {
	return f(ctx, l, secrets)
}

// push posts a webhook, and counts the attempts that did not end before the
// drain's time was up.
func (d *daemon) push(ctx context.Context, l task.Lease, secrets []string) task.Outcome {
	o := d.pusher.Push(ctx, l, secrets)
	if o.Verdict == task.Released && d.draining.Load() {
		d.cutOff.Add(1)
	}
	return o
}
