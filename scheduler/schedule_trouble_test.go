package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

func overlap(o task.Overlap) func(*scheduler.PutScheduleRequest) {
	return func(r *scheduler.PutScheduleRequest) {
		r.Plan.Overlap = o
		r.Plan.Task.Timeout = task.MaxTimeout
	}
}

func times(n uint64) func(*scheduler.PutScheduleRequest) {
	return func(r *scheduler.PutScheduleRequest) { r.Plan.Times = n }
}

// down closes the scheduler for a while.
func (r *rig) down(d time.Duration) {
	r.t.Helper()
	r.close()
	time.Sleep(d)
	r.open()
}

// Occurrences that replace one another in one pass: the workers that wait get
// the last of them.
func TestReplacedInTheSamePass(t *testing.T) {
	inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, _ *troubled) {
		for i := range 4 {
			r.put(hourly(fmt.Sprint("s", i), overlap(task.OverlapReplace), func(r *scheduler.PutScheduleRequest) {
				r.Plan.Misfire.Policy = task.MisfireAll
			}))
		}
		var workers sync.WaitGroup
		for range 4 {
			workers.Go(func() {
				if l := r.claimOne("q", scheduler.MaxWait); l.Task.Occurrence.Time().Hour() != 4 {
					t.Errorf("claimed %s", l.Task.Key)
				}
			})
		}
		synctest.Wait()
		r.clock.Step(4*time.Hour + 30*time.Minute)
		workers.Wait()
		for i := range 4 {
			r.wantMade(fmt.Sprint("s", i), "01:00 cancelled", "02:00 cancelled", "03:00 cancelled", "04:00 leased")
		}
	})
}

// A retry that is due at the instant of the occurrence that replaces it is not
// handed out.
func TestReplacedAsItsRetryIsDue(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapReplace)))
		l := r.next("q")
		r.mustSettle(l, task.Outcome{Verdict: task.Snoozed, After: time.Hour})
		if l := r.next("q"); l.Task.Key != "s@2000-01-01T02:00:00Z" {
			t.Errorf("claimed %s", l.Task.Key)
		}
		r.wantMade("s", "01:00 cancelled", "02:00 leased")
	})
}

// A task that was made under another overlap policy is waited for too.
func TestQueueBehindATaskOfBefore(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapAllow), times(2)))
		l := r.next("q")
		r.put(hourly("s", overlap(task.OverlapQueue), times(2)))
		time.Sleep(time.Hour + 1)
		r.wantMade("s", "01:00 leased")
		r.reopen()
		r.mustSettle(l, success)
		r.wantMade("s", "01:00 completed", "02:00 ready")
	})
}

// Somebody used the key of a queued occurrence: it is taken for it, and the one
// after has its turn.
func TestQueueGoesOnOverATakenKey(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapQueue), times(3)))
		l := r.next("q")
		r.scheduleSpec(task.Spec{Queue: "q", Key: "s@2000-01-01T02:00:00Z", Retention: time.Hour * 100})
		r.mustSettle(r.next("q"), success)
		time.Sleep(2 * time.Hour)
		r.mustSettle(l, success)
		r.wantMade("s", "01:00 completed", "00:00 completed", "03:00 ready")
	})
}

// Triggers that come at one instant are occurrences of their own.
func TestQueuedTriggersAtOneInstant(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapQueue)))
		seen := make(map[task.Instant]bool)
		for range 4 {
			got, err := r.TriggerSchedule(t.Context(), "q", "s")
			if err != nil || seen[got.At] {
				t.Errorf("triggered %+v, %v", got, err)
			}
			seen[got.At] = true
		}
		for range 4 {
			r.mustSettle(r.claimOne("q", 0), success)
		}
	})
}

// One damaged occurrence stops no other schedule, and no task.
func TestDamagedOccurrence(t *testing.T) {
	for _, o := range []task.Overlap{task.OverlapAllow, task.OverlapSkip, task.OverlapQueue, task.OverlapReplace} {
		t.Run(o.String(), func(t *testing.T) {
			inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
				r.put(hourly("bad", overlap(o)))
				r.put(hourly("good"))
				time.Sleep(time.Hour + 1)
				bad := store.Ref{Queue: "q", Key: "bad@2000-01-01T01:00:00Z"}
				s.set(hooks{get: func(refs []store.Ref) error {
					if slices.Contains(refs, bad) {
						return task.ErrCorrupt
					}
					return nil
				}})
				time.Sleep(time.Hour)
				r.wantState("q", "good@2000-01-01T02:00:00Z", task.Ready)
				if _, err := r.TriggerSchedule(t.Context(), "q", "bad"); o == task.OverlapAllow && err != nil {
					t.Errorf("triggering: %v", err)
				}
				r.schedule("q", "more", 0)
				time.Sleep(time.Second)
				r.wantState("q", "more", task.Ready)
			})
		})
	}
}

