package scheduler

import (
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// Events are told what happened, after it is stored. The functions are called
// from the shards' writers, so they must be quick and must not call back into the
// Scheduler. Nil functions are passed over. The tasks are read-only.
type Events struct {
	// Scheduled: n tasks of a queue were created or replaced.
	Scheduled func(queue string, n int)
	// Fired: an attempt was claimed, lateness after it was due.
	Fired func(t *task.Task, lateness time.Duration)
	// Settled: an attempt ended, or its lease ran out. t.State tells what became
	// of the task: Completed, Dead, or Scheduled for another attempt.
	Settled func(t *task.Task, o task.Outcome)
	// Cancelled: a task was cancelled.
	Cancelled func(t *task.Task)
	// Committed: a shard's writer committed n records at once.
	Committed func(n int, took time.Duration)
	// Trouble: something went wrong that no caller is told of.
	Trouble func(where string, err error)
}

// Stats is a look at the Scheduler's insides.
type Stats struct {
	Shards  int
	Wheel   int          // entries in the wheels, over all shards
	Ready   int          // ready tasks held in memory, over all shards
	Loaded  task.Instant // up to here, at the least, the near future is in memory; 0: nothing waits
	Pushing int          // pushes running now
	Claims  int          // claims waiting now
}
