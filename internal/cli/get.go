package cli

import (
	"context"
	"fmt"

	"github.com/timewheel-dev/timewheel/client"
)

// taskRef are the flags that name one task.
type taskRef struct {
	Queue string `required:"" placeholder:"NAME" help:"Queue."`
	Key   string `required:"" placeholder:"KEY" help:"Key of the task."`
}

// about adds to an error which task it is about.
func (r taskRef) about(err error) error {
	if p, ok := taskProblem(err); ok {
		return fmt.Errorf("%s/%s: %s", r.Queue, visible(r.Key), problemText(p))
	}
	return err
}

type getCmd struct {
	taskRef `embed:""`
}

// Run shows a task.
func (c *getCmd) Run(ctx context.Context, a *app) error {
	return a.withTask(c.taskRef, func(remote *client.Client) (client.Task, error) {
		return remote.Get(ctx, c.Queue, c.Key)
	})
}

type runCmd struct {
	taskRef `embed:""`
}

// Run makes a task due at once.
func (c *runCmd) Run(ctx context.Context, a *app) error {
	return a.withTask(c.taskRef, func(remote *client.Client) (client.Task, error) {
		return remote.Run(ctx, c.Queue, c.Key)
	})
}

// withTask shows the task that a call returns.
func (a *app) withTask(ref taskRef, call func(*client.Client) (client.Task, error)) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	t, err := call(remote)
	if err != nil {
		return ref.about(err)
	}
	if a.JSON {
		return writeJSON(a.out, &t)
	}
	return showTask(a.out, t)
}
