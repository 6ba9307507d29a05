package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/timewheel-dev/timewheel/client"
)

type schedulesPutCmd struct {
	Queue    string `group:"what" placeholder:"NAME" help:"Queue. With --from: that of lines that name none."`
	Key      string `group:"what" placeholder:"KEY" help:"Name of the schedule in its queue; a schedule that has it is changed."`
	From     string `group:"what" placeholder:"FILE" help:"Store a schedule for each line, a JSON object with the fields of the HTTP API, - for the standard input. Other flags fill what a line leaves out."`
	IfAbsent bool   `group:"what" help:"Fail if the key has a schedule, rather than change it."`
	Paused   *bool  `group:"what" negatable:"" help:"Begin paused, or pause the one that is there; --no-paused resumes it."`

	recurrenceFlags `embed:""`
	misfireFlags    `embed:""`
	occurrenceFlags `embed:""`
}

// Help is shown below the summary.
func (schedulesPutCmd) Help() string {
	return `Examples:

    timewheel schedules put --queue reports --key nightly --cron "0 3 * * *" --tz Europe/Berlin --webhook http://127.0.0.1:9000/report
    timewheel schedules put --queue polls --key 42 --every 10m --spread --payload '{"account":42}'
    timewheel schedules put --from schedules.ndjson --queue polls

A put says all of a schedule: what the key had and this one leaves out (payload, webhook, policies) is gone; only paused stays as it was. To change one thing, take the whole from schedules get --json, change it there, and give it to --from - ; the fields that say what became of a schedule, such as next or fired, may stay and are ignored.

A schedule that is changed keeps its phase, its counts and what it waits for; only if its recurrence is another one than before, it goes on with the first occurrence from now.

A line of a file looks like this: {"key":"42","every":"10m","task":{"payload":{"account":42}}}. Broken lines are reported with their number, and the exit code is then 1; the good ones are stored.`
}

// Run stores one schedule or those of a file.
func (c *schedulesPutCmd) Run(ctx context.Context, a *app) error {
	s, err := c.schedule(a.in)
	if err != nil {
		return err
	}
	switch {
	case c.From != "" && c.Key != "":
		return &usageError{"--key is for one schedule: with --from, the lines have the keys"}
	case c.From != "":
		return c.file(ctx, a, s)
	case c.Queue == "":
		return &usageError{"--queue is missing: name the queue"}
	case c.Key == "":
		return &usageError{"--key is missing: name the schedule"}
	case !recurs(&s):
		return &usageError{`say when: --cron "0 9 * * *", --every 10m, or --at 2026-12-01T09:00:00Z`}
	}
	return c.one(ctx, a, s)
}

// schedule returns what the flags say.
func (c *schedulesPutCmd) schedule(stdin io.Reader) (client.NewSchedule, error) {
	s := client.NewSchedule{Queue: c.Queue, Key: c.Key, IfAbsent: c.IfAbsent, Paused: c.Paused}
	c.misfire(&s)
	if err := c.recurrence(&s); err != nil {
		return s, err
	}
	var err error
	s.Task, err = c.task(stdin)
	return s, err
}

func (c *schedulesPutCmd) one(ctx context.Context, a *app, s client.NewSchedule) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	got, err := remote.PutSchedule(ctx, s)
	if err != nil {
		return scheduleRef{c.Queue, c.Key}.about(err)
	}
	if a.JSON {
		return writeJSON(a.out, &got.Schedule)
	}
	what := "stored"
	if got.Replaced {
		what = "changed"
	}
	_, err = fmt.Fprintf(a.out, "%s %s/%s: %s; %s\n", what, got.Queue, visible(got.Key), got.Description, whatNext(got.Schedule))
	return err
}

// whatNext says what is to be expected of a schedule.
func whatNext(s client.Schedule) string {
	switch {
	case s.State == client.SchedulePaused:
		return "paused"
	case s.Next.IsZero():
		return "finished"
	}
	return "next " + instant(s.Next)
}

// file stores the schedules of the file that --from names.
func (c *schedulesPutCmd) file(ctx context.Context, a *app, defaults client.NewSchedule) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	l := &loader[client.NewSchedule]{
		tally: newTally(a, ofSchedules),
		parse: func(text []byte) (client.NewSchedule, string, error) {
			s, err := parseScheduleLine(text, &defaults)
			return s, s.Key, err
		},
		put: func(ctx context.Context, schedules []client.NewSchedule) (batchOutcome, error) {
			return putSchedules(ctx, remote, schedules)
		},
	}
	return l.file(ctx, a, c.From)
}

func putSchedules(ctx context.Context, remote *client.Client, schedules []client.NewSchedule) (batchOutcome, error) {
	resp, err := remote.PutSchedules(ctx, schedules)
	done := batchOutcome{created: resp.Created, replaced: resp.Replaced}
	for _, r := range resp.Results {
		done.problems = append(done.problems, r.Problem)
	}
	return done, err
}
