package scheduler

import (
	"errors"
	"fmt"

	"github.com/timewheel-dev/timewheel/task"
)

// Errors of calls that name one task. Broken requests are task.Invalid.
var (
	// ErrNotFound: the key has no record in its queue.
	ErrNotFound = errors.New("no such task")
	// ErrAlreadyExists: IfAbsent was asked for, and the key has a record.
	ErrAlreadyExists = errors.New("a task with this key already exists")
	// ErrAlreadyClaimed: an attempt is running, so the task can't be changed or
	// cancelled any more.
	ErrAlreadyClaimed = errors.New("the task was already claimed: an attempt of it is running")
	// ErrStaleLease: the token is not that of the present attempt. The lease ran
	// out, or the attempt was settled, or the task was replaced.
	ErrStaleLease = errors.New("stale lease: it ran out, or the attempt was settled already, or the task was replaced")
)

// Errors of calls that name one schedule.
var (
	// ErrNoSchedule: the key has no schedule in its queue.
	ErrNoSchedule = errors.New("no such schedule")
	// ErrScheduleExists: IfAbsent was asked for, and the key has a schedule.
	ErrScheduleExists = errors.New("a schedule with this key already exists")
	// ErrOverlap: an earlier occurrence is not finished, and the overlap policy
	// lets no other one in.
	ErrOverlap = errors.New("an earlier occurrence of the schedule is not finished, and its overlap policy lets no other one begin or wait")
)

// Errors of any call.
var (
	// ErrClosed: the scheduler was closed.
	ErrClosed = errors.New("the scheduler is closed")
	// ErrDraining: the scheduler is stopping and hands out no more tasks.
	ErrDraining = errors.New("the scheduler is draining: no more tasks are claimed here")
	// ErrPageToken: the page token is none of this listing.
	ErrPageToken error = task.Invalid{{Field: "page_token", Reason: "must be the next_page_token of a page with the same queue, state and due_before"}}
)

// StateError says that a task's state does not allow the call.
type StateError struct {
	State task.State
	Verb  string // what was asked for, such as "cancelled"
}

// Error names the state.
func (e *StateError) Error() string {
	return fmt.Sprintf("the task is %s and can't be %s", e.State, e.Verb)
}

// RevisionError says that a task or schedule has another revision than the caller expects.
type RevisionError struct {
	Want, Have uint64 // Have is 0 if there is no record
	Schedule   bool   // it is about a schedule
}

// Error names both revisions.
func (e *RevisionError) Error() string {
	what := "task"
	if e.Schedule {
		what = "schedule"
	}
	return fmt.Sprintf("the %s has revision %d, not %d: read it again", what, e.Have, e.Want)
}
