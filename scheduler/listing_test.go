package scheduler_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// pages collects a whole listing, and how many pages it took.
func (r *rig) pages(req scheduler.ListRequest) (keys []string, pages int) {
	r.t.Helper()
	for {
		p, err := r.List(r.t.Context(), req)
		if err != nil {
			r.t.Fatal(err)
		}
		pages++
		for _, t := range p.Tasks {
			keys = append(keys, t.Key)
		}
		if req.PageToken = p.NextPageToken; req.PageToken == "" {
			return keys, pages
		}
	}
}

// A listing is one order over all shards, however it is cut into pages.
func TestList(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		const n = 25
		r.scheduleMany("q", n, func(i int) time.Duration { return time.Duration(n-i) * time.Minute })
		r.schedule("other", "x", time.Minute)
		var byKey, byDue []string
		for i := range n {
			byKey = append(byKey, fmt.Sprintf("%06d", i))
			byDue = append(byDue, fmt.Sprintf("%06d", n-1-i))
		}
		for _, size := range []int{0, 1, 7, 25, 1000} {
			if keys, _ := r.pages(scheduler.ListRequest{Queue: "q", PageSize: size}); !slices.Equal(keys, byKey) {
				t.Errorf("pages of %d, by key: %v", size, keys)
			}
			if keys, _ := r.pages(scheduler.ListRequest{Queue: "q", State: task.Scheduled, PageSize: size}); !slices.Equal(keys, byDue) {
				t.Errorf("pages of %d, by due: %v", size, keys)
			}
		}
		if _, pages := r.pages(scheduler.ListRequest{Queue: "q", PageSize: 5}); pages != 5 {
			t.Errorf("25 tasks took %d pages of 5", pages)
		}
		before := task.CeilInstant(time.Now().Add(3*time.Minute + time.Second))
		if keys, _ := r.pages(scheduler.ListRequest{Queue: "q", State: task.Scheduled, DueBefore: before}); !slices.Equal(keys, byDue[:3]) {
			t.Errorf("due within 3 minutes: %v", keys)
		}
		if keys, _ := r.pages(scheduler.ListRequest{Queue: "q", State: task.Dead}); len(keys) != 0 {
			t.Errorf("dead: %v", keys)
		}
	})
}

func TestListRefusals(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.scheduleMany("q", 3, func(int) time.Duration { return time.Hour })
		p, err := r.List(t.Context(), scheduler.ListRequest{Queue: "q", PageSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, req := range []scheduler.ListRequest{
			{Queue: "q", PageToken: "nonsense"},
			{Queue: "q", PageToken: "!"},
			{Queue: "other", PageToken: p.NextPageToken},
			{Queue: "q", State: task.Scheduled, PageToken: p.NextPageToken},
			{Queue: "q", PageSize: 1001},
			{Queue: "q", PageSize: -1},
			{Queue: "q", DueBefore: 5},
			{Queue: "q", State: 99},
			{Queue: ""},
		} {
			var bad task.Invalid
			if _, err := r.List(t.Context(), req); !errors.As(err, &bad) {
				t.Errorf("%+v: %v", req, err)
			}
		}
	})
}

// A purge deletes what it was asked to, and spares what runs.
func TestPurge(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.scheduleMany("q", 2500, func(int) time.Duration { return time.Hour })
		r.schedule("q", "running", 0)
		l := r.next("q")
		r.schedule("q", "cancelled", time.Hour)
		if _, err := r.Cancel(t.Context(), "q", "cancelled", 0); err != nil {
			t.Fatal(err)
		}
		if n, err := r.Purge(t.Context(), "q", task.Cancelled); n != 1 || err != nil {
			t.Errorf("purged %d cancelled: %v", n, err)
		}
		if n, err := r.Purge(t.Context(), "q", 0); n != 2500 || err != nil {
			t.Errorf("purged %d: %v", n, err)
		}
		r.mustSettle(l, success)
		if ls := r.claim("q", 10, scheduler.MaxWait); len(ls) != 0 {
			t.Errorf("%d purged tasks fired", len(ls))
		}
		var bad task.Invalid
		if _, err := r.Purge(t.Context(), "q", task.Leased); !errors.As(err, &bad) {
			t.Errorf("purging leased tasks: %v", err)
		}
	})
}

func TestQueues(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		if _, err := r.Queue(t.Context(), "q"); !errors.Is(err, scheduler.ErrNotFound) {
			t.Errorf("a queue never seen: %v", err)
		}
		r.schedule("b", "1", time.Hour)
		r.schedule("a", "1", time.Hour)
		if _, err := r.UpdateQueue(t.Context(), "c", func(q *task.Queue) error {
			q.Defaults = task.Defaults{Timeout: time.Minute, Retry: task.Retry{MaxAttempts: 3}}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		qs, err := r.Queues(t.Context(), "", 10)
		if err != nil || len(qs) != 3 || qs[0].Name != "a" || qs[0].Counts[task.Scheduled] != 1 || qs[2].Revision != 1 {
			t.Errorf("%+v, %v", qs, err)
		}
		if qs, err = r.Queues(t.Context(), "a", 1); err != nil || len(qs) != 1 || qs[0].Name != "b" {
			t.Errorf("after a: %+v, %v", qs, err)
		}
		got := r.schedule("c", "1", time.Hour)
		if got.Timeout != time.Minute || got.Retry.MaxAttempts != 3 || got.Retention != task.DefaultRetention {
			t.Errorf("defaults not taken: %+v", got)
		}
		var bad task.Invalid
		if _, err := r.UpdateQueue(t.Context(), "c", func(q *task.Queue) error { q.Concurrency = -1; return nil }); !errors.As(err, &bad) {
			t.Errorf("bad settings: %v", err)
		}
		if q, err := r.Queue(t.Context(), "c"); err != nil || q.Revision != 1 || q.Defaults.Timeout != time.Minute {
			t.Errorf("refused settings changed something: %+v, %v", q, err)
		}
	})
}
