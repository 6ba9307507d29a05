package scheduler

import (
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// countingRule counts what it is asked.
type countingRule struct {
	endless
	calls *int
}

func (r countingRule) Next(after time.Time) time.Time {
	*r.calls++
	return r.endless.Next(after)
}

func (r countingRule) Previous(before time.Time) time.Time {
	*r.calls++
	return r.endless.Previous(before)
}

// TestATurnIsCheap: which occurrences are made up for is worked out once, not again
// at each of the turns in which they become tasks.
func TestATurnIsCheap(t *testing.T) {
	const limit = 10_000
	calls := 0
	tt := timetable{rule: countingRule{calls: &calls}}
	from := task.FloorInstant(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	now := from.Add(24 * time.Hour)
	m := task.Misfire{Policy: task.MisfireAll, Limit: limit}
	r := reckon(tt, m, from, now, false)
	if calls > 3*limit+mostCounted {
		t.Errorf("the first look asked %d times", calls)
	}
	for range 10 {
		if r.atMost(1); len(r.fire) != 1 {
			t.Fatalf("%d in a turn", len(r.fire))
		}
		calls = 0
		r = reckon(tt, m, r.cursor, now, true)
		if calls > 2*mostAtOnce {
			t.Errorf("a turn asked %d times", calls)
		}
	}
}
