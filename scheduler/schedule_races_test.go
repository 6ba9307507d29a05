package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// reads is a troubled store that can hold up and fail the reads of schedules, too.
type reads struct {
	troubled
	hook atomic.Pointer[readHook]
}

// readHook is asked before the schedules are read. It may have them read under
// another context.
type readHook func(ctx context.Context) (context.Context, error)

func (s *reads) onRead(h readHook) { s.hook.Store(&h) }

func (s *reads) GetSchedules(ctx context.Context, shard int, refs []store.Ref) ([]*task.Schedule, error) {
	if h := s.hook.Load(); h != nil {
		var err error
		if ctx, err = (*h)(ctx); err != nil {
			return nil, err
		}
	}
	return s.troubled.GetSchedules(ctx, shard, refs)
}

// inReads runs f in a bubble with one shard, whose reads it can hook.
func inReads(t *testing.T, f func(t *testing.T, r *rig, s *reads)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &reads{troubled: troubled{Store: memstore.New(1)}}
		r := &rig{t: t, store: s, clock: &clock.Fake{}}
		r.open()
		defer func() { r.close() }()
		f(t, r, s)
	})
}

// holdPass holds the writer in a pass of its own until the returned function is
// called: what is asked for meanwhile goes into one pass after it. The reads of
// that pass and all later ones are asked of next, if it is not nil.
func (r *rig) holdPass(s *reads, next readHook) (release func()) {
	r.t.Helper()
	gate := make(chan struct{})
	var n atomic.Int64
	s.onRead(func(ctx context.Context) (context.Context, error) {
		switch {
		case n.Add(1) == 1:
			<-gate
		case next != nil:
			return next(ctx)
		}
		return ctx, nil
	})
	go func() { _ = r.PutSchedule(context.Background(), hourly("held")) }()
	synctest.Wait()
	return func() { close(gate) }
}

// trigger wants a task at once, and no error.
func (r *rig) trigger(key string) scheduler.Triggered {
	r.t.Helper()
	got, err := r.TriggerSchedule(r.t.Context(), "q", key)
	if err != nil || got.Fate != scheduler.FateFired || got.Task == nil {
		r.t.Fatalf("triggering %s: %+v, %v", key, got, err)
	}
	return got
}

func (r *rig) wantNoTrigger(key string) {
	r.t.Helper()
	if got, err := r.TriggerSchedule(r.t.Context(), "q", key); !errors.Is(err, scheduler.ErrOverlap) {
		r.t.Errorf("triggering %s: %+v, %v, want %v", key, got, err, scheduler.ErrOverlap)
	}
}

func (r *rig) pause(key string) {
	r.t.Helper()
	if _, err := r.PauseSchedule(r.t.Context(), "q", key); err != nil {
		r.t.Fatal(err)
	}
}

// A paused schedule's queue stands still: a trigger begins at once or is refused,
// and leaves nothing that waits for ever.
func TestTriggersWhilePaused(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapQueue)))
		r.pause("s")
		r.trigger("s")
		l := r.claimOne("q", 0)
		time.Sleep(time.Minute)
		r.wantNoTrigger("s")
		r.mustSettle(l, success)
		time.Sleep(48 * time.Hour)
		r.wantMade("s", "00:00 completed")
		if s := r.getSchedule("s"); len(s.Queued) > 0 || s.Triggered != 1 || s.Fired != 1 {
			t.Errorf("queued %v, triggered %d, fired %d", s.Queued, s.Triggered, s.Fired)
		}
		r.trigger("s")
		r.wantMade("s", "00:00 completed", "00:01 ready")
	})
}

// queuedAndPaused leaves a paused schedule of which 02:00 waits and nothing runs. It is
// 02:30.
func queuedAndPaused(r *rig) {
	r.t.Helper()
	r.put(hourly("s", overlap(task.OverlapQueue)))
	l := r.next("q")
	time.Sleep(time.Hour + 1)
	r.pause("s")
	r.mustSettle(l, success)
	time.Sleep(30 * time.Minute)
	r.wantMade("s", "01:00 completed")
}

