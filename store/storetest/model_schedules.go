package storetest

import (
	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// scheduleWrites draws legal writes to schedules of one shard, which have the
// names of tasks.
func (m *model) scheduleWrites(rt *rapid.T, shard int) []store.ScheduleWrite {
	var writes []store.ScheduleWrite
	for _, ref := range m.refs(shard)[:3] {
		if rapid.Bool().Draw(rt, "touch schedule "+ref.Key) {
			writes = append(writes, m.scheduleWrite(rt, ref))
		}
	}
	return writes
}

func (m *model) scheduleWrite(rt *rapid.T, ref store.Ref) store.ScheduleWrite {
	prev := m.schedules[ref]
	if prev == nil {
		return store.ScheduleWrite{Schedule: m.drawSchedule(rt, newSchedule(ref.Queue, ref.Key, 0))}
	}
	switch rapid.SampledFrom([]string{"move", "move with a plan", "replace", "delete"}).Draw(rt, "what") {
	case "delete":
		return store.ScheduleWrite{Prev: prev}
	case "replace":
		return store.ScheduleWrite{Prev: prev, Schedule: m.drawSchedule(rt, newSchedule(ref.Queue, ref.Key, 0))}
	case "move with a plan":
		next := m.drawSchedule(rt, movedOn(prev, 0))
		next.Plan = &task.Plan{Rule: rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(rt, "rule")}
		return store.ScheduleWrite{Prev: prev, Schedule: next}
	}
	return store.ScheduleWrite{Prev: prev, Schedule: m.drawSchedule(rt, movedOn(prev, 0))}
}

// drawSchedule gives s a next instant, unless it is paused or finished, and
// occurrences that wait.
func (m *model) drawSchedule(rt *rapid.T, s *task.Schedule) *task.Schedule {
	s.Paused = rapid.IntRange(0, 3).Draw(rt, "paused") == 0
	s.Cursor, s.Next = 0, 0
	if rapid.IntRange(0, 3).Draw(rt, "finished") > 0 {
		s.Cursor = m.instant(rt)
	}
	if s.Cursor != 0 && !s.Paused {
		s.Next = m.instant(rt)
	}
	s.Queued = nil
	for range rapid.IntRange(0, 2).Draw(rt, "queued") {
		s.Queued = append(s.Queued, m.instant(rt))
	}
	return s
}

// keepSchedules notes what is stored now.
func (m *model) keepSchedules(writes []store.ScheduleWrite) {
	for _, w := range writes {
		if w.Schedule == nil {
			delete(m.schedules, store.ScheduleRef(w.Prev))
			continue
		}
		m.schedules[store.ScheduleRef(w.Schedule)] = withPlan(w.Schedule, nil)
	}
}

// lookAtSchedules compares what is said of schedules.
func (m *model) lookAtSchedules(rt *rapid.T, shard int, q store.ScheduleQuery) {
	rt.Helper()
	refs := append(m.refs(shard), store.Ref{Queue: "q", Key: "absent"})
	m.compare(rt, "GetSchedules", func(s store.Store) (any, error) {
		found, err := s.GetSchedules(m.ctx, shard, refs)
		return showSchedules(found), err
	})
	m.compare(rt, "ListSchedules", func(s store.Store) (any, error) {
		found, err := s.ListSchedules(m.ctx, shard, q)
		return showSchedules(found), err
	})
}
