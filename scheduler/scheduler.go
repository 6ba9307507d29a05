package scheduler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/uuid/v5"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Scheduler makes tasks happen. Its methods may be called at once from any
// goroutine.
type Scheduler struct {
	o        Options
	clock    clock.Clock
	store    store.Store
	settings *settings
	hub      *hub
	rules    *rules
	drain    *drain
	opened   task.Instant
	bulk     *bulk
	shards   []*shard
	grants   []store.Grant

	handlers handlers
	attempts attempts

	stop    context.CancelFunc // ends the writers and the clock watcher
	writers sync.WaitGroup
	closing sync.Once
	closed  chan struct{}
}

// Open takes ownership of all of the store's shards and starts their writers.
// Tasks can be scheduled and claimed from here on; webhooks and handlers need
// [Scheduler.Run]. ctx bounds the opening only.
func Open(ctx context.Context, st store.Store, o Options) (*Scheduler, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	all := make([]int, st.Shards())
	for i := range all {
		all[i] = i
	}
	grants, err := st.Acquire(ctx, o.Node, all)
	if err != nil {
		return nil, fmt.Errorf("taking the store's shards: %w", err)
	}
	s := &Scheduler{o: o, clock: clock.Or(o.Clock), store: st, grants: grants, closed: make(chan struct{})}
	s.settings = newSettings(st)
	s.rules = newRules()
	s.drain, s.opened = newDrain(o.CatchUpRate), s.now()
	s.bulk = newBulk(max(1, runtime.GOMAXPROCS(0)-1))
	s.hub = newHub()
	s.attempts.init()
	for _, g := range grants {
		sh := newShard(s, g)
		if err := sh.load(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("loading shard %d: %w", g.Shard, err), st.Release(ctx, o.Node, grants))
		}
		s.shards = append(s.shards, sh)
	}
	s.start()
	if err := s.releaseAbandoned(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("releasing the former owner's attempts: %w", err), s.Close())
	}
	return s, nil
}

func (s *Scheduler) start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	for _, sh := range s.shards {
		s.writers.Go(func() { sh.run(ctx) })
	}
	s.writers.Go(func() { s.clock.WatchSteps(ctx, s.wakeAll) })
	s.writers.Go(func() { s.rezone(ctx) })
}

// wakeAll makes every shard look at the clock again.
func (s *Scheduler) wakeAll() {
	for _, sh := range s.shards {
		sh.awaken()
	}
}

// Close ends all that Open started and gives the shards back. What was
// acknowledged stays in the store, which Close leaves open. Run must have
// returned before.
func (s *Scheduler) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		s.hub.drain()
		s.attempts.end(s.hub, nil)
		s.stop()
		s.writers.Wait()
		err = s.store.Release(context.Background(), s.o.Node, s.grants)
	})
	return err
}

func (s *Scheduler) shardOf(queue, key string) *shard {
	return s.shards[task.Shard(queue, key, len(s.shards))]
}

// now is the wall clock, rounded down.
func (s *Scheduler) now() task.Instant { return task.FloorInstant(s.clock.Now()) }

// Stats returns a look at the insides.
func (s *Scheduler) Stats() Stats {
	st := Stats{Shards: len(s.shards)}
	for _, sh := range s.shards {
		st.Wheel += int(sh.stats.wheel.Load())
		st.Ready += int(sh.stats.ready.Load())
		if l := task.Instant(sh.stats.loaded.Load()); st.Loaded == 0 || l < st.Loaded {
			st.Loaded = l
		}
	}
	st.Pushing, st.Claims = s.hub.stats()
	return st
}

func (o Options) withDefaults() (Options, error) {
	for name, n := range map[string]int{
		"MaxPayload": o.MaxPayload, "Window": o.Window, "CatchUpRate": o.CatchUpRate,
		"Limits.Node": o.Limits.Node, "Limits.Queue": o.Limits.Queue, "Limits.Host": o.Limits.Host,
	} {
		if n < 0 {
			return o, fmt.Errorf("scheduler option %s must not be negative, got %d", name, n)
		}
	}
	if o.Horizon < 0 || o.DrainTimeout < 0 {
		return o, fmt.Errorf("scheduler options Horizon and DrainTimeout must not be negative, got %s and %s", o.Horizon, o.DrainTimeout)
	}
	setDefault(&o.MaxPayload, task.DefaultMaxPayload)
	setDefault(&o.Window, 1<<18)
	setDefault(&o.CatchUpRate, 1000)
	setDefault(&o.Limits.Node, 512)
	setDefault(&o.Limits.Queue, 128)
	setDefault(&o.Limits.Host, 64)
	setDefault(&o.Horizon, time.Minute)
	setDefault(&o.DrainTimeout, 30*time.Second)
	if o.Node == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "node"
		}
		o.Node = host + "-" + newID().String()[24:]
	}
	return o, nil
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// newID makes the id of a new task.
func newID() task.ID { return task.ID(uuid.Must(uuid.NewV7())) }
