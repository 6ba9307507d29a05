package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/timewheel-dev/timewheel/client"
)

type schedulesCmd struct {
	Put     schedulesPutCmd     `cmd:"" help:"Store a schedule, or the schedules of a file."`
	Get     schedulesGetCmd     `cmd:"" help:"Show a schedule."`
	List    schedulesListCmd    `cmd:"" help:"List a queue's schedules, or all."`
	Next    schedulesNextCmd    `cmd:"" help:"Show a schedule's occurrences: those to come, and what became of past ones."`
	Pause   schedulesPauseCmd   `cmd:"" help:"Stop a schedule until it is resumed."`
	Resume  schedulesResumeCmd  `cmd:"" help:"Let a paused schedule go on."`
	Trigger schedulesTriggerCmd `cmd:"" help:"Make an occurrence at once, beside the others."`
	Delete  schedulesDeleteCmd  `cmd:"" help:"Delete a schedule."`
}

// scheduleRef are the flags that name one schedule.
type scheduleRef struct {
	Queue string `required:"" placeholder:"NAME" help:"Queue."`
	Key   string `required:"" placeholder:"KEY" help:"Key of the schedule."`
}

// about adds to an error which schedule it is about.
func (r scheduleRef) about(err error) error {
	p, ok := taskProblem(err)
	if !ok {
		return err
	}
	text := fmt.Sprintf("%s/%s: %s", r.Queue, visible(r.Key), problemText(p))
	if refused(err) {
		return &usageError{text}
	}
	return errors.New(text)
}

type schedulesGetCmd struct {
	scheduleRef `embed:""`
}

// Run shows a schedule.
func (c *schedulesGetCmd) Run(ctx context.Context, a *app) error {
	return a.withSchedule(c.scheduleRef, func(remote *client.Client) (client.Schedule, error) {
		return remote.GetSchedule(ctx, c.Queue, c.Key)
	})
}

type schedulesPauseCmd struct {
	scheduleRef `embed:""`
}

// Help is shown below the summary.
func (schedulesPauseCmd) Help() string {
	return `While it is paused, no occurrence becomes a task, but for triggered ones. What has become a task already stays one.`
}

// Run pauses a schedule.
func (c *schedulesPauseCmd) Run(ctx context.Context, a *app) error {
	return a.withSchedule(c.scheduleRef, func(remote *client.Client) (client.Schedule, error) {
		return remote.PauseSchedule(ctx, c.Queue, c.Key)
	})
}

type schedulesResumeCmd struct {
	scheduleRef `embed:""`
}

// Help is shown below the summary.
func (schedulesResumeCmd) Help() string {
	return `It goes on in its old phase. What it passed over while it was paused is not made up for.`
}

// Run resumes a schedule.
func (c *schedulesResumeCmd) Run(ctx context.Context, a *app) error {
	return a.withSchedule(c.scheduleRef, func(remote *client.Client) (client.Schedule, error) {
		return remote.ResumeSchedule(ctx, c.Queue, c.Key)
	})
}

// withSchedule shows the schedule that a call returns.
func (a *app) withSchedule(ref scheduleRef, call func(*client.Client) (client.Schedule, error)) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	s, err := call(remote)
	if err != nil {
		return ref.about(err)
	}
	if a.JSON {
		return writeJSON(a.out, &s)
	}
	return showSchedule(a.out, s)
}

type schedulesTriggerCmd struct {
	scheduleRef `embed:""`
}

// Help is shown below the summary.
func (schedulesTriggerCmd) Help() string {
	return `A schedule that is paused or finished can be triggered, too. The overlap policy holds: with skip, the command fails while an earlier occurrence is not finished.`
}

// Run triggers a schedule.
func (c *schedulesTriggerCmd) Run(ctx context.Context, a *app) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	made, err := remote.TriggerSchedule(ctx, c.Queue, c.Key)
	switch {
	case err != nil:
		return c.about(err)
	case a.JSON:
		return writeJSON(a.out, made)
	case made.Task != nil:
		_, err = fmt.Fprintf(a.out, "triggered %s/%s: it is task %s\n", c.Queue, visible(c.Key), visible(made.Task.Key))
		return err
	}
	_, err = fmt.Fprintf(a.out, "triggered %s/%s: it waits for an earlier one to finish\n", c.Queue, visible(c.Key))
	return err
}

type schedulesDeleteCmd struct {
	scheduleRef `embed:""`
}

// Help is shown below the summary.
func (schedulesDeleteCmd) Help() string {
	return `Occurrences that have become tasks already stay as they are: timewheel cancel takes them back.`
}

// Run deletes a schedule.
func (c *schedulesDeleteCmd) Run(ctx context.Context, a *app) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	if err := remote.DeleteSchedule(ctx, c.Queue, c.Key); err != nil {
		return c.about(err)
	}
	if a.JSON {
		return writeJSON(a.out, keyResult{Key: c.Key, Result: "deleted"})
	}
	_, err = fmt.Fprintf(a.out, "deleted %s/%s\n", c.Queue, visible(c.Key))
	return err
}
