package scheduler_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// The clock of a bubble begins at midnight UTC of 2000-01-01, a Saturday.

// hourly is a schedule of queue q whose occurrences are due on the hour.
func hourly(key string, change ...func(*scheduler.PutScheduleRequest)) scheduler.PutScheduleRequest {
	r := scheduler.PutScheduleRequest{
		Queue: "q", Key: key,
		Rule: recurrence.Spec{Cron: []string{"0 * * * *"}},
		Plan: task.Plan{Task: task.Spec{Payload: []byte(key), Retention: 1000 * time.Hour}},
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func (r *rig) put(req scheduler.PutScheduleRequest) *scheduler.ScheduleInfo {
	r.t.Helper()
	res := r.PutSchedule(r.t.Context(), req)
	if res.Err != nil {
		r.t.Fatalf("PutSchedule %s/%s: %v", req.Queue, req.Key, res.Err)
	}
	return res.Schedule
}

func (r *rig) getSchedule(key string) *scheduler.ScheduleInfo {
	r.t.Helper()
	s, err := r.GetSchedule(r.t.Context(), "q", key)
	if err != nil {
		r.t.Fatalf("GetSchedule %s: %v", key, err)
	}
	return s
}

// made lists the occurrences of a schedule that are tasks, oldest first, as
// "15:04 state", with "+n" for the missed ones that it stands for.
func (r *rig) made(key string) []string {
	r.t.Helper()
	o, err := r.Occurrences(r.t.Context(), scheduler.OccurrencesRequest{Queue: "q", Key: key, Past: 1000})
	if err != nil {
		r.t.Fatalf("Occurrences of %s: %v", key, err)
	}
	var list []string
	for _, t := range slices.Backward(o.Past) {
		text := t.Occurrence.Time().Format("15:04") + " " + t.State.String()
		if t.Missed > 0 {
			text += fmt.Sprintf(" +%d", t.Missed)
		}
		list = append(list, text)
	}
	return list
}

func (r *rig) wantMade(key string, want ...string) {
	r.t.Helper()
	if got := r.made(key); !slices.Equal(got, want) {
		r.t.Errorf("occurrences of %s:\n got %q\nwant %q", key, got, want)
	}
}

func TestEachOccurrenceBecomesOneTask(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("report"))
		r.sleep(30 * time.Minute)
		r.wantMade("report")
		for range 3 {
			r.sleep(time.Hour)
			r.reopen()
		}
		r.wantMade("report", "01:00 ready", "02:00 ready", "03:00 ready")
		l := r.claimOne("q", 0)
		if want := "report@2000-01-01T01:00:00Z"; l.Task.Key != want || string(l.Task.Body.Payload) != "report" {
			t.Errorf("claimed %s with %q, want %s", l.Task.Key, l.Task.Body.Payload, want)
		}
		if s := r.getSchedule("report"); s.Fired != 3 || s.Cursor.Time().Hour() != 4 || s.Due != s.Cursor {
			t.Errorf("fired %d, the next is at %s, due %s", s.Fired, s.Cursor.Time(), s.Due.Time())
		}
	})
}

// TestAWaitingWorkerGetsAnOccurrenceOnTime: by one commit, at the very instant.
func TestAWaitingWorkerGetsAnOccurrenceOnTime(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("report"))
		l := r.next("q")
		if now := r.clock.Now(); now.Hour() != 1 || now.Minute() != 0 || now.Nanosecond() != 0 {
			t.Errorf("claimed at %s", now)
		}
		if l.Task.Attempt != 1 || l.Task.Occurrence != l.Task.Due {
			t.Errorf("claimed %+v", l.Task)
		}
	})
}

