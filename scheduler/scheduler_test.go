package scheduler_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// A waiting worker gets a task at its instant: not a nanosecond before, and in
// a bubble, where nothing takes time, not one after.
func TestFiresAtItsInstant(t *testing.T) {
	for _, delay := range []time.Duration{0, 1, time.Microsecond, time.Millisecond, time.Second, 30 * time.Minute, 48 * time.Hour, 400 * 24 * time.Hour} {
		t.Run(delay.String(), func(t *testing.T) {
			bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
				due := time.Now().Add(delay)
				r.schedule("orders", "42", delay)
				time.Sleep(delay - time.Minute)
				l := r.next("orders")
				if late := time.Since(due); late < 0 || late >= time.Microsecond {
					t.Errorf("fired %s after its instant, want [0, 1µs)", late)
				}
				if string(l.Task.Body.Payload) != "42" || l.Task.Attempt != 1 || l.Epoch == 0 {
					t.Errorf("lease %+v of task %+v", l, l.Task)
				}
			})
		})
	}
}

// One microsecond before its instant nothing is to be claimed; at it, it is.
func TestEdges(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.schedule("q", "a", time.Minute)
		time.Sleep(time.Minute - time.Nanosecond)
		synctest.Wait()
		if ls := r.claim("q", 1, 0); len(ls) != 0 {
			t.Fatalf("claimed %d tasks a nanosecond early", len(ls))
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		r.wantState("q", "a", task.Ready)
		r.claimOne("q", 0)
		r.wantState("q", "a", task.Leased)
	})
}

// A task scheduled earlier than what the wheel sleeps for wakes it.
func TestEarlierTaskWakes(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.schedule("q", "later", time.Hour)
		time.Sleep(time.Minute)
		r.schedule("q", "sooner", time.Second)
		if l := r.claimOne("q", 2*time.Second); l.Task.Key != "sooner" {
			t.Errorf("claimed %q", l.Task.Key)
		}
	})
}

func TestCompleteThenPurge(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.scheduleSpec(task.Spec{Queue: "q", Key: "a", Retention: time.Hour})
		r.mustSettle(r.claimOne("q", time.Second), success)
		r.wantState("q", "a", task.Completed)
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		r.wantState("q", "a", task.Completed)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		r.wantState("q", "a", 0)

		r.scheduleSpec(task.Spec{Queue: "q", Key: "b", Retention: -1})
		r.mustSettle(r.claimOne("q", time.Second), success)
		r.wantState("q", "b", 0)
	})
}

// Attempts fail, back off exponentially with jitter, end dead, and come back by
// redrive with attempt numbers that go on.
func TestRetriesDeadRedrive(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.scheduleSpec(task.Spec{Queue: "q", Key: "a", Retry: task.Retry{MaxAttempts: 3, MinBackoff: 10 * time.Second, MaxBackoff: 15 * time.Second}})
		for n, nominal := range []time.Duration{10 * time.Second, 15 * time.Second, 0} {
			l := r.next("q")
			if int(l.Task.Attempt) != n+1 {
				t.Errorf("attempt %d, want %d", l.Task.Attempt, n+1)
			}
			got := r.mustSettle(l, failure)
			if nominal == 0 {
				continue
			}
			wait := got.Next.Sub(got.Updated)
			if wait < nominal*8/10-time.Microsecond || wait > nominal*12/10 || got.State != task.Scheduled || got.LastError != "no luck" {
				t.Errorf("after failure %d: waits %s, nominal %s; %+v", n+1, wait, nominal, got)
			}
		}
		r.wantState("q", "a", task.Dead)
		time.Sleep(task.DeadRetention - time.Hour)
		synctest.Wait()
		r.wantState("q", "a", task.Dead)
		if _, err := r.Redrive(t.Context(), "q", "a"); err != nil {
			t.Fatal(err)
		}
		l := r.claimOne("q", time.Second)
		if l.Task.Attempt != 4 || l.Task.Failures != 0 {
			t.Errorf("after redrive: attempt %d with %d failures, want 4 with 0", l.Task.Attempt, l.Task.Failures)
		}
		if got := r.mustSettle(l, task.Outcome{Verdict: task.Refused, Error: "gone"}); got.State != task.Dead {
			t.Errorf("refused task is %s", got.State)
		}
		if _, err := r.Redrive(t.Context(), "q", "none"); !errors.Is(err, scheduler.ErrNotFound) {
			t.Errorf("redriving what is not there: %v", err)
		}
	})
}

