package memstore

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

func scheduleRefOf(w store.ScheduleWrite) store.Ref {
	switch {
	case w.Schedule != nil:
		return store.ScheduleRef(w.Schedule)
	case w.Prev != nil:
		return store.ScheduleRef(w.Prev)
	}
	return store.Ref{}
}

// checkScheduleWrite returns what is wrong with w where stored is the schedule
// as it is, "" if nothing is.
func checkScheduleWrite(w store.ScheduleWrite, stored *task.Schedule) string {
	if reason := checkPrevSchedule(w.Prev, stored); reason != "" {
		return reason
	}
	if w.Schedule == nil {
		if w.Prev == nil {
			return "it has neither Prev nor Schedule"
		}
		return ""
	}
	if reason := checkScheduleMove(w.Prev, w.Schedule); reason != "" {
		return reason
	}
	return checkSchedule(w.Schedule)
}

// checkPrevSchedule compares all fields, as checkPrev does.
func checkPrevSchedule(prev, stored *task.Schedule) string {
	switch {
	case prev == nil && stored == nil:
		return ""
	case prev == nil:
		return fmt.Sprintf("Prev is nil, but revision %d is stored", stored.Revision)
	case stored == nil:
		return fmt.Sprintf("Prev has revision %d, but nothing is stored", prev.Revision)
	case prev.Revision != stored.Revision:
		return fmt.Sprintf("Prev has revision %d, but revision %d is stored", prev.Revision, stored.Revision)
	}
	a, b := *prev, *stored
	same := slices.Equal(a.Queued, b.Queued) // nil or empty: a store need not tell
	a.Plan, b.Plan, a.Queued, b.Queued = nil, nil, nil, nil
	if !same || !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("Prev has the stored revision %d but is not what is stored: it was changed in place\nPrev:   %+v\nstored: %+v", prev.Revision, *prev, *stored)
	}
	return ""
}

func checkScheduleMove(prev, s *task.Schedule) string {
	switch {
	case prev == nil && s.Plan == nil:
		return "a new schedule needs a Plan"
	case prev == nil:
		return ""
	case store.ScheduleRef(prev) != store.ScheduleRef(s):
		return fmt.Sprintf("Prev is another schedule, %s/%s", prev.Queue, prev.Key)
	case prev.ID != s.ID && s.Plan == nil: // it was deleted and made anew
		return "its id changes and it has no Plan of its own"
	case prev.ID == s.ID && s.Revision <= prev.Revision:
		return fmt.Sprintf("its revision does not grow: %d after %d", s.Revision, prev.Revision)
	}
	return ""
}

func checkSchedule(s *task.Schedule) string {
	still := s.Paused || s.Cursor == 0
	switch {
	case s.Revision == 0:
		return "its revision is 0: the first is 1"
	case still && s.Next != 0:
		return "it is paused, or has no occurrence to come, and has a Next instant"
	case !still && s.Next <= 0:
		return "it has an occurrence to come and no Next instant: nobody would ever look at it again"
	case len(s.Queued) > task.MaxQueueLimit:
		return fmt.Sprintf("%d occurrences are queued, over %d", len(s.Queued), task.MaxQueueLimit)
	}
	return ""
}
