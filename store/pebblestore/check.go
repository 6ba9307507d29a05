package pebblestore

import (
	"fmt"

	"github.com/timewheel-dev/timewheel/internal/invariant"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// checkPrevs asserts that each write names the record as it is stored. The old
// rows of the indexes are found by it, so that a wrong one would leave rows
// behind that nothing ever deletes.
func (s *Store) checkPrevs(b store.Batch) {
	for _, w := range b.Writes {
		if w.Prev == nil {
			s.checkPrev(kindHead, b.Shard, store.RefOf(w.Task), nil)
			continue
		}
		s.checkPrev(kindHead, b.Shard, store.RefOf(w.Prev), task.AppendHead(nil, w.Prev))
	}
	for _, w := range b.Schedules {
		if w.Prev == nil {
			s.checkPrev(kindSchedule, b.Shard, store.ScheduleRef(w.Schedule), nil)
			continue
		}
		s.checkPrev(kindSchedule, b.Shard, store.ScheduleRef(w.Prev), task.AppendSchedule(nil, w.Prev))
	}
}

// checkPrev compares records, not their bytes: what is stored may have been
// written in an older form.
func (s *Store) checkPrev(kind byte, shard int, ref store.Ref, want []byte) {
	have, err := s.read(appendRef(nil, kind, shard, ref))
	invariant.Check(err == nil, "reading %s/%s: %v", ref.Queue, ref.Key, err)
	stored, prev := show(kind, have), show(kind, want)
	invariant.Check(stored == prev, "write of %s/%s: Prev is not what is stored\nstored: %s\nPrev:   %s", ref.Queue, ref.Key, stored, prev)
}

// show prints a record.
func show(kind byte, value []byte) string {
	var record any
	var err error
	switch {
	case value == nil:
		return "nothing"
	case kind == kindHead:
		record, err = task.DecodeHead(value)
	default:
		record, err = task.DecodeSchedule(value)
	}
	return fmt.Sprintf("%+v %v", record, err)
}
