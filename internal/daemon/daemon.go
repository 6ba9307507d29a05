package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/oklog/run"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
	"github.com/timewheel-dev/timewheel/telemetry"
)

// Run runs a daemon until ctx is done, then drains it; see the package's
// comment for the order. It calls ready, unless that is nil, with the address
// that is listened on once requests are served. The error is nil after an
// orderly stop, and says what to do otherwise.
func Run(ctx context.Context, c Config, ready func(net.Addr)) error {
	c = c.WithDefaults()
	if err := c.Validate(); err != nil {
		return err
	}
	if err := c.allowed(ctx); err != nil {
		return err
	}
	d := &daemon{c: c, metrics: telemetry.New(c.Version), journal: newJournal(c.Log), broken: make(chan error, 1)}
	stopJournal := d.startJournal()
	defer stopJournal()
	if err := d.open(ctx); err != nil {
		return errors.Join(err, d.close())
	}
	err := d.serve(ctx, ready)
	err = errors.Join(err, d.close())
	if err != nil {
		c.Log.Error("stopped", "err", err)
		return err
	}
	c.Log.Info("stopped")
	return nil
}

// daemon is the parts of one daemon. Those that are not open are nil.
type daemon struct {
	c       Config
	metrics *telemetry.Metrics
	journal *journal
	broken  chan error // takes the error that ended the store

	draining atomic.Bool // no more work is taken

	store     *pebblestore.Store
	pusher    *webhook.Deliverer
	cutOff    atomic.Int64 // attempts of the pusher that the drain broke off
	scheduler *scheduler.Scheduler
	listener  net.Listener
}

// startJournal runs the journal beside everything else, so that it hears the
// last of it.
func (d *daemon) startJournal() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.journal.run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// open takes the address, so that nothing is made if it is in use, then opens the
// parts from the bottom up. Who calls meanwhile waits. What was opened before a
// fault is close's to close.
func (d *daemon) open(ctx context.Context) (err error) {
	d.listener, err = listen(ctx, d.c.Listen)
	if err != nil {
		return err
	}
	d.store, err = d.openStore()
	if err != nil {
		return err
	}
	d.pusher = webhook.New(webhook.Options{
		UserAgent:      "timewheel/" + d.c.Version,
		MaxIdlePerHost: d.c.PushConcurrencyHost,
		AllowLinkLocal: d.c.WebhookLinkLocal,
	})
	d.scheduler, err = scheduler.Open(ctx, d.store, d.schedulerOptions())
	if err != nil {
		return fmt.Errorf("starting the scheduler: %w", err)
	}
	d.metrics.Watch(d.scheduler)
	return nil
}

func (d *daemon) schedulerOptions() scheduler.Options {
	events := d.metrics.Events()
	count := events.Trouble
	events.Trouble = func(where string, err error) {
		count(where, err)
		d.journal.trouble(where, err)
	}
	return scheduler.Options{
		Pusher:      pusherFunc(d.push),
		Events:      events,
		MaxPayload:  int(d.c.MaxPayload),
		Horizon:     d.c.Horizon,
		Window:      d.c.Window,
		CatchUpRate: d.c.CatchUpRate,
		Limits: scheduler.PushLimits{
			Node: d.c.PushConcurrency, Queue: d.c.PushConcurrencyQueue, Host: d.c.PushConcurrencyHost,
		},
		DrainTimeout: d.c.DrainTimeout,
	}
}

// committed looks for the error after which the store takes no more writes.
func (d *daemon) committed(_ int, _ time.Duration, err error) {
	var failed *pebblestore.FailedError
	if !errors.As(err, &failed) {
		return
	}
	select {
	case d.broken <- failed:
	default: // it is known
	}
}

// serve runs the parts until one of them ends, then ends the others.
func (d *daemon) serve(ctx context.Context, ready func(net.Addr)) error {
	var group run.Group
	group.Add(d.untilDone(ctx))
	drained := d.addScheduler(&group)
	web := newServer(d.handler(), d.listener, drained, d.c.Log)
	group.Add(web.run, web.interrupt)
	pending, err := d.pending(ctx)
	if err != nil {
		return fmt.Errorf("counting the tasks: %w", err)
	}
	d.c.Log.Info("serving", "addr", d.listener.Addr().String(), "data", d.c.Data, "version", d.c.Version, "pending", pending)
	if ready != nil {
		ready(d.listener.Addr())
	}
	return group.Run()
}

// untilDone is the pair that ends everything: when ctx is done, or the store
// has failed.
func (d *daemon) untilDone(ctx context.Context) (func() error, func(error)) {
	ctx, cancel := context.WithCancel(ctx)
	return func() error {
			select {
			case <-ctx.Done():
				return nil
			case err := <-d.broken:
				return err
			}
		}, func(error) {
			cancel()
		}
}

// addScheduler adds the pair that pushes and, when interrupted, drains. The
// channel is closed when it has.
func (d *daemon) addScheduler(group *run.Group) (drained <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	group.Add(func() error {
		defer close(done)
		err := d.scheduler.Run(ctx)
		d.c.Log.Info("drained", "cut_off", d.cutOff.Load())
		return err
	}, func(error) {
		d.c.Log.Info("draining", "timeout", d.c.DrainTimeout.String())
		d.draining.Store(true)
		cancel()
	})
	return done
}

// handler is the HTTP door and what stands before it.
func (d *daemon) handler() http.Handler {
	return guard(d.c, api.New(d.scheduler, api.Options{
		Token:        d.c.Token,
		MaxPayload:   int(d.c.MaxPayload),
		MaxBatchBody: int64(d.c.MaxBatchBody),
		Ready:        d.ready,
		Metrics:      d.metrics.Handler(),
		Log:          d.c.Log.With("part", "api"),
	}))
}

// ready is the answer to /readyz.
func (d *daemon) ready() error {
	if d.draining.Load() {
		return scheduler.ErrDraining
	}
	return nil
}

// pending counts the tasks that wait to be claimed.
func (d *daemon) pending(ctx context.Context) (n int64, err error) {
	const page = 1000
	after := ""
	for {
		queues, err := d.scheduler.Queues(ctx, after, page)
		if err != nil {
			return 0, err
		}
		for _, q := range queues {
			n += q.Counts[task.Scheduled] + q.Counts[task.Ready]
			after = q.Name
		}
		if len(queues) < page {
			return n, nil
		}
	}
}

// close closes what is open, from the top down.
func (d *daemon) close() error {
	var faults []error
	if d.listener != nil {
		if err := d.listener.Close(); !errors.Is(err, net.ErrClosed) {
			faults = append(faults, err)
		}
	}
	if d.scheduler != nil {
		faults = append(faults, d.scheduler.Close())
	}
	if d.pusher != nil {
		d.pusher.Close()
	}
	if d.store != nil {
		faults = append(faults, d.store.Close())
	}
	return errors.Join(faults...)
}
