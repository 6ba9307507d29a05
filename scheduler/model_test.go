package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// faulty is a store whose commits can be made to fail, before or after they
// took effect.
type faulty struct {
	store.Store
	before, after atomic.Bool
}

var errDisk = errors.New("disk full")

func (f *faulty) Commit(ctx context.Context, b store.Batch) error {
	if f.before.Load() {
		return errDisk
	}
	if err := f.Store.Commit(ctx, b); err != nil {
		return err
	}
	if f.after.Load() {
		return errDisk
	}
	return nil
}

// model is what a user knows of a scheduler: what was acknowledged.
type model struct {
	t     *rapid.T
	rig   *rig
	store *faulty
	tasks map[string]*expected
	now   func() time.Time
}

// expected is what one key must look like.
type expected struct {
	id        task.ID
	due       time.Time
	state     task.State // Scheduled stands for Ready too
	lease     *task.Lease
	ends      time.Time // of the lease
	attempt   uint32    // the highest seen
	unsure    bool      // a call about it failed half-way: any outcome is right
	delivered int
}

func (m *model) key() string { return fmt.Sprint("k", rapid.IntRange(0, 7).Draw(m.t, "key")) }

func (m *model) schedule() {
	key, delay := m.key(), time.Duration(rapid.Int64Range(0, int64(3*time.Minute)).Draw(m.t, "delay"))
	res := m.rig.Schedule(context.Background(), scheduler.ScheduleRequest{
		Spec: task.Spec{Queue: "q", Key: key, Delay: delay, Timeout: time.Minute, Retry: task.Retry{MaxAttempts: 1000, MinBackoff: time.Second, MaxBackoff: time.Second}},
	})
	if res.Err != nil {
		m.failedOK(key, res.Err)
		return
	}
	old := m.tasks[key]
	if old != nil && !old.unsure && old.state == task.Scheduled && old.attempt == 0 && old.id != res.Task.ID {
		m.t.Fatalf("%s: replaced before its first attempt under another id", key)
	}
	m.tasks[key] = &expected{id: res.Task.ID, due: m.now().Add(delay), state: task.Scheduled, attempt: res.Task.Attempt}
}

// failedOK notes that it is open what a call did, which failed because the
// store did.
func (m *model) failedOK(key string, err error) {
	if !errors.Is(err, errDisk) {
		m.t.Fatalf("%s: %v", key, err)
	}
	if m.tasks[key] == nil {
		m.tasks[key] = &expected{}
	}
	m.tasks[key].unsure, m.tasks[key].lease = true, nil
}

func (m *model) cancel() {
	key := m.key()
	_, err := m.rig.Cancel(context.Background(), "q", key, 0)
	e := m.tasks[key]
	switch {
	case errors.Is(err, errDisk):
		m.failedOK(key, err)
	case e != nil && e.unsure:
		if err == nil {
			e.state, e.unsure, e.lease = task.Cancelled, false, nil
		}
	case e == nil:
		if !errors.Is(err, scheduler.ErrNotFound) {
			m.t.Fatalf("cancelling %s, which is not there: %v", key, err)
		}
	case e.state == task.Scheduled || e.state == task.Cancelled:
		if err != nil {
			m.t.Fatalf("cancelling %s: %v", key, err)
		}
		e.state = task.Cancelled
	case err == nil:
		m.t.Fatalf("cancelled %s, which is %s", key, e.state)
	}
}

func (m *model) claim() {
	ls, err := m.rig.Claim(context.Background(), scheduler.ClaimRequest{Queue: "q", Max: rapid.IntRange(1, 4).Draw(m.t, "max")})
	if err != nil {
		m.t.Fatalf("claim: %v", err)
	}
	for _, l := range ls {
		m.delivered(l)
	}
}

func (m *model) delivered(l task.Lease) {
	e := m.tasks[l.Task.Key]
	if e == nil {
		m.t.Fatalf("%s was delivered and never scheduled", l.Task.Key)
	}
	if !e.unsure {
		switch {
		case e.state != task.Scheduled:
			m.t.Fatalf("%s was delivered, though it is %s", l.Task.Key, e.state)
		case l.Task.ID != e.id:
			m.t.Fatalf("%s was delivered under another id", l.Task.Key)
		case m.now().Before(e.due):
			m.t.Fatalf("%s was delivered %s early", l.Task.Key, e.due.Sub(m.now()))
		case l.Task.Attempt <= e.attempt:
			m.t.Fatalf("%s was delivered as attempt %d after attempt %d", l.Task.Key, l.Task.Attempt, e.attempt)
		}
	}
	*e = expected{id: l.Task.ID, state: task.Leased, lease: &l, ends: l.Until.Time(), attempt: l.Task.Attempt, delivered: e.delivered + 1}
}

