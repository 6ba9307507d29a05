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
	// Occurred: n occurrences of a queue's schedules met a fate.
	Occurred func(queue string, fate Fate, n int)
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

// Fate is what became of an occurrence of a schedule.
type Fate uint8

// The fates of occurrences.
const (
	FateFired    Fate = iota + 1 // it became a task
	FateMissed                   // it was missed, and the misfire policy dropped it
	FateSkipped                  // an earlier one was not finished
	FateQueued                   // it waits for an earlier one to finish
	FateReplaced                 // its task was cancelled for a later one
)

// Fates lists the names of all fates by number.
var Fates = [...]string{FateFired: "fired", FateMissed: "missed", FateSkipped: "skipped", FateQueued: "queued", FateReplaced: "replaced"}

// String returns the fate's name as metrics write it.
func (f Fate) String() string { return Fates[f] }

// Stats is a look at the Scheduler's insides.
type Stats struct {
	Shards  int
	Wheel   int          // entries in the wheels, over all shards
	Ready   int          // ready tasks held in memory, over all shards
	Loaded  task.Instant // up to here, at the least, the near future is in memory; 0: nothing waits
	Pushing int          // pushes running now
	Claims  int          // claims waiting now
}