// TestMisfirePolicies: the scheduler is down from 00:30 on.
func TestMisfirePolicies(t *testing.T) {
	policy := func(m task.Misfire) func(*scheduler.PutScheduleRequest) {
		return func(r *scheduler.PutScheduleRequest) { r.Plan.Misfire = m }
	}
	for _, tc := range []struct {
		name   string
		m      task.Misfire
		back   string // when the scheduler is back
		want   string // made by then
		missed uint64
	}{
		{"once", task.Misfire{}, "4h30m", "01:00 ready +3", 3},
		{"once, back on the hour", task.Misfire{}, "4h0m20s", "01:00 ready +3", 3},
		{"once, one missed", task.Misfire{}, "1h30m", "01:00 ready", 0},
		{"once, late within grace", task.Misfire{}, "1h1m", "01:00 ready", 0},
		{"once, none missed", task.Misfire{}, "59m", "", 0},
		{"last", task.Misfire{Policy: task.MisfireLast}, "4h30m", "04:00 ready +3", 3},
		{"last, back on the hour", task.Misfire{Policy: task.MisfireLast}, "4h0m20s", "04:00 ready +3", 3},
		{"all", task.Misfire{Policy: task.MisfireAll}, "4h30m", "01:00 ready, 02:00 ready, 03:00 ready, 04:00 ready", 0},
		{"all, newest two", task.Misfire{Policy: task.MisfireAll, Limit: 2}, "4h30m", "03:00 ready, 04:00 ready", 2},
		{"all, as many as there are", task.Misfire{Policy: task.MisfireAll, Limit: 4}, "4h30m", "01:00 ready, 02:00 ready, 03:00 ready, 04:00 ready", 0},
		{"all, in a window", task.Misfire{Policy: task.MisfireAll, Window: 2 * time.Hour}, "4h30m", "03:00 ready, 04:00 ready", 2},
		{"once, in a window", task.Misfire{Window: 2 * time.Hour}, "4h30m", "03:00 ready +1", 3},
		{"once, all older than the window", task.Misfire{Window: 10 * time.Minute}, "4h30m", "", 4},
		{"skip", task.Misfire{Policy: task.MisfireSkip}, "4h30m", "", 4},
		{"skip, back within grace of one", task.Misfire{Policy: task.MisfireSkip}, "4h1m", "04:00 ready", 3},
		{"skip, back just after grace", task.Misfire{Policy: task.MisfireSkip}, "4h1m1us", "", 4},
		{"skip, with a longer grace", task.Misfire{Policy: task.MisfireSkip, Grace: 31 * time.Minute}, "4h30m", "04:00 ready", 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
				r.put(hourly("s", policy(tc.m)))
				r.close()
				back, err := time.ParseDuration(tc.back)
				if err != nil {
					t.Fatal(err)
				}
				r.sleep(back)
				r.open()
				r.sleep(time.Microsecond)
				if got := strings.Join(r.made("s"), ", "); got != tc.want {
					t.Errorf("made %q, want %q", got, tc.want)
				}
				if s := r.getSchedule("s"); s.Missed != tc.missed || s.Cursor <= task.FloorInstant(r.clock.Now()) {
					t.Errorf("%d missed, want %d; next at %s", s.Missed, tc.missed, s.Cursor.Time())
				}
			})
		})
	}
}

func TestOverlapPolicies(t *testing.T) {
	with := func(o task.Overlap) func(*scheduler.PutScheduleRequest) {
		return func(r *scheduler.PutScheduleRequest) {
			r.Plan.Overlap = o
			r.Plan.Task.Timeout = 10 * time.Hour
		}
	}
	t.Run("allow", func(t *testing.T) {
		bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
			r.put(hourly("s", with(task.OverlapAllow)))
			r.next("q")
			r.sleep(2*time.Hour + 1)
			r.wantMade("s", "01:00 leased", "02:00 ready", "03:00 ready")
		})
	})
	t.Run("skip", func(t *testing.T) {
		bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
			r.put(hourly("s", with(task.OverlapSkip)))
			l := r.next("q")
			r.sleep(2*time.Hour + 1)
			r.wantMade("s", "01:00 leased")
			r.mustSettle(l, success)
			r.sleep(time.Hour)
			r.wantMade("s", "01:00 completed", "04:00 ready")
			if s := r.getSchedule("s"); s.Skipped != 2 || s.Fired != 2 {
				t.Errorf("skipped %d, fired %d", s.Skipped, s.Fired)
			}
		})
	})
	t.Run("queue", func(t *testing.T) {
		bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
			r.put(hourly("s", with(task.OverlapQueue), func(r *scheduler.PutScheduleRequest) { r.Plan.QueueLimit = 2 }))
			l := r.next("q")
			r.sleep(3*time.Hour + 1)
			r.wantMade("s", "01:00 leased")
			if s := r.getSchedule("s"); len(s.Queued) != 2 || s.Skipped != 1 {
				t.Errorf("queued %v, skipped %d", s.Queued, s.Skipped)
			}
			r.mustSettle(l, success)
			r.wantMade("s", "01:00 completed", "02:00 ready")
			r.reopen()
			r.mustSettle(r.next("q"), success)
			r.wantMade("s", "01:00 completed", "02:00 completed", "03:00 ready")
			if _, err := r.Cancel(t.Context(), "q", "s@2000-01-01T03:00:00Z", 0); err != nil {
				t.Fatal(err)
			}
			r.sleep(time.Hour)
			r.wantMade("s", "01:00 completed", "02:00 completed", "03:00 cancelled", "05:00 ready")
		})
	})
	t.Run("replace", func(t *testing.T) {
		bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
			r.put(hourly("s", with(task.OverlapReplace)))
			l := r.next("q")
			r.sleep(2*time.Hour + 1)
			r.wantMade("s", "01:00 cancelled", "02:00 cancelled", "03:00 ready")
			if _, err := r.settle(l, success); !errors.Is(err, scheduler.ErrStaleLease) {
				t.Errorf("settling a replaced attempt: %v", err)
			}
		})
	})
}

