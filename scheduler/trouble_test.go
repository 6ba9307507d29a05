package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// hooks are asked by a troubled store; a nil hook does nothing.
type hooks struct {
	commit, committed func(store.Batch) error // before and after it takes effect
	due               func() error
	get               func(refs []store.Ref) error
	putQueue          func() error // after it took effect
}

// troubled is a store with hooks.
type troubled struct {
	store.Store
	mu    sync.Mutex
	hooks hooks // guarded by mu
}

// set puts hooks in place of those before.
func (s *troubled) set(h hooks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks = h
}

func (s *troubled) now() hooks {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hooks
}

func (s *troubled) Commit(ctx context.Context, b store.Batch) error {
	h := s.now()
	if h.commit != nil {
		if err := h.commit(b); err != nil {
			return err
		}
	}
	if err := s.Store.Commit(ctx, b); err != nil || h.committed == nil {
		return err
	}
	return h.committed(b)
}

func (s *troubled) Due(ctx context.Context, shard int, after store.Pos, limit int) ([]store.Entry, error) {
	if due := s.now().due; due != nil {
		if err := due(); err != nil {
			return nil, err
		}
	}
	return s.Store.Due(ctx, shard, after, limit)
}

func (s *troubled) Get(ctx context.Context, shard int, refs []store.Ref, bodies bool) ([]*task.Task, error) {
	if get := s.now().get; get != nil {
		if err := get(refs); err != nil {
			return nil, err
		}
	}
	return s.Store.Get(ctx, shard, refs, bodies)
}

func (s *troubled) PutQueue(ctx context.Context, q task.Queue) error {
	err := s.Store.PutQueue(ctx, q)
	if put := s.now().putQueue; err == nil && put != nil {
		return put()
	}
	return err
}

// inTrouble runs f in a bubble with a store whose hooks it sets.
func inTrouble(t *testing.T, shards int, o scheduler.Options, f func(t *testing.T, r *rig, s *troubled)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &troubled{Store: memstore.New(shards)}
		r := &rig{t: t, store: s, clock: &clock.Fake{}, o: o}
		r.open()
		defer func() { r.close() }()
		f(t, r, s)
	})
}

// first returns a hook that fails the first time it is called.
func first() func() error {
	var n atomic.Int64
	return func() error {
		if n.Add(1) == 1 {
			return errDisk
		}
		return nil
	}
}

// A commit fails, and so does the reload after it: nothing is forgotten.
func TestReloadFails(t *testing.T) {
	for _, tookEffect := range []bool{false, true} {
		t.Run(fmt.Sprint("took effect: ", tookEffect), func(t *testing.T) {
			inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
				r.schedule("q", "ready", 0)
				r.schedule("q", "later", 2*time.Second)
				time.Sleep(time.Second)
				synctest.Wait()
				fail := first()
				h := hooks{due: first()}
				if tookEffect {
					h.committed = func(store.Batch) error { return fail() }
				} else {
					h.commit = func(store.Batch) error { return fail() }
				}
				s.set(h)
				keys := make(map[string]bool)
				for range 5 {
					for _, l := range r.claim("q", 1, time.Minute) {
						keys[l.Task.Key] = true
					}
				}
				if !keys["ready"] || !keys["later"] {
					t.Errorf("within five minutes came %v", keys)
				}
			})
		})
	}
}

// One record that can't be read stops nobody else's task.
func TestDamagedRecord(t *testing.T) {
	inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
		r.schedule("q", "bad", time.Second)
		for i := range 10 {
			r.schedule("q", fmt.Sprint("good", i), time.Second)
		}
		synctest.Wait()
		s.set(hooks{get: func(refs []store.Ref) error {
			if slices.Contains(refs, store.Ref{Queue: "q", Key: "bad"}) {
				return task.ErrCorrupt
			}
			return nil
		}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if ls := r.claim("q", 100, 0); len(ls) != 10 {
			t.Errorf("claimed %d of the 10 others", len(ls))
		}
		if _, err := r.Cancel(t.Context(), "q", "bad", 0); !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("cancelling the damaged one: %v", err)
		}
		r.schedule("q", "more", 0)
		r.claimOne("q", time.Second)
	})
}

// A fenced shard keeps claims from nobody else's tasks.
func TestFencedShard(t *testing.T) {
	for range 10 { // which shard is asked first is chance
		inTrouble(t, 2, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
			var keys [2]string
			for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
				keys[task.Shard("q", k, 2)] = k
			}
			r.schedule("q", keys[0], 0)
			r.schedule("q", keys[1], 0)
			time.Sleep(time.Second)
			synctest.Wait()
			s.set(hooks{commit: func(b store.Batch) error {
				if b.Shard == 0 {
					return store.ErrFenced
				}
				return nil
			}})
			res := r.Schedule(t.Context(), scheduler.ScheduleRequest{Spec: task.Spec{Queue: "q", Key: keys[0], Delay: time.Hour}})
			if !errors.Is(res.Err, store.ErrFenced) {
				t.Errorf("scheduling in a fenced shard: %v", res.Err)
			}
			if l := r.claimOne("q", time.Second); l.Task.Key != keys[1] {
				t.Errorf("claimed %q of the fenced shard", l.Task.Key)
			}
		})
	}
}

