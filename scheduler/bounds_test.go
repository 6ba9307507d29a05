package scheduler_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

func (r *rig) scheduleMany(q string, n int, delay func(i int) time.Duration) {
	r.t.Helper()
	for from := 0; from < n; from += scheduler.MaxBatch {
		var rs []scheduler.ScheduleRequest
		for i := from; i < min(n, from+scheduler.MaxBatch); i++ {
			rs = append(rs, scheduler.ScheduleRequest{Spec: task.Spec{Queue: q, Key: fmt.Sprintf("%06d", i), Delay: delay(i)}})
		}
		results, err := r.ScheduleBatch(r.t.Context(), rs)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, res := range results {
			if res.Err != nil {
				r.t.Fatal(res.Err)
			}
		}
	}
}

// However many tasks wait, and whenever they are due, only a bounded number is
// held in memory, and every one fires in its turn.
func TestMemoryIsBounded(t *testing.T) {
	for name, delay := range map[string]func(i int) time.Duration{
		"spread":          func(i int) time.Duration { return time.Duration(i) * 100 * time.Millisecond },
		"within a minute": func(i int) time.Duration { return time.Duration(i%60) * time.Second },
		"at one instant":  func(int) time.Duration { return time.Hour },
		"nearest last":    func(i int) time.Duration { return time.Duration(3000-i) * time.Millisecond },
		"all at once":     func(int) time.Duration { return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			const n, window, shards = 3000, 512, 4
			bubble(t, scheduler.Options{Window: window}, func(t *testing.T, r *rig) {
				r.scheduleMany("q", n, delay)
				seen := make(map[string]bool)
				check := func() {
					st := r.Stats()
					if st.Wheel > window+shards*1000 || st.Ready > shards*600 {
						t.Fatalf("%d entries in the wheels with a window of %d, %d ready", st.Wheel, window, st.Ready)
					}
				}
				for len(seen) < n {
					check()
					ls := r.claim("q", 200, scheduler.MaxWait)
					var ss []scheduler.Settlement
					for _, l := range ls {
						if seen[l.Task.Key] {
							t.Fatalf("%s fired twice", l.Task.Key)
						}
						seen[l.Task.Key] = true
						ss = append(ss, scheduler.Settlement{Token: l.Token, Outcome: success})
					}
					if _, err := r.Settle(t.Context(), ss); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// After its passes the wheels hold no more than the window.
func TestWindowHolds(t *testing.T) {
	bubble(t, scheduler.Options{Window: 400}, func(t *testing.T, r *rig) {
		r.scheduleMany("q", 20_000, func(i int) time.Duration { return time.Minute })
		synctest.Wait()
		if st := r.Stats(); st.Wheel > 400 {
			t.Errorf("%d entries in the wheels, want 400 at most", st.Wheel)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		info, err := r.Queue(t.Context(), "q")
		if err != nil || info.Counts[task.Ready] != 20_000 {
			t.Errorf("counts %v, %v; want 20000 ready", info.Counts, err)
		}
		if st := r.Stats(); st.Ready > 4*600 {
			t.Errorf("%d ready tasks in memory", st.Ready)
		}
	})
}

func TestBadRequests(t *testing.T) {
	bubble(t, scheduler.Options{MaxPayload: 10}, func(t *testing.T, r *rig) {
		var bad task.Invalid
		for name, s := range map[string]task.Spec{
			"no queue":          {Key: "a"},
			"both due, delay":   {Queue: "q", Key: "a", Due: time.Now(), Delay: 1},
			"negative delay":    {Queue: "q", Key: "a", Delay: -1},
			"year 10000":        {Queue: "q", Key: "a", Due: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
			"long payload":      {Queue: "q", Key: "a", Payload: make([]byte, 11)},
			"not http":          {Queue: "q", Key: "a", Webhook: &task.Webhook{URL: "ftp://x"}},
			"control character": {Queue: "q", Key: "a\x00"},
		} {
			if res := r.Schedule(t.Context(), scheduler.ScheduleRequest{Spec: s}); !errors.As(res.Err, &bad) {
				t.Errorf("%s: %v", name, res.Err)
			}
		}
		results, err := r.ScheduleBatch(t.Context(), []scheduler.ScheduleRequest{
			{Spec: task.Spec{Queue: "q", Key: "good"}}, {Spec: task.Spec{Queue: "q", Key: "bad", Delay: -1}}, {Spec: task.Spec{Queue: "q", Key: "fine"}},
		})
		if err != nil || results[0].Err != nil || results[1].Err == nil || results[2].Err != nil {
			t.Errorf("a batch with one bad request: %v, %v", results, err)
		}
		if _, err := r.ScheduleBatch(t.Context(), make([]scheduler.ScheduleRequest, scheduler.MaxBatch+1)); !errors.As(err, &bad) {
			t.Errorf("too large a batch: %v", err)
		}
		for _, c := range []scheduler.ClaimRequest{{Queue: "q", Max: -1}, {Queue: "q", Max: 1001}, {Queue: ""}, {Queue: "q", Wait: time.Hour}, {Queue: "q", Lease: -1}} {
			if _, err := r.Claim(t.Context(), c); !errors.As(err, &bad) {
				t.Errorf("claim %+v: %v", c, err)
			}
		}
		if info, err := r.Queue(t.Context(), "q"); err != nil || info.Counts[task.Scheduled]+info.Counts[task.Ready] != 2 {
			t.Errorf("counts %v, %v: refused requests left something behind", info.Counts, err)
		}
	})
}
