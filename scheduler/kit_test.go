package scheduler_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// rig is a scheduler over the oracle store in a bubble, with a clock that can
// be stepped.
type rig struct {
	*scheduler.Scheduler
	t     *testing.T
	store store.Store
	clock *clock.Fake
	o     scheduler.Options
	end   func()
	log   *eventLog
}

// bubble runs f with a rig of 4 shards.
func bubble(t *testing.T, o scheduler.Options, f func(t *testing.T, r *rig)) {
	t.Helper()
	bubbleOf(t, 4, o, f)
}

// bubbleOf is bubble with another number of shards.
func bubbleOf(t *testing.T, shards int, o scheduler.Options, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, store: memstore.New(shards), clock: &clock.Fake{}, o: o}
		r.open()
		defer func() { r.close() }()
		f(t, r)
	})
}

func (r *rig) open() {
	r.t.Helper()
	r.log = &eventLog{}
	r.o.Clock = r.clock
	r.o.Events = r.log.events(r.t)
	s, err := scheduler.Open(r.t.Context(), r.store, r.o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Scheduler = s
	r.end = func() {}
	synctest.Wait() // until its goroutines are up: a Fake clock tells only who watches of its steps
}

// run starts Run; close or stop ends it.
func (r *rig) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.Run(ctx); err != nil {
			r.t.Errorf("Run: %v", err)
		}
	}()
	r.end = func() {
		cancel()
		<-done
	}
}

func (r *rig) close() {
	r.t.Helper()
	r.end()
	if err := r.Close(); err != nil {
		r.t.Errorf("Close: %v", err)
	}
}

func (r *rig) reopen() {
	r.t.Helper()
	r.close()
	r.open()
}

// sleep lets time pass in the bubble.
func (r *rig) sleep(d time.Duration) { time.Sleep(d) }

func (r *rig) schedule(q, key string, delay time.Duration) *task.Task {
	r.t.Helper()
	return r.scheduleSpec(task.Spec{Queue: q, Key: key, Delay: delay, Payload: []byte(key)})
}

func (r *rig) scheduleSpec(s task.Spec) *task.Task {
	r.t.Helper()
	res := r.Schedule(r.t.Context(), scheduler.ScheduleRequest{Spec: s})
	if res.Err != nil {
		r.t.Fatalf("Schedule %s/%s: %v", s.Queue, s.Key, res.Err)
	}
	return res.Task
}

func (r *rig) claim(q string, most int, wait time.Duration) []task.Lease {
	r.t.Helper()
	ls, err := r.Claim(r.t.Context(), scheduler.ClaimRequest{Queue: q, Max: most, Wait: wait})
	if err != nil {
		r.t.Fatalf("Claim %s: %v", q, err)
	}
	return ls
}

// claimOne claims exactly one task.
func (r *rig) claimOne(q string, wait time.Duration) task.Lease {
	r.t.Helper()
	ls := r.claim(q, 1, wait)
	if len(ls) != 1 {
		r.t.Fatalf("claimed %d tasks of %s, want 1", len(ls), q)
	}
	return ls[0]
}

// next waits for a task of q however long it takes.
func (r *rig) next(q string) task.Lease {
	r.t.Helper()
	for {
		if ls := r.claim(q, 1, scheduler.MaxWait); len(ls) == 1 {
			return ls[0]
		}
	}
}

func (r *rig) settle(l task.Lease, o task.Outcome) (*task.Task, error) {
	r.t.Helper()
	rs, err := r.Settle(r.t.Context(), []scheduler.Settlement{{Token: l.Token, Outcome: o}})
	if err != nil {
		r.t.Fatalf("Settle: %v", err)
	}
	return rs[0].Task, rs[0].Err
}

func (r *rig) mustSettle(l task.Lease, o task.Outcome) *task.Task {
	r.t.Helper()
	t, err := r.settle(l, o)
	if err != nil {
		r.t.Fatalf("settling %s: %v", l.Task.Key, err)
	}
	return t
}

// state returns a task's state, 0 if it has no record.
func (r *rig) state(q, key string) task.State {
	r.t.Helper()
	t, err := r.Get(r.t.Context(), q, key)
	if errors.Is(err, scheduler.ErrNotFound) {
		return 0
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return t.State
}

func (r *rig) wantState(q, key string, want task.State) {
	r.t.Helper()
	if got := r.state(q, key); got != want {
		r.t.Errorf("%s/%s is %s, want %s", q, key, got, want)
	}
}

var (
	success = task.Outcome{Verdict: task.Succeeded}
	failure = task.Outcome{Verdict: task.Failed, Error: "no luck"}
)

// eventLog keeps what a scheduler reports.
type eventLog struct {
	mu       sync.Mutex
	lateness []time.Duration // guarded by mu
	settled  []task.State    // guarded by mu
	troubles []error         // guarded by mu
}

func (l *eventLog) events(t *testing.T) scheduler.Events {
	return scheduler.Events{
		Fired: func(tk *task.Task, late time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.lateness = append(l.lateness, late)
			if late < 0 {
				t.Errorf("%s fired %s early", tk.Key, -late)
			}
		},
		Settled: func(tk *task.Task, _ task.Outcome) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.settled = append(l.settled, tk.State)
		},
		Trouble: func(_ string, err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.troubles = append(l.troubles, err)
		},
	}
}
