package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/cli/groupcommit"
)

type benchScheduleCmd struct {
	benchFlags `embed:""`
	Rounds     int           `default:"5" placeholder:"N" help:"How often each measurement is made. The medians are shown."`
	Time       time.Duration `default:"2s" placeholder:"DURATION" help:"How long each measurement takes."`
	Conns      int           `default:"64" placeholder:"N" help:"Connections, or goroutines, for single tasks."`
	Batch      int           `default:"1000" placeholder:"N" help:"Tasks in a batch."`
	BatchConns int           `default:"4" placeholder:"N" help:"Connections, or goroutines, for batches."`
	Payload    int           `default:"256" placeholder:"BYTES" help:"Size of the payload."`
}

// Help is shown below the summary.
func (benchScheduleCmd) Help() string {
	return `Single PUTs and batches are measured through the Go client, and in between, on the same disk, what bare Pebble does with values of the same size: single synced sets and synced batches, from as many goroutines. The measurements take turns, so that a busy machine troubles all alike.`
}

// contest is one thing that is measured.
type contest struct {
	name     string
	workers  int
	items    int // per operation
	op       func(context.Context) error
	baseline int // index of the contest that it stands beside, −1: it is one itself
	rounds   []load
}

// Run measures and shows.
func (c *benchScheduleCmd) Run(ctx context.Context, a *app) error {
	if c.Rounds < 1 || c.Conns < 1 || c.Batch < 1 || c.BatchConns < 1 || c.Payload < 2 || c.Time <= 0 {
		return &usageError{"all numbers must be 1 at least, and --payload 2"}
	}
	return c.withDaemon(ctx, a, func(ctx context.Context, remote *client.Client, dir string) error {
		db, err := groupcommit.Open(filepath.Join(dir, "pebble"))
		if err != nil {
			return err
		}
		defer db.Close() //nolint:errcheck // its folder is deleted next
		contests := c.contests(remote, db)
		for range c.Rounds {
			for i := range contests {
				l, err := runLoad(ctx, contests[i].workers, c.Time, contests[i].op)
				if err != nil {
					return fmt.Errorf("%s: %w", contests[i].name, explain(err))
				}
				contests[i].rounds = append(contests[i].rounds, l)
			}
		}
		return c.show(a, contests)
	})
}

const benchQueue = "timewheel-bench"

func (c *benchScheduleCmd) contests(remote *client.Client, db *groupcommit.DB) []contest {
	value := []byte(`"` + rand.Text())
	for len(value) < c.Payload {
		value = append(value, rand.Text()...)
	}
	value = append(value[:c.Payload-1], '"')
	var next atomic.Uint64
	task := func() client.NewTask {
		key := rand.Text()[:8] + "-" + strconv.FormatUint(next.Add(1), 10)
		return client.NewTask{Queue: benchQueue, Key: key, Delay: client.In(time.Hour), Payload: json.RawMessage(value)}
	}
	return []contest{
		{name: fmt.Sprintf("single PUTs, %d connections", c.Conns), workers: c.Conns, items: 1, baseline: 1, op: func(ctx context.Context) error {
			_, err := remote.Schedule(ctx, task())
			return err
		}},
		{name: fmt.Sprintf("  Pebble: single sets, %d goroutines", c.Conns), workers: c.Conns, items: 1, baseline: -1, op: func(context.Context) error {
			return db.Set(value)
		}},
		{name: fmt.Sprintf("batches of %s, %d connections", thousands(c.Batch), c.BatchConns), workers: c.BatchConns, items: c.Batch, baseline: 3, op: func(ctx context.Context) error {
			return scheduleMany(ctx, remote, c.Batch, task)
		}},
		{name: fmt.Sprintf("  Pebble: batches of %s, %d goroutines", thousands(c.Batch), c.BatchConns), workers: c.BatchConns, items: c.Batch, baseline: -1, op: func(context.Context) error {
			return db.SetMany(c.Batch, value)
		}},
	}
}

func scheduleMany(ctx context.Context, remote *client.Client, n int, task func() client.NewTask) error {
	tasks := make([]client.NewTask, n)
	for i := range tasks {
		tasks[i] = task()
	}
	resp, err := remote.ScheduleBatch(ctx, tasks)
	if err == nil && resp.Failed > 0 {
		err = fmt.Errorf("%d of %d tasks were refused", resp.Failed, n)
	}
	return err
}

// contestResult is what is shown of a contest. Latencies are of one operation,
// in seconds; all figures are medians over the rounds.
type contestResult struct {
	Name      string  `json:"name"`
	PerSecond float64 `json:"tasks_per_second"`
	P50       float64 `json:"p50_seconds"`
	P99       float64 `json:"p99_seconds"`
	Ratio     float64 `json:"ratio,omitempty"` // to the baseline, a median of the rounds' ratios
}

func (c *contest) result(all []contest) contestResult {
	over := func(f func(round int, l load) float64) float64 {
		vs := make([]float64, len(c.rounds))
		for i, l := range c.rounds {
			vs[i] = f(i, l)
		}
		return median(vs)
	}
	r := contestResult{
		Name:      c.name,
		PerSecond: over(func(_ int, l load) float64 { return l.perSecond(c.items) }),
		P50:       over(func(_ int, l load) float64 { return percentile(l.latencies, 50).Seconds() }),
		P99:       over(func(_ int, l load) float64 { return percentile(l.latencies, 99).Seconds() }),
	}
	if c.baseline >= 0 {
		base := &all[c.baseline]
		r.Ratio = over(func(i int, l load) float64 { return l.perSecond(c.items) / base.rounds[i].perSecond(base.items) })
	}
	return r
}

func (c *benchScheduleCmd) show(a *app, contests []contest) error {
	tab := newTable(a.out, "", "TASKS/S", "P50", "P99", "OF PEBBLE")
	for i := range contests {
		r := contests[i].result(contests)
		if a.JSON {
			if err := writeJSON(a.out, r); err != nil {
				return err
			}
			continue
		}
		ratio := ""
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		tab.row(r.Name, thousands(int(r.PerSecond)), millis(r.P50), millis(r.P99), ratio)
	}
	if a.JSON {
		return nil
	}
	if err := tab.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "%d bytes of payload; medians of %d rounds of %s each, in turns; latencies are of one call\n", c.Payload, c.Rounds, c.Time)
	return err
}

func millis(seconds float64) string { return fmt.Sprintf("%.2f ms", seconds*1000) }