// What was triggered while paused jumps what is queued, which begins when the
// schedule goes on and that is finished.
func TestATriggerJumpsAPausedQueue(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		queuedAndPaused(r)
		r.trigger("s")
		r.wantMade("s", "01:00 completed", "02:30 ready")
		l := r.claimOne("q", 0)
		if _, err := r.ResumeSchedule(t.Context(), "q", "s"); err != nil {
			t.Fatal(err)
		}
		r.wantMade("s", "01:00 completed", "02:30 leased")
		r.mustSettle(l, success)
		r.wantMade("s", "01:00 completed", "02:00 ready", "02:30 completed")
	})
}

// A trigger is refused or makes a task, never both, whatever the policy was when
// something was queued.
func TestARefusedTriggerMakesNothing(t *testing.T) {
	for _, policy := range []task.Overlap{task.OverlapSkip, task.OverlapQueue} {
		t.Run(policy.String(), func(t *testing.T) {
			bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
				queuedAndPaused(r)
				r.put(hourly("s", overlap(policy)))
				r.trigger("s")
				r.wantNoTrigger("s")
				r.wantMade("s", "01:00 completed", "02:30 ready")
				if s := r.getSchedule("s"); len(s.Queued) != 1 || s.Fired != 2 || s.Triggered != 1 {
					t.Errorf("queued %v, fired %d, triggered %d", s.Queued, s.Fired, s.Triggered)
				}
			})
		})
	}
}

// twice returns a hook that fails the first two times: a read, and the read of the
// one record by itself.
func twice() func() error {
	var n atomic.Int64
	return func() error {
		if n.Add(1) <= 2 {
			return errDisk
		}
		return nil
	}
}

// What is due when the disk can't be read is looked at again within a minute.
func TestOneReadError(t *testing.T) {
	inReads(t, func(t *testing.T, r *rig, s *reads) {
		r.put(hourly("s"))
		fail := twice()
		s.onRead(func(ctx context.Context) (context.Context, error) { return ctx, fail() })
		time.Sleep(time.Hour + time.Second)
		r.wantMade("s")
		time.Sleep(time.Minute)
		r.wantMade("s", "01:00 ready")
		r.schedule("q", "one-shot", 30*time.Minute)
		fail = twice()
		s.set(hooks{get: func([]store.Ref) error { return fail() }})
		time.Sleep(30*time.Minute + time.Second)
		s.set(hooks{})
		r.wantState("q", "one-shot", task.Scheduled)
		time.Sleep(time.Minute)
		r.wantState("q", "one-shot", task.Ready)
		time.Sleep(time.Hour)
		r.wantMade("s", "01:00 ready", "02:00 ready")
	})
}

