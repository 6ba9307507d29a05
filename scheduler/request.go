package scheduler

import (
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// ScheduleRequest asks for one task.
type ScheduleRequest struct {
	task.Spec

	// IfAbsent refuses, with ErrAlreadyExists, if the key has a record: pending,
	// running, or finished and not yet purged. Else the key's record is replaced.
	IfAbsent bool

	// IfRevision, if not 0, refuses with a RevisionError unless the key has a record of
	// this revision.
	IfRevision uint64
}

// ScheduleResult is what became of one request of a batch.
type ScheduleResult struct {
	Task     *task.Task // as stored; nil if Err is set
	Replaced bool       // the key had a record, which this one took the place of
	Err      error
}

// Patch changes a pending task. Nil fields stay as they are.
type Patch struct {
	Due         *time.Time
	Delay       *time.Duration // from now; not beside Due
	Payload     *[]byte
	ContentType *string
	Metadata    *map[string]string
	Webhook     *task.Webhook // a task can't change between webhook and pull by a patch
	Retry       *task.Retry   // zero fields of it stay as they are
	Timeout     *time.Duration
	Retention   *time.Duration // 0 or negative: not kept
}

// ListRequest selects tasks of one queue.
type ListRequest struct {
	Queue     string
	State     task.State   // 0: all states, ordered by key; else ordered by due instant
	DueBefore task.Instant // 0: no bound; needs a State
	PageSize  int          // 0: DefaultPageSize; at most MaxPageSize
	PageToken string       // from the page before; valid with the same Queue, State and DueBefore
}

// Page is a part of a listing.
type Page struct {
	Tasks         []*task.Task // without bodies
	NextPageToken string       // "" on the last page
}

// Sizes of pages and batches.
const (
	DefaultPageSize = 100
	MaxPageSize     = 1000
	MaxBatch        = 10_000 // requests in one ScheduleBatch, settlements in one Settle
	MaxClaim        = 1000   // tasks in one Claim
)

// ClaimRequest asks for ready tasks of one queue.
type ClaimRequest struct {
	Queue string
	Max   int           // at most so many tasks; 0: one
	Lease time.Duration // how long the attempts may take; 0: each task's own Timeout
	Wait  time.Duration // how long to wait for the first task; 0: not at all; at most MaxWait

	own bool // the tasks are for a handler in this process
}

// MaxWait is the longest that a Claim waits.
const MaxWait = time.Minute

// Settlement ends or extends one leased attempt.
type Settlement struct {
	Token   task.Token
	Outcome task.Outcome
	Renew   time.Duration // if not 0: keep the lease for this long from now, and Outcome is not looked at
}

// SettleResult is what became of one settlement.
type SettleResult struct {
	Task *task.Task // as stored now, without body; nil if Err is set
	Err  error
}

// QueueInfo is a queue's settings, the number of its tasks by state, and of its
// schedules.
type QueueInfo struct {
	task.Queue
	Counts    task.Counts
	Schedules int64
}