// Skipped occurrences are none that became tasks.
func TestSkippedOnesDoNotCountAsFired(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", overlap(task.OverlapSkip), times(2)))
		l := r.next("q")
		time.Sleep(3*time.Hour + 1)
		r.mustSettle(l, success)
		time.Sleep(time.Hour)
		r.wantMade("s", "01:00 completed", "05:00 ready")
		if s := r.getSchedule("s"); s.Fired != 2 || s.Skipped != 3 || !s.Finished() {
			t.Errorf("fired %d, skipped %d, goes on at %s", s.Fired, s.Skipped, s.Cursor.Time())
		}
	})
}

// A pause that ends before an occurrence is due, with its jitter, takes nothing
// away.
func TestPauseWithinJitter(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		jittery := func(key string) scheduler.PutScheduleRequest {
			return hourly(key, func(r *scheduler.PutScheduleRequest) { r.Plan.Jitter = time.Hour })
		}
		for i := range 20 {
			r.put(jittery(fmt.Sprint("s", i)))
		}
		time.Sleep(61 * time.Minute)
		late := 0
		for i := range 20 {
			key := fmt.Sprint("s", i)
			if before := r.getSchedule(key); before.Cursor.Time().Hour() == 1 && before.Due > task.FloorInstant(r.clock.Now()) {
				late++
				if _, err := r.PauseSchedule(t.Context(), "q", key); err != nil {
					t.Fatal(err)
				}
				if after, err := r.ResumeSchedule(t.Context(), "q", key); err != nil || after.Cursor != before.Cursor {
					t.Errorf("goes on at %s, due %s, was %s: %v", after.Cursor.Time(), after.Due.Time(), before.Cursor.Time(), err)
				}
				paused := new(bool)
				*paused = true
				req := jittery(key)
				req.Paused = paused
				r.put(req)
				*paused = false
				if after := r.put(req); after.Cursor != before.Cursor {
					t.Errorf("goes on at %s, was %s", after.Cursor.Time(), before.Cursor.Time())
				}
			}
		}
		if late == 0 {
			t.Error("none was late enough")
		}
	})
}

// A window bounds lateness; jitter is none.
func TestJitterBeyondTheWindow(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		for i := range 20 {
			r.put(hourly(fmt.Sprint("s", i), func(r *scheduler.PutScheduleRequest) {
				r.Plan.Jitter = time.Hour
				r.Plan.Misfire.Window = time.Second
			}))
		}
		time.Sleep(2 * time.Hour)
		for i := range 20 {
			r.wantMade(fmt.Sprint("s", i), "01:00 ready")
		}
	})
}

// While the disk fails, before or after commits take effect, nothing of a
// schedule is lost or doubled.
func TestOccurrencesOnAFailingDisk(t *testing.T) {
	for _, tookEffect := range []bool{false, true} {
		t.Run(fmt.Sprint("took effect: ", tookEffect), func(t *testing.T) {
			inTrouble(t, 2, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
				for i := range 20 {
					r.put(hourly(fmt.Sprint("s", i)))
				}
				var n atomic.Int64
				fail := func(store.Batch) error {
					if n.Add(1)%3 != 0 {
						return errDisk
					}
					return nil
				}
				if tookEffect {
					s.set(hooks{committed: fail})
				} else {
					s.set(hooks{commit: fail})
				}
				time.Sleep(3*time.Hour + time.Minute)
				s.set(hooks{})
				for i := range 20 {
					r.wantMade(fmt.Sprint("s", i), "01:00 ready", "02:00 ready", "03:00 ready")
				}
			})
		})
	}
}

