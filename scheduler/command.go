package scheduler

import (
	"context"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// command is what callers send to a shard's writer: operations that are
// committed together with those of other commands.
type command struct {
	ops   []op
	bytes int        // of payloads, for the bound on a pass
	look  *task.Lane // look for takers of this lane's ready tasks

	err  error         // set before done is closed: nothing was done, or it is not known whether it was
	done chan struct{} // closed when the outcome is durable
}

// op is one operation on one record. It keeps its own result, which is valid
// once the command is done without error.
type op interface {
	target() target
	apply(ctx context.Context, tx *tx) error // an error is the store's and fails the whole pass
	fail(err error)                          // in place of apply: the record can't be read
}

// target names the record that an operation is on.
type target struct {
	store.Ref
	schedule bool // a schedule, not a task
}

func (c *command) finish(err error) {
	c.err = err
	close(c.done)
}

func finishAll(cs []*command, err error) {
	for _, c := range cs {
		c.finish(err)
	}
}

// send gives a command to the writer.
func (sh *shard) send(ctx context.Context, c *command) error {
	c.done = make(chan struct{})
	select {
	case sh.commands <- c:
		return nil
	case <-sh.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait returns when the command's outcome is durable. If ctx is done before,
// the command may still be carried out.
func (sh *shard) wait(ctx context.Context, c *command) error {
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	case <-sh.done:
	}
	select {
	case <-c.done: // it was answered as the writer ended
		return c.err
	default:
		return ErrClosed
	}
}

// do sends operations and waits for their outcome.
func (sh *shard) do(ctx context.Context, ops ...op) error {
	c := &command{ops: ops}
	if err := sh.send(ctx, c); err != nil {
		return err
	}
	return sh.wait(ctx, c)
}
