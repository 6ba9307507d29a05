package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

type benchBurstCmd struct {
	Schedules int           `default:"100000" placeholder:"N" help:"How many schedules have an occurrence in the same second, at most 1,000,000."`
	Jitter    time.Duration `default:"30s" placeholder:"DURATION" help:"The jitter of the schedules in the second run, at most 10m."`
	Every     time.Duration `default:"5ms" placeholder:"DURATION" help:"How often the other queue has a task, from 1ms to 1s."`
	Quiet     time.Duration `default:"3s" placeholder:"DURATION" help:"How long before the burst the other queue begins, at most 1m."`
	Dir       string        `default:"." placeholder:"FOLDER" help:"Where to make the temporary folders, on the disk that is to be measured."`
	SVG       string        `name:"svg" placeholder:"FILE" help:"Draw both runs as charts into this file, too."`
}

// Help is shown below the summary.
func (benchBurstCmd) Help() string {
	return `Each schedule has one occurrence, all at the same second, in one queue; another queue has a task at even intervals before and meanwhile. Workers claim and complete the tasks of both, the burst's in 4 loops of up to 500, the other's in 2. It is done twice, without jitter and with it, each time with a daemon that is started for this, in this process and with an empty folder. Lateness is when the daemon claimed a task for a worker, after when it was due, its jitter included.`
}

// Run measures and shows.
func (c *benchBurstCmd) Run(ctx context.Context, a *app) error {
	if err := c.validate(); err != nil {
		return err
	}
	if c.SVG != "" {
		if err := mayWrite(c.SVG); err != nil {
			return err
		}
	}
	r := burstReport{setting: c.setting()}
	for i, jitter := range []time.Duration{0, c.Jitter} {
		debug.FreeOSMemory() // the memory of one run is not the next one's
		begun := burstRun{benchBurstCmd: c, tell: func(what string) { a.tell("run %d of 2: %s", i+1, what) }}
		seen, err := begun.measure(ctx, a, jitter)
		if err != nil {
			return err
		}
		r.runs = append(r.runs, seen)
	}
	a.tell("")
	return r.show(a, c.SVG)
}

func (c *benchBurstCmd) validate() error {
	for _, f := range []struct {
		name           string
		have, low, top time.Duration
	}{
		{"jitter", c.Jitter, time.Millisecond, 10 * time.Minute},
		{"every", c.Every, time.Millisecond, time.Second},
		{"quiet", c.Quiet, time.Millisecond, time.Minute},
	} {
		if f.have < f.low || f.have > f.top {
			return &usageError{fmt.Sprintf("--%s must be from %s to %s, got %s", f.name, f.low, f.top, f.have)}
		}
	}
	if c.Schedules < 1 || c.Schedules > 1_000_000 {
		return &usageError{fmt.Sprintf("--schedules must be from 1 to 1000000, got %d", c.Schedules)}
	}
	return nil
}

// setting says how it was measured.
func (c *benchBurstCmd) setting() string {
	return fmt.Sprintf("%s schedules, another queue's task every %s; daemon and workers in one process; %s on %s/%s, %d processors",
		thousands(c.Schedules), c.Every, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
}

// measure makes one run with a daemon of its own.
func (r *burstRun) measure(ctx context.Context, a *app, jitter time.Duration) (seen burstSeen, err error) {
	err = benchFlags{Dir: r.Dir}.withDaemon(ctx, a, func(ctx context.Context, remote *client.Client, _ string) error {
		defer remote.Close()
		r.remote, r.seen = remote, newBurstSeen(r.benchBurstCmd, jitter)
		if err := r.prepare(ctx); err != nil {
			return err
		}
		r.tell("the burst")
		if err := r.work(ctx); err != nil {
			return err
		}
		r.seen.memory = peakMemory()
		return nil
	})
	return r.seen, err
}