// Nothing is made of plans without bounds: 300 of a megabyte each that fall due
// at one instant go to the store in bounded batches.
func TestLargePlansDueAtOnce(t *testing.T) {
	const size = 1 << 20
	for name, policy := range map[string]task.MisfirePolicy{"on time": task.MisfireOnce, "caught up": task.MisfireAll} {
		t.Run(name, func(t *testing.T) {
			inTrouble(t, 2, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
				n, hours := 300, 1
				if policy == task.MisfireAll {
					n, hours = 10, 30
				}
				for i := range n {
					r.put(hourly(fmt.Sprint("s", i), func(r *scheduler.PutScheduleRequest) {
						r.Plan.Misfire.Policy = policy
						r.Plan.Task.Payload = make([]byte, size)
					}))
				}
				var most atomic.Int64
				s.set(hooks{commit: func(b store.Batch) error {
					var sum int64
					for _, w := range b.Writes {
						if w.Task != nil && w.Task.Body != nil {
							sum += int64(len(w.Task.Body.Payload))
						}
					}
					most.Store(max(most.Load(), sum))
					return nil
				}})
				if policy == task.MisfireAll {
					r.down(time.Duration(hours) * time.Hour)
				} else {
					time.Sleep(time.Duration(hours) * time.Hour)
				}
				time.Sleep(30 * time.Second)
				info, err := r.Queue(t.Context(), "q")
				if err != nil || info.Counts[task.Ready] != int64(n*hours) {
					t.Errorf("counts %v, %v; want %d", info.Counts, err, n*hours)
				}
				if most.Load() > 8*size {
					t.Errorf("a batch of %d MiB", most.Load()>>20)
				}
			})
		})
	}
}

// replaced runs a schedule with OverlapReplace whose attempts end when their
// context does, and counts why.
func replaced(t *testing.T, r *rig, req scheduler.PutScheduleRequest, ends *causes) {
	t.Helper()
	r.run()
	r.put(req)
	time.Sleep(3*time.Hour + time.Minute)
	synctest.Wait()
	if n := ends.count(); n != 2 {
		t.Errorf("%d of the 2 attempts that were replaced were cancelled", n)
	}
	r.wantMade("s", "01:00 cancelled", "02:00 cancelled", "03:00 leased")
	if st := r.Stats(); st.Pushing > 1 {
		t.Errorf("%d pushes run", st.Pushing)
	}
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	if len(r.log.settled) > 0 || len(r.log.troubles) > 0 {
		t.Errorf("settled %v, troubles %v", r.log.settled, r.log.troubles)
	}
}

// causes collects why contexts ended.
type causes struct {
	mu  sync.Mutex
	all []error // guarded by mu
}

func (c *causes) await(ctx context.Context) error {
	<-ctx.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, context.Cause(ctx))
	return context.Cause(ctx)
}

func (c *causes) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// What runs for an occurrence is cancelled when a later one takes its place,
// and whatever comes of it is dropped.
func TestReplacedHandler(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		var ends causes
		r.Handle("q", func(ctx context.Context, _ *task.Task) error {
			_ = ends.await(ctx)
			return nil // as if it had succeeded
		}, scheduler.HandleOptions{})
		replaced(t, r, hourly("s", overlap(task.OverlapReplace)), &ends)
	})
}

func TestReplacedPush(t *testing.T) {
	var ends causes
	p := newPushes(func(ctx context.Context, _ task.Lease) task.Outcome {
		return task.Outcome{Verdict: task.Failed, Error: ends.await(ctx).Error()}
	})
	bubble(t, scheduler.Options{Pusher: p}, func(t *testing.T, r *rig) {
		replaced(t, r, hourly("s", overlap(task.OverlapReplace), func(r *scheduler.PutScheduleRequest) {
			r.Plan.Task.Webhook = &task.Webhook{URL: "http://h/"}
		}), &ends)
	})
}

// every is a schedule of queue q with an interval.
func every(key string, d time.Duration, change ...func(*scheduler.PutScheduleRequest)) scheduler.PutScheduleRequest {
	r := hourly(key, change...)
	r.Rule = recurrence.Spec{Every: d}
	return r
}

// After a century each policy has its answer in a bounded number of steps.
func TestACenturyOfSeconds(t *testing.T) {
	bubble(t, scheduler.Options{CatchUpRate: 1_000_000}, func(t *testing.T, r *rig) {
		for i, name := range task.MisfirePolicies {
			r.put(every(name, time.Second, func(r *scheduler.PutScheduleRequest) {
				r.Plan.Misfire = task.Misfire{Policy: task.MisfirePolicy(i)}
				if name == "all" {
					r.Plan.Misfire.Limit = 300
				}
				r.Plan.Task.Retention = task.MaxRetention
			}))
		}
		r.close()
		r.clock.Step(100 * 365 * 24 * time.Hour)
		r.open()
		time.Sleep(time.Millisecond)
		for name, want := range map[string]int{"once": 1, "last": 1, "skip": 1, "all": 300} {
			s := r.getSchedule(name)
			if n := len(r.made(name)); n != want || s.Missed == 0 || s.Next <= task.FloorInstant(r.clock.Now()) {
				t.Errorf("%s: %d tasks, want %d; %d missed, goes on at %s", name, n, want, s.Missed, s.Next.Time())
			}
		}
	})
}

