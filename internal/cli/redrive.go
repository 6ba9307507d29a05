package cli

import (
	"context"

	"github.com/timewheel-dev/timewheel/client"
)

type redriveCmd struct {
	Queue string `required:"" placeholder:"NAME" help:"Queue."`
	Key   string `xor:"which" required:"" placeholder:"KEY" help:"Key of the dead task."`
	All   bool   `xor:"which" required:"" help:"All dead tasks of the queue."`
}

// Run puts dead tasks back.
func (c *redriveCmd) Run(ctx context.Context, a *app) error {
	if !c.All {
		return a.withTask(taskRef{c.Queue, c.Key}, func(remote *client.Client) (client.Task, error) {
			return remote.Redrive(ctx, c.Queue, c.Key)
		})
	}
	remote, err := a.remote()
	if err != nil {
		return err
	}
	// All keys first: a task that dies again meanwhile is not put back twice.
	var dead []string
	for t, err := range remote.List(ctx, c.Queue, client.ListOptions{State: client.Dead, PageSize: maxPage}) {
		if err != nil {
			return err
		}
		dead = append(dead, t.Key)
	}
	e := newEach(a, "redriven", func(ctx context.Context, key string) error {
		_, err := remote.Redrive(ctx, c.Queue, key)
		return err
	})
	return e.run(ctx, func(yield func(string) error) error {
		for _, key := range dead {
			if err := yield(key); err != nil {
				return err
			}
		}
		return nil
	})
}