// A lease that runs out gives the task to the next worker, with a higher
// attempt number; the first worker is refused from then on.
func TestLeaseRunsOut(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.scheduleSpec(task.Spec{Queue: "q", Key: "a", Timeout: 10 * time.Second})
		first := r.claimOne("q", time.Second)
		time.Sleep(9 * time.Second)
		if rs, err := r.Settle(t.Context(), []scheduler.Settlement{{Token: first.Token, Renew: 20 * time.Second}}); err != nil || rs[0].Err != nil {
			t.Fatal("renewing:", err, rs)
		}
		began := time.Now()
		second := r.next("q")
		if waited := time.Since(began); waited < 20*time.Second || waited > 20*time.Second+time.Millisecond {
			t.Errorf("the renewed lease ran out after %s, want 20s", waited)
		}
		if second.Task.Attempt != 2 || second.Task.Failures != 1 {
			t.Errorf("attempt %d with %d failures", second.Task.Attempt, second.Task.Failures)
		}
		if _, err := r.settle(first, success); !errors.Is(err, scheduler.ErrStaleLease) {
			t.Errorf("settling a stale lease: %v", err)
		}
		r.mustSettle(second, success)
		if _, err := r.settle(second, success); !errors.Is(err, scheduler.ErrStaleLease) {
			t.Errorf("settling twice: %v", err)
		}
	})
}

// Snoozed and released attempts count as none that failed.
func TestSnoozeAndRelease(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.scheduleSpec(task.Spec{Queue: "q", Key: "a", Retry: task.Retry{MaxAttempts: 1}})
		r.mustSettle(r.claimOne("q", time.Second), task.Outcome{Verdict: task.Snoozed, After: time.Minute})
		began := time.Now()
		l := r.next("q")
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("snoozed for %s, want 1m", waited)
		}
		r.mustSettle(l, task.Outcome{Verdict: task.Released})
		l = r.claimOne("q", time.Second)
		if l.Task.Attempt != 3 || l.Task.Failures != 0 {
			t.Errorf("attempt %d with %d failures, want 3 with 0", l.Task.Attempt, l.Task.Failures)
		}
	})
}

// What is cancelled with success never fires, whenever it was cancelled.
func TestCancel(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.schedule("q", "scheduled", time.Minute)
		r.schedule("q", "ready", 0)
		r.schedule("q", "other", 0)
		time.Sleep(time.Second)
		for _, key := range []string{"scheduled", "ready", "ready"} {
			if _, err := r.Cancel(t.Context(), "q", key, 0); err != nil {
				t.Errorf("cancelling %s: %v", key, err)
			}
		}
		l := r.claimOne("q", 0)
		if l.Task.Key != "other" {
			t.Errorf("claimed %q", l.Task.Key)
		}
		if _, err := r.Cancel(t.Context(), "q", "other", 0); !errors.Is(err, scheduler.ErrAlreadyClaimed) {
			t.Errorf("cancelling a claimed task: %v", err)
		}
		r.mustSettle(l, success)
		var st *scheduler.StateError
		if _, err := r.Cancel(t.Context(), "q", "other", 0); !errors.As(err, &st) || st.State != task.Completed {
			t.Errorf("cancelling a completed task: %v", err)
		}
		if _, err := r.Cancel(t.Context(), "q", "none", 0); !errors.Is(err, scheduler.ErrNotFound) {
			t.Errorf("cancelling nothing: %v", err)
		}
		if ls := r.claim("q", 10, scheduler.MaxWait); len(ls) > 0 {
			t.Errorf("a cancelled task fired: %+v", ls[0].Task)
		}
	})
}

// Scheduling a key again replaces its task, under the same id until an attempt
// has begun.
func TestReplace(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		first := r.schedule("q", "a", time.Hour)
		second := r.schedule("q", "a", time.Second)
		if second.ID != first.ID || second.Revision != 2 || second.Created != first.Created {
			t.Errorf("replaced %+v by %+v", first, second)
		}
		l := r.claimOne("q", 2*time.Second)
		third := r.schedule("q", "a", time.Second)
		if third.ID == first.ID || third.Revision <= l.Task.Revision || third.Attempt != 0 {
			t.Errorf("replaced a claimed task by %+v", third)
		}
		if _, err := r.settle(l, success); !errors.Is(err, scheduler.ErrStaleLease) {
			t.Errorf("settling a replaced attempt: %v", err)
		}
		if ls := r.claim("q", 10, scheduler.MaxWait); len(ls) != 1 || ls[0].Task.ID != third.ID {
			t.Errorf("claimed %d tasks after the replacement", len(ls))
		}
	})
}

