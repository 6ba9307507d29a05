package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

type benchLatenessCmd struct {
	benchFlags `embed:""`
	Tasks      int           `default:"2000" placeholder:"N" help:"How many tasks."`
	Over       time.Duration `default:"20s" placeholder:"DURATION" help:"Over how long they are spread evenly."`
}

// Help is shown below the summary.
func (benchLatenessCmd) Help() string {
	return `One worker waits on a claim and completes what it gets. A task's lateness is when the worker has it in hand, after when it was due, by the clock of this machine; fired is when the daemon claimed it for the worker.`
}

// latenessGrace is how long tasks are waited for after the last one is due.
const latenessGrace = 10 * time.Second

// latenessLead is how long before the first task is due n tasks begin to be
// scheduled, so that all are in time on a slow machine.
func latenessLead(n int) time.Duration { return time.Second + time.Duration(n)*200*time.Microsecond }

// lateness measures one run.
type lateness struct {
	remote *client.Client
	queue  string
	want   int

	seen     map[string]bool
	received []time.Duration
	fired    []time.Duration
	again    int // tasks that came more than once
}

// Run measures and shows.
func (c *benchLatenessCmd) Run(ctx context.Context, a *app) error {
	if c.Tasks < 1 || c.Over <= 0 {
		return &usageError{"--tasks and --over must be above 0"}
	}
	return c.withDaemon(ctx, a, func(ctx context.Context, remote *client.Client, _ string) error {
		l := &lateness{remote: remote, queue: benchQueue + "-" + rand.Text()[:8], want: c.Tasks, seen: make(map[string]bool)}
		last, err := l.schedule(ctx, c.Tasks, c.Over)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithDeadline(ctx, last.Add(latenessGrace))
		defer cancel()
		if err := l.work(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		return l.show(a)
	})
}

// schedule schedules n tasks evenly over a while, and returns the last instant.
func (l *lateness) schedule(ctx context.Context, n int, over time.Duration) (last time.Time, err error) {
	first := time.Now().Add(latenessLead(n))
	var batch []client.NewTask
	for i := range n {
		last = first.Add(over * time.Duration(i) / time.Duration(n))
		batch = append(batch, client.NewTask{Queue: l.queue, Key: strconv.Itoa(i), Due: last})
		if len(batch) < batchLines && i < n-1 {
			continue
		}
		resp, err := l.remote.ScheduleBatch(ctx, batch)
		if err != nil {
			return last, err
		}
		if resp.Failed > 0 {
			return last, fmt.Errorf("%d tasks were refused", resp.Failed)
		}
		batch = batch[:0]
	}
	return last, nil
}

// work claims and completes until all tasks came or ctx is done.
func (l *lateness) work(ctx context.Context) error {
	for len(l.seen) < l.want {
		tasks, err := l.remote.Claim(ctx, l.queue, client.ClaimRequest{Max: 100, Wait: client.Duration(claimWait)})
		if err != nil {
			return err
		}
		now := time.Now()
		leases := make([]client.Complete, len(tasks))
		for i, t := range tasks {
			l.add(t, now)
			leases[i] = client.Complete{LeaseToken: t.LeaseToken}
		}
		if len(leases) == 0 {
			continue
		}
		if _, err := l.remote.CompleteBatch(ctx, leases); err != nil {
			return err
		}
	}
	return nil
}

func (l *lateness) add(t client.ClaimedTask, now time.Time) {
	if l.seen[t.Key] {
		l.again++
		return
	}
	l.seen[t.Key] = true
	l.received = append(l.received, now.Sub(t.Due))
	l.fired = append(l.fired, t.FiredAt.Sub(t.Due))
}

// latenessResult is what is shown. Times are in seconds.
type latenessResult struct {
	Tasks int     `json:"tasks"`
	Lost  int     `json:"lost"`
	Again int     `json:"again"`
	Early int     `json:"early"`
	P50   float64 `json:"p50_seconds"`
	P99   float64 `json:"p99_seconds"`
	Max   float64 `json:"max_seconds"`

	FiredP50 float64 `json:"fired_p50_seconds"`
	FiredP99 float64 `json:"fired_p99_seconds"`
	FiredMax float64 `json:"fired_max_seconds"`
}

func (l *lateness) result() latenessResult {
	slices.Sort(l.received)
	slices.Sort(l.fired)
	r := latenessResult{
		Tasks: l.want, Lost: l.want - len(l.seen), Again: l.again,
		P50: percentile(l.received, 50).Seconds(), P99: percentile(l.received, 99).Seconds(), Max: percentile(l.received, 100).Seconds(),
		FiredP50: percentile(l.fired, 50).Seconds(), FiredP99: percentile(l.fired, 99).Seconds(), FiredMax: percentile(l.fired, 100).Seconds(),
	}
	for _, d := range l.received {
		if d < 0 {
			r.Early++
		}
	}
	return r
}

func (l *lateness) show(a *app) error {
	r := l.result()
	if a.JSON {
		return writeJSON(a.out, r)
	}
	tab := newTable(a.out, "LATENESS", "P50", "P99", "MAX")
	tab.row("fired", millis(r.FiredP50), millis(r.FiredP99), millis(r.FiredMax))
	tab.row("received", millis(r.P50), millis(r.P99), millis(r.Max))
	if err := tab.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "%s tasks: %d early, %d lost, %d came again\n", thousands(r.Tasks), r.Early, r.Lost, r.Again)
	return err
}