// TestWhatWaitsStaysWhenThePolicyChanges: it begins in its turn, whatever the policy
// says of those that come after it.
func TestWhatWaitsStaysWhenThePolicyChanges(t *testing.T) {
	for _, policy := range []task.Overlap{task.OverlapAllow, task.OverlapSkip, task.OverlapReplace} {
		t.Run(policy.String(), func(t *testing.T) {
			bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
				long := func(o task.Overlap) func(*scheduler.PutScheduleRequest) {
					return func(r *scheduler.PutScheduleRequest) {
						r.Plan.Overlap, r.Plan.Task.Timeout = o, 10*time.Hour
					}
				}
				r.put(hourly("s", long(task.OverlapQueue)))
				l := r.next("q")
				r.sleep(2*time.Hour + 1)
				if s := r.put(hourly("s", long(policy))); len(s.Queued) != 2 || s.Fired != 1 {
					t.Errorf("queued %v, fired %d", s.Queued, s.Fired)
				}
				r.mustSettle(l, success)
				r.wantMade("s", "01:00 completed", "02:00 ready")
				r.mustSettle(r.next("q"), success)
				r.wantMade("s", "01:00 completed", "02:00 completed", "03:00 ready")
				if s := r.getSchedule("s"); s.Fired != 3 || s.Skipped != 0 || len(s.Queued) > 0 {
					t.Errorf("fired %d, skipped %d, queued %v", s.Fired, s.Skipped, s.Queued)
				}
			})
		})
	}
}

// TestSomebodysOwnTaskTakesAnOccurrence: scheduled under its key before it comes, it
// stays what it is, and holds nothing up.
func TestSomebodysOwnTaskTakesAnOccurrence(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", func(r *scheduler.PutScheduleRequest) { r.Plan.Overlap = task.OverlapSkip }))
		r.schedule("q", "s@2000-01-01T01:00:00Z", 10*time.Hour)
		r.sleep(2*time.Hour + time.Minute)
		r.wantState("q", "s@2000-01-01T01:00:00Z", task.Scheduled)
		r.wantState("q", "s@2000-01-01T02:00:00Z", task.Ready)
	})
}

func TestTimesEndASchedule(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", func(r *scheduler.PutScheduleRequest) { r.Plan.Times = 2 }))
		r.sleep(5 * time.Hour)
		r.wantMade("s", "01:00 ready", "02:00 ready")
		if s := r.getSchedule("s"); !s.Finished() || s.Fired != 2 {
			t.Errorf("fired %d, next %s", s.Fired, s.Cursor.Time())
		}
		r.put(hourly("s", func(r *scheduler.PutScheduleRequest) { r.Plan.Times = 3 }))
		r.sleep(5 * time.Hour)
		r.wantMade("s", "01:00 ready", "02:00 ready", "06:00 ready")
	})
}

func TestPauseAndResume(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s"))
		r.sleep(90 * time.Minute)
		if s, err := r.PauseSchedule(t.Context(), "q", "s"); err != nil || !s.Paused {
			t.Fatal(s, err)
		}
		r.sleep(2 * time.Hour)
		r.reopen()
		if _, err := r.ResumeSchedule(t.Context(), "q", "s"); err != nil {
			t.Fatal(err)
		}
		r.sleep(time.Hour)
		r.wantMade("s", "01:00 ready", "04:00 ready")
	})
}

func TestTriggerIsBesideTheRecurrence(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(hourly("s", func(r *scheduler.PutScheduleRequest) { r.Plan.Overlap = task.OverlapSkip }))
		r.sleep(10 * time.Minute)
		got, err := r.TriggerSchedule(t.Context(), "q", "s")
		if err != nil || got.Fate != scheduler.FateFired || got.Task.State != task.Ready {
			t.Fatal(got, err)
		}
		if _, err := r.TriggerSchedule(t.Context(), "q", "s"); !errors.Is(err, scheduler.ErrOverlap) {
			t.Errorf("a second trigger: %v", err)
		}
		r.mustSettle(r.claimOne("q", 0), success)
		r.sleep(time.Hour)
		r.wantMade("s", "00:10 completed", "01:00 ready")
		if s := r.getSchedule("s"); s.Fired != 2 || s.Triggered != 1 {
			t.Errorf("fired %d, %d of them triggered", s.Fired, s.Triggered)
		}
	})
}

