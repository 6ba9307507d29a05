package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/client"
)

type queuesCmd struct {
	List   queuesListCmd   `cmd:"" help:"List all queues with their counts."`
	Get    queuesGetCmd    `cmd:"" help:"Show a queue."`
	Set    queuesSetCmd    `cmd:"" help:"Change a queue's settings."`
	Pause  queuesPauseCmd  `cmd:"" help:"Claim and push nothing of a queue; due tasks wait."`
	Resume queuesResumeCmd `cmd:"" help:"End a pause."`
	Purge  queuesPurgeCmd  `cmd:"" help:"Delete tasks of a queue for good."`
}

// queueArg names one queue.
type queueArg struct {
	Name string `arg:"" help:"Name of the queue."`
}

type queuesListCmd struct{}

// Run lists queues.
func (queuesListCmd) Run(ctx context.Context, a *app) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	tab := newTable(a.out)
	if !a.JSON {
		tab.row("QUEUE", "SCHEDULED", "READY", "LEASED", "COMPLETED", "CANCELLED", "DEAD", "SCHEDULES")
	}
	for q, err := range remote.Queues(ctx) {
		if err == nil && a.JSON {
			err = writeJSON(a.out, q)
		} else {
			tab.row(append(append([]string{q.Name}, counts(q.Counts)...), schedulesOf(q), pausedMark(q.Paused))...)
		}
		if err != nil {
			return err
		}
	}
	return tab.flush()
}

func pausedMark(paused bool) string {
	if paused {
		return "paused"
	}
	return ""
}

func schedulesOf(q client.Queue) string {
	if q.Schedules == nil {
		return "0"
	}
	return strconv.FormatInt(*q.Schedules, 10)
}

func newMark(isNew bool) string {
	if isNew {
		return "new: it had no tasks, schedules or settings"
	}
	return ""
}

func counts(c *wire.QueueCounts) []string {
	if c == nil {
		c = &wire.QueueCounts{}
	}
	cells := make([]string, 0, 6)
	for _, n := range []int64{c.Scheduled, c.Ready, c.Leased, c.Completed, c.Cancelled, c.Dead} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return cells
}

type queuesGetCmd struct {
	queueArg `embed:""`
}

// Run shows a queue.
func (c *queuesGetCmd) Run(ctx context.Context, a *app) error {
	return a.withQueue(func(remote *client.Client) (client.Queue, error) { return remote.Queue(ctx, c.Name) })
}

type queuesPauseCmd struct {
	queueArg `embed:""`
}

// Help is shown below the summary.
func (queuesPauseCmd) Help() string {
	return `A queue that was never used can be paused ahead of its first task. It is made then, and the output says that it is new.`
}

// Run pauses a queue.
func (c *queuesPauseCmd) Run(ctx context.Context, a *app) error {
	return a.withQueue(func(remote *client.Client) (client.Queue, error) { return remote.Pause(ctx, c.Name) })
}

type queuesResumeCmd struct {
	queueArg `embed:""`
}

// Help is shown below the summary.
func (queuesResumeCmd) Help() string { return `A queue that was never used is an error.` }

// Run resumes a queue.
func (c *queuesResumeCmd) Run(ctx context.Context, a *app) error {
	return a.withQueue(func(remote *client.Client) (client.Queue, error) { return remote.Resume(ctx, c.Name) })
}

// withQueue shows the queue that a call returns.
func (a *app) withQueue(call func(*client.Client) (client.Queue, error)) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	q, err := call(remote)
	if err != nil {
		return err
	}
	if a.JSON {
		return writeJSON(a.out, q)
	}
	return showQueue(a, q)
}

func showQueue(a *app, q client.Queue) error {
	tab := newTable(a.out)
	tab.row("queue", q.Name, pausedMark(q.Paused), newMark(q.New))
	if c := q.Counts; c != nil {
		tab.row("tasks", fmt.Sprintf("%d scheduled, %d ready, %d leased, %d completed, %d cancelled, %d dead",
			c.Scheduled, c.Ready, c.Leased, c.Completed, c.Cancelled, c.Dead))
	}
	if q.Schedules != nil && *q.Schedules > 0 {
		tab.row("schedules", strconv.FormatInt(*q.Schedules, 10))
	}
	if q.Concurrency > 0 {
		tab.row("concurrency", strconv.Itoa(q.Concurrency))
	}
	showDefaults(tab, q.Defaults)
	if len(q.SigningSecrets) > 0 {
		tab.row("signing secrets", strings.Join(q.SigningSecrets, " "))
	}
	tab.row("revision", strconv.FormatUint(q.Revision, 10))
	return tab.flush()
}

func showDefaults(tab *table, d client.QueueDefaults) {
	if d.Webhook != nil {
		tab.row("webhook", d.Webhook.URL)
	}
	if d.Retry.MaxAttempts > 0 {
		tab.row("max attempts", strconv.FormatUint(uint64(d.Retry.MaxAttempts), 10))
	}
	if d.Retry.MinBackoff > 0 {
		tab.row("min backoff", d.Retry.MinBackoff.String())
	}
	if d.Retry.MaxBackoff > 0 {
		tab.row("max backoff", d.Retry.MaxBackoff.String())
	}
	if d.Timeout > 0 {
		tab.row("timeout", d.Timeout.String())
	}
	if d.Retention != nil {
		tab.row("retention", d.Retention.String())
	}
}

type queuesPurgeCmd struct {
	queueArg `embed:""`
	State    string `xor:"which" required:"" enum:"scheduled,ready,completed,cancelled,dead" placeholder:"STATE" help:"Tasks in this state: scheduled, ready, completed, cancelled or dead."`
	All      bool   `xor:"which" required:"" help:"All tasks but those whose attempt is running."`
}

// Run purges tasks.
func (c *queuesPurgeCmd) Run(ctx context.Context, a *app) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	n, err := remote.Purge(ctx, c.Name, client.TaskState(c.State))
	if err != nil {
		return err
	}
	if a.JSON {
		return writeJSON(a.out, wire.PurgeResponse{Purged: n})
	}
	_, err = fmt.Fprintf(a.out, "purged %s tasks of %s\n", thousands(int(n)), c.Name)
	return err
}