func TestTimesAtTheirBounds(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		for _, n := range []uint64{math.MaxUint64, math.MaxInt64 + 1, 3} {
			r.put(hourly("s", times(n)))
			o, err := r.Occurrences(t.Context(), scheduler.OccurrencesRequest{Queue: "q", Key: "s", Coming: 3})
			if err != nil || len(o.Coming) != 3 {
				t.Errorf("of %d times come %v, %v", n, o.Coming, err)
			}
		}
		time.Sleep(2*time.Hour + 1)
		for _, n := range []uint64{1, 2} { // there were as many already
			if s := r.put(hourly("s", times(n))); !s.Finished() || s.Next != 0 {
				t.Errorf("%d times: goes on at %s", n, s.Cursor.Time())
			}
			time.Sleep(2 * time.Hour)
		}
		if s := r.put(hourly("s", times(math.MaxUint64))); s.Cursor.Time().Hour() != 7 {
			t.Errorf("goes on at %s", s.Cursor.Time())
		}
		time.Sleep(time.Hour)
		r.wantMade("s", "01:00 ready", "02:00 ready", "07:00 ready")
	})
}

// One-shots and the end of time: schedules finish, and stay to be looked at.
func TestTheLastOccurrence(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		once := hourly("once")
		once.Rule = recurrence.Spec{At: []time.Time{r.clock.Now().Add(time.Hour)}}
		r.put(once)
		end := hourly("end")
		end.Rule = recurrence.Spec{Cron: []string{"59 59 23 31 12 * 9999"}}
		end.Plan.Jitter = task.MaxJitter
		if s := r.put(end); s.Due != task.MaxInstant {
			t.Errorf("due at %s", s.Due.Time())
		}
		time.Sleep(time.Hour + 1)
		r.reopen()
		r.wantMade("once", "01:00 ready")
		if s := r.getSchedule("once"); !s.Finished() || s.Fired != 1 {
			t.Errorf("%+v", s.Schedule)
		}
		if again := r.put(once); !again.Finished() {
			t.Errorf("goes on at %s", again.Cursor.Time())
		}
	})
}

// While what was missed comes back slowly, what is on time in another queue is on
// time.
func TestCatchingUpDelaysNobody(t *testing.T) {
	bubble(t, scheduler.Options{CatchUpRate: 50, Window: 512}, func(t *testing.T, r *rig) {
		for i := range 1000 {
			r.put(hourly(fmt.Sprint("s", i), func(r *scheduler.PutScheduleRequest) { r.Plan.Misfire.Policy = task.MisfireAll }))
		}
		r.down(3*time.Hour + 30*time.Minute)
		other := every("polls", time.Second)
		other.Queue = "other"
		r.put(other)
		for i := range 70 {
			l := r.next("other")
			r.mustSettle(l, success)
			if now := task.FloorInstant(r.clock.Now()); now != l.Task.Due {
				t.Fatalf("the poll due at %s came at %s", l.Task.Due.Time(), now.Time())
			}
			if i == 20 {
				r.reopen()
			}
		}
		for i := range 1000 {
			if n := len(r.made(fmt.Sprint("s", i))); n > 0 && n != 3 {
				t.Errorf("s%d came back %d times", i, n)
			}
		}
	})
}

// The queue of a schedule goes on though the store was in trouble when the task
// before was settled.
func TestQueuedOccurrenceBeginsAfterTrouble(t *testing.T) {
	inTrouble(t, 1, scheduler.Options{}, func(t *testing.T, r *rig, s *troubled) {
		r.put(hourly("s", overlap(task.OverlapQueue), times(2)))
		l := r.next("q")
		time.Sleep(time.Hour + 1)
		fail := first()
		s.set(hooks{commit: func(store.Batch) error { return fail() }})
		if _, err := r.TriggerSchedule(t.Context(), "q", "s"); !errors.Is(err, errDisk) {
			t.Fatal(err)
		}
		r.mustSettle(l, success)
		time.Sleep(time.Second)
		r.wantMade("s", "01:00 completed", "02:00 ready")
	})
}
