package scheduler

import (
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// drain hands out turns to schedules that have missed occurrences, so that
// what was missed in an outage comes back at a rate that others can bear; see
// Options.CatchUpRate. A turn that lies ahead is stored with the schedule, as
// its Next instant: the store holds the line that waits, not memory.
type drain struct {
	every time.Duration // between two occurrences

	mu   sync.Mutex
	free task.Instant // guarded by mu: the next turn
	last task.Instant // guarded by mu: when a turn was asked for last
}

func newDrain(rate int) *drain { return &drain{every: time.Second / time.Duration(rate)} }

// turn returns when n occurrences may become tasks. What was not used of the
// last second can be used at once.
func (d *drain) turn(now task.Instant, n int) task.Instant {
	d.mu.Lock()
	defer d.mu.Unlock()
	if back := d.last.Sub(now); back > time.Second { // the clock was set back
		d.free = d.free.Add(-back)
	}
	d.last = now
	d.free = max(d.free, now.Add(-time.Second))
	at := max(d.free, now)
	d.free = d.free.Add(d.every * time.Duration(n))
	return at
}
