package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/cli/crontab"
	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/task"
)

type importCmd struct {
	Crontab importCrontabCmd `cmd:"" help:"Make schedules of the lines of a crontab."`
}

type importCrontabCmd struct {
	File   string `arg:"" help:"The crontab, - for the standard input."`
	System bool   `group:"what" help:"A user stands before each command, as in /etc/crontab and /etc/cron.d. The worker has to be root's, then."`
	TZ     string `group:"what" name:"tz" placeholder:"ZONE" help:"Time zone of the crontab, such as Europe/Berlin; lines below a CRON_TZ have that. The machine's, if not given."`
	DryRun bool   `group:"what" help:"Show what would be made of the lines, and send nothing."`

	Queue  string `group:"how" default:"cron" placeholder:"NAME" help:"Queue."`
	Prefix string `group:"how" placeholder:"TEXT" help:"Begin of all keys, to tell crontabs of several users or machines apart."`

	Overlap string `group:"how" enum:"allow,skip,queue,replace" default:"skip" placeholder:"POLICY" help:"What happens while the command of an earlier occurrence runs: allow (as with cron), skip, queue or replace."`
	Misfire string `group:"how" enum:"once,all,last,skip" default:"once" placeholder:"POLICY" help:"What becomes of occurrences that were missed, since nothing ran: once, all, last or skip (as with cron)."`

	Timeout          time.Duration `group:"how" default:"24h" placeholder:"DURATION" help:"How long a command may run, up to 24h."`
	Retention        time.Duration `group:"how" default:"168h" placeholder:"DURATION" help:"How long outcomes are kept, with the end of the output; of runs that failed, 14 days at the least."`
	RetryMaxAttempts uint32        `group:"how" default:"1" placeholder:"N" help:"How often a command that fails is tried."`
}

// Help is shown below the summary.
func (importCrontabCmd) Help() string {
	return `Example:

    crontab -l | timewheel import crontab -
    timewheel worker --queue cron --exec sh --concurrency 16

Each line becomes a schedule whose tasks carry a shell script that does what cron does with the line: it sets the environment, goes to the home directory and runs the command. Its key is made of the command, so that importing the crontab again, after a change of its times, changes the schedules that are there. What the file no longer has is not deleted.

It prints what it made of every line. A line that can't be taken over is refused with the reason, and the exit code is then 1; the others are imported.`
}

// shellScript is the media type of the tasks' payloads.
const shellScript = "text/x-shellscript"

// Run imports a crontab.
func (c *importCrontabCmd) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	zone, err := c.zone(a)
	if err != nil {
		return err
	}
	lines, err := c.read(a)
	if err != nil {
		return err
	}
	made := make([]imported, len(lines))
	for i, l := range lines {
		made[i] = c.convert(l, zone, time.Now())
	}
	sum := importSum{Queue: c.Queue, DryRun: c.DryRun}
	if !c.DryRun {
		if err := c.send(ctx, a, made, &sum); err != nil {
			return err
		}
	}
	return c.show(a, made, sum)
}

// check refuses flags that no line could be taken over with.
func (c *importCrontabCmd) check() error {
	err := (&task.Spec{
		Queue: c.Queue, Key: c.Prefix + "key", Timeout: c.Timeout, Retention: c.Retention,
		Retry: task.Retry{MaxAttempts: c.RetryMaxAttempts},
	}).Validate(0)
	faults, ok := errors.AsType[task.Invalid](err)
	if !ok {
		return err
	}
	words := make([]string, len(faults))
	for i, f := range faults {
		flag := strings.NewReplacer(".", "-", "_", "-").Replace(f.Field)
		if f.Field == "key" {
			flag = "prefix"
		}
		words[i] = "--" + flag + " " + f.Reason
	}
	return &usageError{strings.Join(words, "; ")}
}

// zone is that of lines below no CRON_TZ.
func (c *importCrontabCmd) zone(a *app) (string, error) {
	if c.TZ != "" {
		_, err := recurrence.LoadZone(c.TZ)
		if err != nil {
			return "", &usageError{"--tz: " + plainWords(err)}
		}
		return c.TZ, nil
	}
	if zone := machineZone(a.getenv, "/etc/localtime"); zone != "" {
		return zone, nil
	}
	return "", &usageError{"this machine does not say its time zone: name the crontab's with --tz, such as --tz Europe/Berlin"}
}

// machineZone returns the name of the time zone that programs of this machine
// go by, "" if it can't be found out. localtime is a link to the zone's file.
func machineZone(getenv func(string) (string, bool), localtime string) string {
	if zone, ok := getenv("TZ"); ok && zone != "" {
		return strings.TrimPrefix(zone, ":")
	}
	file, err := os.Readlink(localtime)
	if err != nil {
		return ""
	}
	_, zone, _ := strings.Cut(file, "/zoneinfo/")
	return zone
}

func (c *importCrontabCmd) read(a *app) ([]crontab.Line, error) {
	in, err := openInput(c.File, "crontab", a.in)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(in, crontab.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the crontab: %w", err)
	}
	format := crontab.User
	if c.System {
		format = crontab.System
	}
	return crontab.Parse(string(text), format)
}

// send stores the schedules, and notes with each what became of it.
func (c *importCrontabCmd) send(ctx context.Context, a *app, made []imported, sum *importSum) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	var good []*imported
	for i := range made {
		if made[i].schedule != nil {
			good = append(good, &made[i])
		}
	}
	for part := range slices.Chunk(good, batchLines) {
		schedules := make([]client.NewSchedule, len(part))
		for i, m := range part {
			schedules[i] = *m.schedule
		}
		done, err := putSchedules(ctx, remote, schedules)
		switch {
		case err != nil:
			return err
		case len(done.problems) != len(part):
			return errors.New("the daemon did not answer for every line: import the crontab again, which changes nothing that is there")
		}
		sum.Created += done.created
		sum.Replaced += done.replaced
		for i, p := range done.problems {
			if p != nil {
				part[i].refuse(problemText(p))
			}
		}
	}
	return nil
}
