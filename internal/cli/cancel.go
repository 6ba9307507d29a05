package cli

import (
	"context"
	"fmt"
)

// cancelCmd takes tasks back.
type cancelCmd struct {
	Queue string `required:"" placeholder:"NAME" help:"Queue."`
	Key   string `xor:"which" required:"" placeholder:"KEY" help:"Key of the task."`
	From  string `xor:"which" required:"" placeholder:"FILE" help:"Cancel the task of each line, a key, of this file, - for the standard input."`
}

// Help is shown below the summary.
func (cancelCmd) Help() string {
	return `A task that is cancelled will not fire. One whose attempt is running can't be cancelled any more; one that is cancelled already can be cancelled again.`
}

// Run cancels one task or those of a file.
func (c *cancelCmd) Run(ctx context.Context, a *app) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	cancel := func(ctx context.Context, key string) error { return remote.Cancel(ctx, c.Queue, key) }
	if c.From != "" {
		return c.file(ctx, a, cancel)
	}
	if err := cancel(ctx, c.Key); err != nil {
		return taskRef{c.Queue, c.Key}.about(err)
	}
	if a.JSON {
		return writeJSON(a.out, keyResult{Key: c.Key, Result: "cancelled"})
	}
	_, err = fmt.Fprintf(a.out, "cancelled %s/%s: it will not fire\n", c.Queue, visible(c.Key))
	return err
}

func (c *cancelCmd) file(ctx context.Context, a *app, cancel func(context.Context, string) error) error {
	in, err := openInput(c.From, "keys", a.in)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	return newEach(a, "cancelled", cancel).run(ctx, keysOf(in))
}
