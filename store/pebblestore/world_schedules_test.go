package pebblestore_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// numbers are what a queue is counted to have.
type numbers struct {
	tasks     task.Counts
	schedules int64
}

// schedules are those that a shard holds, with their plans.
type schedules map[store.Ref]*task.Schedule

// draw returns random writes to a shard's schedules, which have the names of
// its tasks, and makes them.
func (c schedules) draw(rng *rand.Rand, shard int) (writes []store.ScheduleWrite) {
	for _, ref := range refsOf(shard)[:4] {
		if rng.IntN(4) > 0 {
			continue
		}
		prev := c[ref]
		w := store.ScheduleWrite{Prev: prev}
		if prev == nil || rng.IntN(5) > 0 {
			w.Schedule = drawSchedule(rng, ref, prev)
		}
		writes = append(writes, w)
		c.apply(ref, w.Schedule)
	}
	return writes
}

func (c schedules) apply(ref store.Ref, s *task.Schedule) {
	if s == nil {
		delete(c, ref)
		return
	}
	stored := s.Clone()
	if stored.Plan == nil {
		stored.Plan = c[ref].Plan
	}
	c[ref] = stored
}

// drawSchedule returns the next version of a schedule, now and then with a new
// plan.
func drawSchedule(rng *rand.Rand, ref store.Ref, prev *task.Schedule) *task.Schedule {
	s := &task.Schedule{Queue: ref.Queue, Key: ref.Key}
	for i := range s.ID {
		s.ID[i] = byte(rng.Uint32())
	}
	if prev != nil {
		s = prev.Clone()
		s.Plan = nil
	}
	s.Revision++
	s.Cursor = task.Instant(1_000_000 + rng.IntN(1000))
	s.Next, s.Paused = s.Cursor, rng.IntN(3) == 0
	if s.Paused {
		s.Next = 0
	}
	if prev == nil || rng.IntN(4) == 0 {
		s.Plan = &task.Plan{Rule: fmt.Appendf(nil, "%x", rng.Uint64()), Task: task.Spec{Payload: make([]byte, rng.IntN(200))}}
	}
	return s
}

// add shows the schedules among the records of their shard.
func (c schedules) add(to records) {
	for ref, s := range c {
		to[store.Ref{Queue: ref.Queue, Key: "schedule " + ref.Key}] = showSchedule(s)
	}
}

func showSchedule(s *task.Schedule) string {
	head := *s
	head.Plan = nil
	return fmt.Sprintf("%+v %+v", head, *s.Plan)
}

// readSchedules reads the schedules of a shard, and their rows of the index
// "next".
func readSchedules(s store.Store, shard int, counts map[string]numbers) (found schedules, next []string, err error) {
	ctx := context.Background()
	heads, err := s.ListSchedules(ctx, shard, store.ScheduleQuery{Limit: 1000})
	if err != nil {
		return nil, nil, err
	}
	found = make(schedules)
	for _, h := range heads {
		ref := store.ScheduleRef(h)
		full, err := s.GetSchedules(ctx, shard, []store.Ref{ref})
		if err != nil || full[0] == nil {
			return nil, nil, fmt.Errorf("schedule %v is listed, got %v, %w", ref, full, err)
		}
		found[ref] = full[0]
		if h.Next != 0 {
			next = append(next, fmt.Sprint(h.Next, h.ID, h.Queue, h.Key, true))
		}
		c := counts[h.Queue]
		c.schedules++
		counts[h.Queue] = c
	}
	return found, next, nil
}

// count asks for a queue's numbers.
func count(s store.Store, queue string) (numbers, error) {
	row, err := s.Queue(context.Background(), queue)
	return numbers{row.Counts, row.Schedules}, err
}
