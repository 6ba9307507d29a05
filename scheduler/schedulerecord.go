package scheduler

import (
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// scheduleRecord is one schedule in a tx.
type scheduleRecord struct {
	prev    *task.Schedule // as stored, with its plan
	cur     *task.Schedule // as it shall be; nil: absent
	changed bool
	err     error // it can't be read
}

// putSchedule changes a schedule; nil deletes it. The caller made next for this
// purpose.
func (tx *tx) putSchedule(r *scheduleRecord, next *task.Schedule) {
	if next != nil {
		next.Revision = 1
		if r.cur != nil {
			next.Revision = r.cur.Revision + 1
		}
		next.Updated = tx.now
	}
	r.cur = next
	if !r.changed {
		r.changed = true
		tx.changedSchedules = append(tx.changedSchedules, r)
	}
}

// write is how the store is told of it. A plan that is stored already is not
// written again.
func (r *scheduleRecord) write() store.ScheduleWrite {
	w := store.ScheduleWrite{Prev: r.prev, Schedule: r.cur}
	if r.prev != nil && r.cur != nil && r.prev.ID == r.cur.ID && r.prev.Plan == r.cur.Plan {
		w.Schedule = r.cur.Clone()
		w.Schedule.Plan = nil
	}
	return w
}
