package pebblestore

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// writeSchedule translates the write of one schedule.
func (c *scratch) writeSchedule(p *pebble.Batch, shard int, w store.ScheduleWrite) error {
	if err := c.indexSchedule(p, shard, w); err != nil {
		return err
	}
	if w.Schedule == nil {
		ref := store.ScheduleRef(w.Prev)
		c.tally.of(ref.Queue).schedules--
		if err := p.Delete(c.ref(kindSchedule, shard, ref), nil); err != nil {
			return err
		}
		return p.Delete(c.ref(kindPlan, shard, ref), nil)
	}
	ref := store.ScheduleRef(w.Schedule)
	if w.Prev == nil {
		c.tally.of(ref.Queue).schedules++
	}
	c.value = task.AppendSchedule(c.value[:0], w.Schedule)
	if err := p.Set(c.ref(kindSchedule, shard, ref), c.value, nil); err != nil {
		return err
	}
	if w.Schedule.Plan == nil {
		return nil
	}
	c.value = task.AppendPlan(c.value[:0], w.Schedule.Plan)
	return p.Set(c.ref(kindPlan, shard, ref), c.value, nil)
}

// indexSchedule moves the schedule's row of the index "next", the only one
// that schedules are in.
func (c *scratch) indexSchedule(p *pebble.Batch, shard int, w store.ScheduleWrite) error {
	had := w.Prev != nil && w.Prev.Next != 0
	has := w.Schedule != nil && w.Schedule.Next != 0
	if had && has && nextPos(w.Prev) == nextPos(w.Schedule) {
		return nil
	}
	if had {
		c.key = appendNext(c.key[:0], shard, nextPos(w.Prev))
		if err := p.Delete(c.key, nil); err != nil {
			return err
		}
	}
	if !has {
		return nil
	}
	c.key = appendNext(c.key[:0], shard, nextPos(w.Schedule))
	c.value = appendNextValue(c.value[:0], store.ScheduleRef(w.Schedule), true)
	return p.Set(c.key, c.value, nil)
}

func nextPos(s *task.Schedule) store.Pos { return store.Pos{At: s.Next, ID: s.ID} }
