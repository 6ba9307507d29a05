package cli

import (
	"context"
	"fmt"

	"github.com/timewheel-dev/timewheel/client"
)

type scheduleCmd struct {
	Queue string  `group:"what" placeholder:"NAME" help:"Queue. With --from: that of lines that name none."`
	Key   *string `group:"what" placeholder:"KEY" help:"Name of the task in its queue; a task that has it is replaced. Without one, one is made."`
	From  string  `group:"what" placeholder:"FILE" help:"Schedule a task for each line, a JSON object with the fields of the HTTP API, - for the standard input. Other flags fill what a line leaves out."`

	taskFlags `embed:""`
}

// Help is shown below the summary.
func (scheduleCmd) Help() string {
	return `Examples:

    timewheel schedule --queue orders --key 42 --in 30m --webhook http://127.0.0.1:9000/close --payload '{"order":42}'
    timewheel schedule --queue orders --from orders.ndjson

A line of a file looks like this: {"key":"42","delay":"30m","payload":{"order":42}}. Lines with the same key are scheduled in their order. Broken lines are reported with their number, and the exit code is then 1; the good ones are scheduled.`
}

// Run schedules one task or those of a file.
func (c *scheduleCmd) Run(ctx context.Context, a *app) error {
	t, err := c.task(a.in)
	if err != nil {
		return err
	}
	t.Queue = c.Queue
	if c.Key != nil {
		t.Key = *c.Key
	}
	switch {
	case c.Key != nil && *c.Key == "":
		return &usageError{"--key is empty: give one, or leave the flag out to have one made"}
	case c.From != "" && c.Key != nil:
		return &usageError{"--key is for one task: with --from, the lines have the keys"}
	case c.From != "":
		return c.file(ctx, a, t)
	case c.Queue == "":
		return &usageError{"--queue is missing: name the queue"}
	case t.Due.IsZero() && t.Delay == nil:
		return &usageError{"say when: --in 30m, or --at 2026-12-01T09:00:00Z"}
	}
	return scheduleOne(ctx, a, t)
}

func scheduleOne(ctx context.Context, a *app, t client.NewTask) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	got, err := remote.Schedule(ctx, t)
	if err != nil {
		return err
	}
	if a.JSON {
		return writeJSON(a.out, &got.Task)
	}
	what := "scheduled"
	if got.Replaced {
		what = "replaced"
	}
	_, err = fmt.Fprintf(a.out, "%s %s/%s, due %s\n", what, got.Queue, visible(got.Key), instant(got.Due))
	return err
}