func (m *model) settle() {
	for _, key := range slices.Sorted(maps.Keys(m.tasks)) {
		e := m.tasks[key]
		if e.lease == nil || e.unsure {
			continue
		}
		verdict := task.Verdict(rapid.IntRange(int(task.Succeeded), int(task.Released)).Draw(m.t, "verdict of "+key))
		got, err := m.rig.settle(*e.lease, task.Outcome{Verdict: verdict, After: time.Second})
		e.lease = nil
		if err != nil {
			m.failedOK(key, err)
			continue
		}
		e.due, e.state = got.Expiry.Time(), got.State
		return
	}
}

// wait lets time pass, at times past the end of leases.
func (m *model) wait() {
	time.Sleep(time.Duration(rapid.Int64Range(1, int64(90*time.Second)).Draw(m.t, "wait")))
	m.expireLeases()
}

func (m *model) expireLeases() {
	synctest.Wait()
	for _, e := range m.tasks {
		if e.state == task.Leased && !m.now().Before(e.ends) {
			e.lease, e.state, e.due = nil, task.Scheduled, e.ends
		}
	}
}

func (m *model) reopen() {
	m.rig.close()
	m.rig.open()
	m.expireLeases()
}

// breakStore lets the store fail for a while.
func (m *model) breakStore() {
	after := rapid.Bool().Draw(m.t, "after it took effect")
	m.store.before.Store(!after)
	m.store.after.Store(after)
	for _, e := range m.tasks {
		e.unsure = e.unsure || after && e.state == task.Scheduled // a claim may be lost half-way
	}
	m.schedule()
	m.cancel()
	m.claim()
	m.store.before.Store(false)
	m.store.after.Store(false)
	time.Sleep(time.Second)
	m.expireLeases()
}

// drain lets everything fire, and looks for what was lost.
func (m *model) drain() {
	for range 20 {
		time.Sleep(time.Minute)
		m.expireLeases()
		for {
			ls, err := m.rig.Claim(context.Background(), scheduler.ClaimRequest{Queue: "q", Max: 3})
			if err != nil {
				m.t.Fatal(err)
			}
			if len(ls) == 0 {
				break
			}
			for _, l := range ls {
				m.delivered(l)
				if _, err := m.rig.settle(l, success); err != nil {
					m.t.Fatal(err)
				}
				m.tasks[l.Task.Key].state, m.tasks[l.Task.Key].lease = task.Completed, nil
			}
		}
	}
	for key, e := range m.tasks {
		if !e.unsure && (e.state == task.Scheduled || e.state == task.Leased) {
			m.t.Fatalf("%s was lost: it is still %s", key, m.rig.state("q", key))
		}
		if st := m.rig.state("q", key); st != 0 && !st.Finished() {
			m.t.Fatalf("%s is left %s", key, st)
		}
	}
}

// Random calls, restarts and failing disks: nothing early, nothing lost,
// nothing after its cancellation, attempts only go up. To replay a failure, run
// the command that rapid prints.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // rapid's own, carried out of the bubble's goroutine
		synctest.Test(t, func(t *testing.T) {
			f := &faulty{Store: memstore.New(3)}
			r := &rig{t: t, store: f, clock: &clock.Fake{}, o: scheduler.Options{Window: 64, Horizon: 30 * time.Second}}
			r.open()
			defer r.close()
			defer func() { failure = recover() }()
			m := &model{t: rt, rig: r, store: f, tasks: make(map[string]*expected), now: time.Now}
			rt.Repeat(map[string]func(*rapid.T){
				"schedule": func(*rapid.T) { m.schedule() },
				"again":    func(*rapid.T) { m.schedule() },
				"cancel":   func(*rapid.T) { m.cancel() },
				"claim":    func(*rapid.T) { m.claim() },
				"settle":   func(*rapid.T) { m.settle() },
				"wait":     func(*rapid.T) { m.wait() },
				"reopen":   func(*rapid.T) { m.reopen() },
				"break":    func(*rapid.T) { m.breakStore() },
			})
			m.drain()
		})
		if failure != nil {
			panic(failure)
		}
	})
}