// The clock is set back while a shard waits after a failed commit: it waits no
// longer than it would have.
func TestClockSetBackInTrouble(t *testing.T) {
	inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
		fail := first()
		s.set(hooks{commit: func(store.Batch) error { return fail() }})
		if res := r.Schedule(t.Context(), scheduler.ScheduleRequest{Spec: task.Spec{Queue: "q", Key: "x"}}); !errors.Is(res.Err, errDisk) {
			t.Errorf("scheduling on a failing disk: %v", res.Err)
		}
		r.clock.Step(-2 * time.Hour)
		r.schedule("q", "a", time.Second)
		r.claimOne("q", 2*time.Second)
	})
}

// Settings that were stored, though an error said otherwise, are in force.
func TestSettingsTookEffectDespiteError(t *testing.T) {
	inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
		r.schedule("q", "warm", time.Hour)
		synctest.Wait()
		s.set(hooks{putQueue: first()})
		if _, err := r.UpdateQueue(t.Context(), "q", func(q *task.Queue) error { q.Paused = true; return nil }); !errors.Is(err, errDisk) {
			t.Errorf("pausing: %v", err)
		}
		r.schedule("q", "a", 0)
		if ls := r.claim("q", 1, time.Second); len(ls) > 0 {
			t.Error("a queue that the store has as paused handed out a task")
		}
	})
}

// The outcome of a push is stored in the end, though one commit failed: the
// push is not repeated.
func TestOutcomeIsStoredInTheEnd(t *testing.T) {
	p := newPushes(func(context.Context, task.Lease) task.Outcome { return success })
	inTrouble(t, 1, scheduler.Options{Pusher: p}, func(t *testing.T, r *rig, s *troubled) {
		r.scheduleWebhook("q", "a", "h")
		synctest.Wait()
		fail := first()
		s.set(hooks{commit: func(b store.Batch) error {
			if b.Writes[0].Task.State == task.Completed {
				return fail()
			}
			return nil
		}})
		r.run()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if n := p.finished("q"); n != 1 || r.state("q", "a") != task.Completed {
			t.Errorf("pushed %d times, and the task is %s", n, r.state("q", "a"))
		}
	})
}

// A queue that is resumed before Run is pushed when Run begins.
func TestResumeBeforeRun(t *testing.T) {
	p := newPushes(func(context.Context, task.Lease) task.Outcome { return success })
	bubble(t, scheduler.Options{Pusher: p}, func(t *testing.T, r *rig) {
		for _, paused := range []bool{true, false} {
			if _, err := r.UpdateQueue(t.Context(), "q", func(q *task.Queue) error { q.Paused = paused; return nil }); err != nil {
				t.Fatal(err)
			}
			r.scheduleWebhook("q", "a", "h")
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
		r.run()
		synctest.Wait()
		r.wantState("q", "a", task.Completed)
	})
}

// What was handed to Schedule is stored as it was then, also if the caller gave
// up waiting and uses its buffer for something else.
func TestCallersBufferIsItsOwn(t *testing.T) {
	inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
		hold := make(chan struct{})
		var once sync.Once
		s.set(hooks{commit: func(store.Batch) error { once.Do(func() { <-hold }); return nil }})
		go r.schedule("q", "other", time.Hour)
		synctest.Wait()
		buffer := []byte("pay 10 to A")
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error)
		go func() {
			gaveUp <- r.Schedule(ctx, scheduler.ScheduleRequest{Spec: task.Spec{Queue: "q", Key: "a", Delay: time.Hour, Payload: buffer}}).Err
		}()
		synctest.Wait()
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("giving up: %v", err)
		}
		copy(buffer, "pay 99 to B")
		close(hold)
		synctest.Wait()
		got, err := r.Get(t.Context(), "q", "a")
		if err != nil || string(got.Body.Payload) != "pay 10 to A" {
			t.Errorf("stored %+v, %v", got, err)
		}
	})
}

// Close ends Run too, whatever order they were meant to come in.
func TestCloseWhileRunning(t *testing.T) {
	p := newPushes(func(context.Context, task.Lease) task.Outcome { time.Sleep(3 * time.Second); return success })
	bubble(t, scheduler.Options{Pusher: p}, func(t *testing.T, r *rig) {
		r.run()
		r.scheduleWebhook("q", "a", "h")
		time.Sleep(2 * time.Second)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Tasks that are taken back while they are ready leave nothing behind.
func TestCancelledReadyTasksLeaveNothing(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		for i := range 100 {
			r.schedule(fmt.Sprint("q", i), "a", 0)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for i := range 100 {
			if _, err := r.Cancel(t.Context(), fmt.Sprint("q", i), "a", 0); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if st := r.Stats(); st.Ready != 0 {
			t.Errorf("%d ready tasks are in memory after all were cancelled", st.Ready)
		}
	})
}