func TestConditions(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		ask := func(key string, absent bool, revision uint64) error {
			return r.Schedule(t.Context(), scheduler.ScheduleRequest{
				Spec: task.Spec{Queue: "q", Key: key, Delay: time.Hour}, IfAbsent: absent, IfRevision: revision,
			}).Err
		}
		var rev *scheduler.RevisionError
		if err := ask("a", false, 3); !errors.As(err, &rev) || rev.Have != 0 {
			t.Errorf("expecting a revision of nothing: %v", err)
		}
		if err := ask("a", true, 0); err != nil {
			t.Error(err)
		}
		if err := ask("a", true, 0); !errors.Is(err, scheduler.ErrAlreadyExists) {
			t.Errorf("if absent: %v", err)
		}
		if err := ask("a", false, 1); err != nil {
			t.Error(err)
		}
		if err := ask("a", false, 1); !errors.As(err, &rev) || rev.Have != 2 {
			t.Errorf("old revision: %v", err)
		}
		if _, err := r.Cancel(t.Context(), "q", "a", 1); !errors.As(err, &rev) {
			t.Errorf("cancel at an old revision: %v", err)
		}
		r.wantState("q", "a", task.Scheduled)
	})
}

func TestUpdate(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.schedule("q", "a", time.Hour)
		delay, payload := time.Minute, []byte("new")
		got, err := r.Update(t.Context(), "q", "a", scheduler.Patch{Delay: &delay, Payload: &payload}, 1)
		if err != nil || got.Revision != 2 || got.Size != 3 {
			t.Fatalf("%+v, %v", got, err)
		}
		began := time.Now()
		l := r.next("q")
		if time.Since(began) != time.Minute || string(l.Task.Body.Payload) != "new" {
			t.Errorf("after %s with %q", time.Since(began), l.Task.Body.Payload)
		}
		if _, err := r.Update(t.Context(), "q", "a", scheduler.Patch{Delay: &delay}, 0); !errors.Is(err, scheduler.ErrAlreadyClaimed) {
			t.Errorf("changing a claimed task: %v", err)
		}
		r.schedule("q", "b", time.Hour)
		if _, err := r.RunNow(t.Context(), "q", "b"); err != nil {
			t.Error(err)
		}
		r.claimOne("q", time.Second)
	})
}

// Everything that waits survives a restart, whatever it waits for.
func TestReopen(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.schedule("q", "scheduled", time.Hour)
		r.schedule("q", "ready", 0)
		r.scheduleSpec(task.Spec{Queue: "leases", Key: "leased", Timeout: 30 * time.Minute})
		l := r.claimOne("leases", time.Second)
		time.Sleep(time.Second)
		r.reopen()
		if got := r.claimOne("q", 0); got.Task.Key != "ready" || got.Epoch <= l.Epoch {
			t.Errorf("claimed %q under epoch %d, earlier one %d", got.Task.Key, got.Epoch, l.Epoch)
		}
		time.Sleep(29 * time.Minute)
		r.mustSettle(l, success) // a worker's lease outlives the restart
		time.Sleep(31 * time.Minute)
		for _, want := range []string{"ready", "scheduled"} { // the first one's lease ran out meanwhile
			if l := r.claimOne("q", time.Second); l.Task.Key != want {
				t.Errorf("claimed %q, want %q", l.Task.Key, want)
			}
		}
	})
}

// The wall clock may be set forward and back: forward makes tasks due at once,
// back makes them wait again, and never is one early by the clock.
func TestClockSteps(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.schedule("q", "a", time.Hour)
		r.clock.Step(time.Hour)
		r.mustSettle(r.claimOne("q", time.Millisecond), success)
		r.schedule("q", "ready when the clock is set back", 0)
		synctest.Wait()

		r.schedule("q", "b", time.Minute)
		time.Sleep(30 * time.Second)
		r.clock.Step(-10 * time.Minute)
		r.schedule("q", "c", 5*time.Minute)
		began := time.Now()
		var keys []string
		for len(keys) < 3 {
			l := r.next("q")
			keys = append(keys, fmt.Sprintf("%s %s", l.Task.Key, time.Since(began)))
			r.mustSettle(l, success)
		}
		want := []string{"c 5m0s", "ready when the clock is set back 9m30s", "b 10m30s"}
		if !slices.Equal(keys, want) {
			t.Errorf("fired %q, want %q", keys, want)
		}
	})
}
