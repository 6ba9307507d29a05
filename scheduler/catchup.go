package scheduler

import (
	"maps"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// drain hands out turns to schedules that have missed occurrences, so that
// what was missed in an outage comes back at a rate that others can bear; see
// Options.CatchUpRate. A turn that lies ahead is stored with the schedule, as
// its Next instant: the store holds the line that waits, not memory.
//
// Each queue has a line of its own, and the lines share the rate, so that one
// with a million missed occurrences does not hold up one with ten.
type drain struct {
	every time.Duration // between two occurrences, over all lines

	mu    sync.Mutex
	lines map[string]task.Instant // guarded by mu: the next free turn, by queue; gone when it has passed
	last  task.Instant            // guarded by mu: when a turn was asked for last
}

func newDrain(rate int) *drain {
	return &drain{every: time.Second / time.Duration(rate), lines: make(map[string]task.Instant)}
}

// turn returns how many of the wanted occurrences may become tasks now. If
// none may, at is the turn of one.
func (d *drain) turn(queue string, now task.Instant, want int) (n int, at task.Instant) {
	const unused = 100 * time.Millisecond // of the time past can be used at once
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settleLocked(now)
	free := max(d.lines[queue], now.Add(-unused))
	d.lines[queue] = free
	step := d.every * time.Duration(len(d.lines))
	for ; n < want && free <= now; n++ {
		free = free.Add(step)
	}
	if n == 0 {
		at = max(free, now.Add(time.Microsecond))
		free = at.Add(step)
	}
	d.lines[queue] = free
	return n, at
}

// settleLocked forgets the lines in which nobody waits, and moves all if the clock
// was set back.
func (d *drain) settleLocked(now task.Instant) {
	back := d.last.Sub(now)
	d.last = now
	maps.DeleteFunc(d.lines, func(queue string, free task.Instant) bool {
		if back > time.Second {
			free = free.Add(-back)
			d.lines[queue] = free
		}
		return free < now.Add(-time.Second)
	})
}