// Two triggers are in the writer's hands when the scheduler is closed.
func TestCloseAmidTriggers(t *testing.T) {
	inReads(t, func(t *testing.T, r *rig, s *reads) {
		r.put(hourly("s"))
		var calls sync.WaitGroup
		release := r.holdPass(s, func(ctx context.Context) (context.Context, error) {
			calls.Go(func() {
				if err := r.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			<-ctx.Done()
			return context.WithoutCancel(ctx), nil // it was read in time
		})
		for range 2 {
			calls.Go(func() {
				if _, err := r.TriggerSchedule(context.Background(), "q", "s"); !errors.Is(err, scheduler.ErrClosed) {
					t.Errorf("triggering: %v", err)
				}
			})
		}
		synctest.Wait()
		release()
		calls.Wait()
	})
}

// A trigger begins to wait for a task in the very pass that finishes it; the task
// was made before the schedule had a queue.
func TestQueuedAndSettledInOnePass(t *testing.T) {
	inReads(t, func(t *testing.T, r *rig, s *reads) {
		r.put(hourly("s", overlap(task.OverlapAllow), times(1)))
		l := r.next("q")
		r.put(hourly("s", overlap(task.OverlapQueue), times(1)))
		release := r.holdPass(s, nil)
		var calls sync.WaitGroup
		calls.Go(func() {
			if got, err := r.TriggerSchedule(context.Background(), "q", "s"); err != nil || got.Fate != scheduler.FateQueued {
				t.Errorf("triggered %+v, %v", got, err)
			}
		})
		synctest.Wait()
		calls.Go(func() { r.mustSettle(l, success) })
		synctest.Wait()
		release()
		calls.Wait()
		r.wantMade("s", "01:00 completed", "01:00 ready")
		if s := r.getSchedule("s"); len(s.Queued) > 0 {
			t.Errorf("%v waits for ever", s.Queued)
		}
	})
}

// keyElsewhere returns a key of q in another of two shards than that of a key.
func keyElsewhere(key string) string {
	for i := 0; ; i++ {
		if k := fmt.Sprint("k", i); task.Shard("q", k, 2) != task.Shard("q", key, 2) {
			return k
		}
	}
}

// An attempt is handed out, and replaced while the other shard's disk keeps its
// handler from beginning it.
func TestRevokedBeforeItBegan(t *testing.T) {
	inTrouble(t, 2, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
		other := keyElsewhere("s")
		r.put(every("s", time.Minute, overlap(task.OverlapReplace)))
		r.schedule("q", other, 0)
		time.Sleep(time.Minute + time.Second)
		gate := make(chan struct{})
		s.set(hooks{get: func(refs []store.Ref) error {
			if refs[0].Key == other {
				<-gate
			}
			return nil
		}})
		var begun, running atomic.Int64
		r.Handle("q", func(ctx context.Context, tk *task.Task) error {
			if tk.Key != other {
				begun.Add(1)
				running.Add(1)
				defer running.Add(-1)
				<-ctx.Done()
			}
			return nil
		}, scheduler.HandleOptions{})
		r.run()
		synctest.Wait()
		r.wantState("q", "s@2000-01-01T00:01:00Z", task.Leased)
		time.Sleep(time.Minute)
		r.wantState("q", "s@2000-01-01T00:01:00Z", task.Cancelled)
		close(gate)
		time.Sleep(time.Second)
		if begun.Load() != 2 || running.Load() != 1 {
			t.Errorf("%d attempts began, %d run side by side", begun.Load(), running.Load())
		}
	})
}

// A commit fails while schedules are worked out anew with new zone data: none
// keeps the old.
func TestNewZoneDataInTrouble(t *testing.T) {
	inOldZones(t, 9*time.Hour, func(t *testing.T, r *rig, s *troubled) {
		for i := range 8 {
			r.put(atNoon(fmt.Sprint("s", i)))
		}
		r.close()
		fail := first()
		s.set(hooks{commit: func(store.Batch) error { return fail() }})
		r.open()
		time.Sleep(time.Minute)
		for i := range 8 {
			if s := r.getSchedule(fmt.Sprint("s", i)); s.Zones != recurrence.ZoneVersion() || s.Cursor.Time().Hour() != 4 {
				t.Errorf("%s goes on at %s by zones of %s", s.Key, s.Cursor.Time(), s.Zones)
			}
		}
	})
}

// Nobody waits for the answer: nothing is worked out, not even what is wrong.
func TestPuttingForACallerWhoIsGone(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		never := hourly("s")
		never.Rule = recurrence.Spec{Cron: []string{"0 9 * * mon"}, Exclude: []string{"mon"}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got, err := r.PutSchedules(ctx, []scheduler.PutScheduleRequest{never, never})
		if !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("put %v, %v", got, err)
		}
	})
}

// TestWhatComesInPlaceOfTheLastOfALaneIsFound: a lane's last ready task is
// cancelled, and the occurrence that waited for it becomes ready in the same pass.
func TestWhatComesInPlaceOfTheLastOfALaneIsFound(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapQueue)))
		r.sleep(2*time.Hour + time.Minute)
		if _, err := r.Cancel(t.Context(), "q", "s@2000-01-01T01:00:00Z", 0); err != nil {
			t.Fatal(err)
		}
		if l := r.claimOne("q", 0); l.Task.Key != "s@2000-01-01T02:00:00Z" {
			t.Errorf("claimed %s", l.Task.Key)
		}
	})
}
