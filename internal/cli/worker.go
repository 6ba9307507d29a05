package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/backoff"
)

type workerCmd struct {
	Queue       string `required:"" placeholder:"NAME" help:"Queue to claim from."`
	Exec        string `required:"" placeholder:"COMMAND" help:"Shell command to run for each task."`
	Concurrency int    `default:"1" placeholder:"N" help:"How many commands run at once, up to 1000."`

	Lease   time.Duration `default:"30s" placeholder:"DURATION" help:"How soon a task is given to others when this worker is gone. It is renewed while the command runs."`
	Timeout time.Duration `placeholder:"DURATION" help:"How long a command may run. Each task's own timeout, if not given."`
	Snooze  time.Duration `default:"1m" placeholder:"DURATION" help:"How long to put a task off when its command exits with 75."`

	DrainTimeout time.Duration `default:"30s" placeholder:"DURATION" help:"How long running commands are awaited when the worker is told to stop."`
	KillAfter    time.Duration `default:"5s" placeholder:"DURATION" help:"How long a command that is told to stop may take before it is killed."`

	logFlags `embed:""`
}

// Help is shown below the summary.
func (workerCmd) Help() string {
	return `The command gets the payload on its standard input, and what it is about in TIMEWHEEL_QUEUE, TIMEWHEEL_KEY, TIMEWHEEL_ID, TIMEWHEEL_ATTEMPT, TIMEWHEEL_DUE and TIMEWHEEL_EPOCH; if the task is an occurrence of a schedule, in TIMEWHEEL_SCHEDULE, TIMEWHEEL_OCCURRENCE and TIMEWHEEL_MISSED, too. The end of what it writes is kept with the task. Its exit code is the outcome:

    0      the task is completed
    65     the task is dead at once: trying again is no use (EX_DATAERR)
    75     not now: again after --snooze, which does not count as a failure (EX_TEMPFAIL)
    other  the attempt failed, with the end of the standard error as its error; tried again after the task's backoff

A command that runs over its time, or whose lease is lost, is ended with all processes it started: SIGTERM, then SIGKILL.

At the first SIGTERM or SIGINT the worker claims nothing more, waits for the running commands, ends those that take too long and gives their tasks back. At the second it ends at once; its tasks are given to others when their leases run out.`
}

// What a command's exit code says beside success and failure; the numbers are
// those of sysexits.h.
const (
	exitDataError = 65
	exitTempFail  = 75
)

const (
	claimWait    = 30 * time.Second
	claimGrace   = 250 * time.Millisecond // for what is on its way when the worker is told to stop
	maxClaim     = 1000
	renewals     = 3 // in the time of one lease
	settlePause  = 250 * time.Millisecond
	claimRetries = 30 * time.Second // the longest pause between tries to claim
)

// worker claims tasks and runs a command for each.
//
//	claim ─▶ attempt ─┬─ execution (the command)
//	                  └─ keeper (renews the lease; ends the command if it is lost)
//	                  ▼
//	               settle
type worker struct {
	*workerCmd
	remote   *client.Client
	log      *slog.Logger
	out, err *sharedWriter
	environ  []string

	slots   chan struct{} // one in it for each running attempt
	running sync.WaitGroup
	ctx     context.Context // done when attempts are to be abandoned
	abandon context.CancelCauseFunc
}

var (
	errStopping  = errors.New("the worker is stopping")
	errLeaseLost = errors.New("the lease is lost")
)

// Run claims and runs until ctx is done, then drains.
func (c *workerCmd) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	errs := &sharedWriter{next: a.err} // of the commands and of the log
	a.err = errs
	log, err := c.logger(a)
	if err != nil {
		return err
	}
	remote, err := a.remote()
	if err != nil {
		return err
	}
	w := &worker{
		workerCmd: c, remote: remote, log: log.With("queue", c.Queue),
		out: &sharedWriter{next: a.out}, err: errs,
		environ: a.environ(), slots: make(chan struct{}, c.Concurrency),
	}
	w.ctx, w.abandon = context.WithCancelCause(context.Background())
	defer w.abandon(nil)
	w.log.Info("working", "addr", a.Addr, "concurrency", c.Concurrency)
	err = w.claimAll(ctx)
	w.drain()
	w.log.Info("stopped")
	return err
}

func (c *workerCmd) check() error {
	switch {
	case c.Concurrency < 1 || c.Concurrency > maxClaim:
		return &usageError{fmt.Sprintf("--concurrency must be from 1 to %d, got %d", maxClaim, c.Concurrency)}
	case c.Lease < time.Second:
		return &usageError{fmt.Sprintf("--lease must be 1s at least, got %s", c.Lease)}
	case c.Timeout < 0 || c.Snooze < 0 || c.DrainTimeout < 0 || c.KillAfter < 0:
		return &usageError{"durations must not be negative"}
	}
	return nil
}

// claimAll claims as many tasks as there are free slots, until ctx is done. It
// outlives the daemon's restarts.
func (w *worker) claimAll(ctx context.Context) error {
	failures := 0
	for {
		free := w.acquire(ctx)
		if free == 0 {
			return nil
		}
		tasks, err := w.claim(ctx, free)
		w.release(free - len(tasks))
		received := time.Now()
		for _, t := range tasks {
			w.running.Go(func() {
				defer w.release(1)
				if ctx.Err() != nil { // too late to begin
					w.giveBack(t)
					return
				}
				w.attempt(t, received)
			})
		}
		if err == nil {
			failures = 0
			continue
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it is stopping, which ended the claim
		}
		if !passing(err) {
			return err
		}
		failures++
		w.pause(ctx, failures, err)
	}
}

// claim waits for tasks. When ctx is done it waits a little longer, since tasks
// may be on their way, and nobody else would get them before their leases run
// out.
func (w *worker) claim(ctx context.Context, most int) ([]client.ClaimedTask, error) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(claimGrace, cancel) })()
	return w.remote.Claim(late, w.Queue, client.ClaimRequest{
		Max: most, Lease: client.Duration(w.Lease), Wait: client.Duration(claimWait),
	})
}

// pause waits before the next try to claim.
func (w *worker) pause(ctx context.Context, failures int, err error) {
	d := backoff.Delay(backoff.Policy{Min: settlePause, Max: claimRetries, Jitter: 0.2}, failures, rand.Float64())
	w.log.Warn("claiming failed", "err", explain(err), "again_in", d.Round(time.Millisecond).String())
	sleep(ctx, d)
}

// acquire waits for a free slot and takes all that are free. It is 0 when ctx
// is done.
func (w *worker) acquire(ctx context.Context) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case w.slots <- struct{}{}:
		n = 1
	}
	for {
		select {
		case w.slots <- struct{}{}:
			n++
		default:
			return n
		}
	}
}

func (w *worker) release(n int) {
	for range n {
		<-w.slots
	}
}

// drain waits for running attempts, and abandons them when the time is up.
func (w *worker) drain() {
	timer := time.AfterFunc(w.DrainTimeout, func() { w.abandon(errStopping) })
	defer timer.Stop()
	w.running.Wait()
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