// TestAChangeKeepsThePhase: an interval goes on where it was.
func TestAChangeKeepsThePhase(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		every := hourly("s")
		every.Rule = recurrence.Spec{Every: 10 * time.Minute}
		r.sleep(3 * time.Minute)
		first := r.put(every)
		r.sleep(15 * time.Minute)
		every.Plan.Task.Payload = []byte("other")
		every.Plan.Jitter = time.Second
		second := r.put(every)
		if second.ID != first.ID || second.Cursor.Time().Minute() != 23 {
			t.Errorf("goes on at %s under id %s, was %s", second.Cursor.Time(), second.ID, first.ID)
		}
		every.Rule.Every = 20 * time.Minute
		every.Plan.Jitter = 0
		if third := r.put(every); third.Cursor.Time().Minute() != 23 {
			t.Errorf("every 20 minutes goes on at %s", third.Cursor.Time())
		}
		r.sleep(time.Hour)
		r.wantMade("s", "00:13 ready", "00:23 ready", "00:43 ready", "01:03 ready")
	})
}

// TestJitterIsTheSameAfterARestart, and stays within its bounds.
func TestJitterIsTheSameAfterARestart(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		dues := make(map[task.Instant]bool)
		for i := range 100 {
			key := fmt.Sprint("s", i)
			s := r.put(hourly(key, func(r *scheduler.PutScheduleRequest) { r.Plan.Jitter = 10 * time.Minute }))
			late := s.Due.Sub(s.Cursor)
			if late < 0 || late >= 10*time.Minute {
				t.Fatalf("due %s after its instant", late)
			}
			dues[s.Due] = true
			r.reopen()
			if again := r.getSchedule(key); again.Due != s.Due {
				t.Fatalf("due at %s, then at %s", s.Due.Time(), again.Due.Time())
			}
		}
		if len(dues) < 100 {
			t.Errorf("%d instants for 100 schedules", len(dues))
		}
		r.sleep(65 * time.Minute)
		early := 0
		for i := range 100 {
			early += len(r.made(fmt.Sprint("s", i)))
		}
		if early < 25 || early > 75 {
			t.Errorf("%d of 100 are due in the first half of their jitter", early)
		}
	})
}

// TestOneQueueDoesNotHoldUpAnother: what falls due at the same instant is taken in
// turn.
func TestOneQueueDoesNotHoldUpAnother(t *testing.T) {
	bubbleOf(t, 1, scheduler.Options{}, func(t *testing.T, r *rig) {
		var many []scheduler.PutScheduleRequest
		for i := range 6000 {
			many = append(many, hourly(fmt.Sprint("s", i)))
		}
		if _, err := r.PutSchedules(t.Context(), many); err != nil {
			t.Fatal(err)
		}
		one := hourly("one")
		one.Queue = "other"
		r.put(one)
		r.sleep(61 * time.Minute)
		// Ids sort by the order in which the occurrences became tasks.
		late, err := r.Get(t.Context(), "other", "one@2000-01-01T01:00:00Z")
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for page := (scheduler.ListRequest{Queue: "q", PageSize: scheduler.MaxPageSize}); ; {
			p, err := r.List(t.Context(), page)
			if err != nil {
				t.Fatal(err)
			}
			for _, tk := range p.Tasks {
				if bytes.Compare(tk.ID[:], late.ID[:]) < 0 {
					before++
				}
			}
			if page.PageToken = p.NextPageToken; page.PageToken == "" {
				break
			}
		}
		if before > 64 {
			t.Errorf("%d tasks of the other queue came first", before)
		}
	})
}

// TestCatchingUpHasARate: 500 schedules missed four hours each.
func TestCatchingUpHasARate(t *testing.T) {
	bubble(t, scheduler.Options{CatchUpRate: 100}, func(t *testing.T, r *rig) {
		for i := range 500 {
			r.put(hourly(fmt.Sprint("s", i), func(r *scheduler.PutScheduleRequest) { r.Plan.Misfire.Policy = task.MisfireAll }))
		}
		r.close()
		r.sleep(4*time.Hour + 30*time.Minute)
		r.open()
		for second := range 21 {
			info, err := r.Queue(t.Context(), "q")
			if err != nil {
				t.Fatal(err)
			}
			if n, most := info.Counts[task.Ready], int64(100*(second+2)); n > most {
				t.Errorf("%d tasks after %d s", n, second)
			}
			if second == 2 {
				r.reopen()
			}
			r.sleep(time.Second)
		}
		for i := range 500 {
			r.wantMade(fmt.Sprint("s", i), "01:00 ready", "02:00 ready", "03:00 ready", "04:00 ready")
		}
	})
}
