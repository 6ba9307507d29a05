package memstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// Whatever a correct scheduler never writes of a schedule is refused with the
// reason, and nothing of the batch is applied.
func TestIllegalSchedules(t *testing.T) {
	base := task.Schedule{Queue: "q", Key: "k", Revision: 3, Cursor: 50, Next: 60, Queued: []task.Instant{40}}
	full := base
	full.Plan = &task.Plan{Rule: []byte("x")}
	for _, c := range []struct {
		name, want string
		prev, next *task.Schedule
		change     func(prev, next *task.Schedule)
	}{
		{name: "nothing", want: "neither Prev nor Schedule"},
		{name: "stored already", want: "Prev is nil, but revision 3 is stored", next: &full},
		{name: "not stored", want: "nothing is stored", prev: &base, next: &base, change: func(prev, next *task.Schedule) { prev.Key, next.Key = "other", "other" }},
		{name: "a revision seen before", want: "but revision 3 is stored", prev: &base, next: &base, change: func(prev, _ *task.Schedule) { prev.Revision = 2 }},
		{name: "a field changed in place", want: "not what is stored", prev: &base, next: &base, change: func(prev, _ *task.Schedule) { prev.Fired++ }},
		{name: "queued changed in place", want: "not what is stored", prev: &base, next: &base, change: func(prev, _ *task.Schedule) { prev.Queued = []task.Instant{41} }},
		{name: "a revision that stays", want: "does not grow", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.Revision = 3 }},
		{name: "a new id and no plan", want: "no Plan of its own", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.ID[0] = 9 }},
		{name: "a new one without a plan", want: "needs a Plan", next: &base, change: func(_, next *task.Schedule) { next.Key = "other" }},
		{name: "revision 0", want: "revision is 0", next: &full, change: func(_, next *task.Schedule) { next.Key, next.Revision = "other", 0 }},
		{name: "paused with a next instant", want: "has a Next instant", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.Paused = true }},
		{name: "finished with a next instant", want: "has a Next instant", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.Cursor = 0 }},
		{name: "no next instant", want: "no Next instant", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.Next = 0 }},
		{name: "a negative next instant", want: "no Next instant", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.Next = -1 }},
		{name: "too many queued", want: "1001 occurrences are queued", prev: &base, next: &base, change: func(_, next *task.Schedule) { next.Queued = make([]task.Instant, 1001) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := store.ScheduleWrite{Prev: copyOf(c.prev), Schedule: copyOf(c.next)}
			if w.Prev != nil && w.Schedule != nil {
				w.Schedule.Revision++
			}
			if c.change != nil {
				c.change(w.Prev, w.Schedule)
			}
			wantIllegal(t, &full, c.want, w)
		})
	}
	again := base
	again.Revision++
	wantIllegal(t, &full, "twice", store.ScheduleWrite{Prev: &base, Schedule: &again}, store.ScheduleWrite{Prev: &base})
}

func copyOf(s *task.Schedule) *task.Schedule {
	if s == nil {
		return nil
	}
	return s.Clone()
}

// wantIllegal stores a schedule and then commits a batch that is to be refused.
func wantIllegal(t *testing.T, stored *task.Schedule, want string, writes ...store.ScheduleWrite) {
	t.Helper()
	ctx, told := context.Background(), 0
	s := memstore.New(1, memstore.WithIllegal(func(error) { told++ }))
	grants, err := s.Acquire(ctx, "node", []int{0})
	if err != nil {
		t.Fatal(err)
	}
	b := store.Batch{Epoch: grants[0].Epoch, Schedules: []store.ScheduleWrite{{Schedule: stored}}}
	if err := s.Commit(ctx, b); err != nil {
		t.Fatal(err)
	}
	b.Writes = []store.Write{{Task: &task.Task{Queue: "q", Key: "t", Revision: 1, State: task.Scheduled, Next: 1, Body: &task.Body{}}}}
	b.Schedules = writes
	var illegal *memstore.IllegalError
	if err := s.Commit(ctx, b); !errors.As(err, &illegal) || !strings.Contains(err.Error(), want) || told != 1 {
		t.Errorf("got %v, told %d times, want %q", err, told, want)
	}
	if found, err := s.Get(ctx, 0, []store.Ref{{Queue: "q", Key: "t"}}, false); err != nil || found[0] != nil {
		t.Errorf("the batch's task was written: %v, %v", found, err)
	}
}

// A schedule in a shard that is not its own is refused.
func TestASchedulesShard(t *testing.T) {
	const shards = 4
	s := memstore.New(shards, memstore.WithIllegal(func(error) {}))
	grants, err := s.Acquire(context.Background(), "node", []int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for shard, g := range grants {
		w := store.ScheduleWrite{Schedule: &task.Schedule{Queue: "q", Key: "k", Revision: 1, Cursor: 1, Next: 1, Plan: &task.Plan{}}}
		err := s.Commit(context.Background(), store.Batch{Shard: shard, Epoch: g.Epoch, Schedules: []store.ScheduleWrite{w}})
		if own := task.Shard("q", "k", shards) == shard; (err == nil) != own {
			t.Errorf("shard %d, its own: %v, got %v", shard, own, err)
		}
	}
}
