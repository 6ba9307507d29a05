package store

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// Store keeps records. All methods may be called at once from any goroutine;
// of Commits to one shard only one is under way at a time, by its owner. What
// a method returns is the caller's: the store keeps no reference to it, and
// none to what it was given.
type Store interface {
	// Shards returns the number of shards, fixed when the store was made.
	Shards() int

	// Acquire makes node the owner of the given shards and returns a grant for
	// each, under an epoch above all earlier ones of that shard. If any is
	// held by another live node it takes none and returns ErrHeld.
	Acquire(ctx context.Context, node string, shards []int) ([]Grant, error)

	// Renew extends grants that node still holds. It returns ErrFenced if any
	// is no longer current.
	Renew(ctx context.Context, node string, grants []Grant) ([]Grant, error)

	// Release gives grants back. Those that are not current are passed over.
	Release(ctx context.Context, node string, grants []Grant) error

	// Commit applies all writes of the batch or none, and returns when they
	// would survive a power cut. It returns ErrFenced, with nothing applied, if
	// the batch's epoch is not the shard's present one. After any other error
	// it is open whether the batch was applied: the owner must read again.
	Commit(ctx context.Context, b Batch) error

	// Get reads records of one shard, nil for each that is absent. Bodies are
	// read only if asked for.
	Get(ctx context.Context, shard int, refs []Ref, bodies bool) ([]*task.Task, error)

	// Due returns the entries of a shard whose task or schedule has a Next
	// instant, ordered by (Next, ID), strictly after a position, at most limit.
	Due(ctx context.Context, shard int, after Pos, limit int) ([]Entry, error)

	// Lanes returns the lanes of a shard that have ready tasks, ordered by
	// (Queue, Host), strictly after a lane, at most limit.
	Lanes(ctx context.Context, shard int, after task.Lane, limit int) ([]task.Lane, error)

	// Ready returns the ready tasks of a lane, ordered by (Expiry, ID),
	// strictly after a position, at most limit.
	Ready(ctx context.Context, shard int, lane task.Lane, after Pos, limit int) ([]Entry, error)

	// List returns records of one queue in one shard, without bodies, as the
	// query orders them.
	List(ctx context.Context, shard int, q ListQuery) ([]*task.Task, error)

	// GetSchedules reads schedules of one shard with their plans, nil for each
	// that is absent.
	GetSchedules(ctx context.Context, shard int, refs []Ref) ([]*task.Schedule, error)

	// ListSchedules returns schedules of one shard, without plans, as the query
	// orders them.
	ListSchedules(ctx context.Context, shard int, q ScheduleQuery) ([]*task.Schedule, error)

	// Queues returns the queues that have or had tasks, schedules or settings, ordered by
	// name, strictly after a name, at most limit.
	Queues(ctx context.Context, after string, limit int) ([]QueueRow, error)

	// Queue returns one queue. A queue never seen has zero counts and settings
	// of Revision 0.
	Queue(ctx context.Context, name string) (QueueRow, error)

	// PutQueue stores settings durably if those stored have the Revision
	// q.Revision−1 (none stored: 0), else it returns ErrConflict.
	PutQueue(ctx context.Context, q task.Queue) error

	// Close releases everything. Commits that were acknowledged stay; later
	// calls return ErrClosed.
	Close() error
}

// Grant is the ownership of one shard.
type Grant struct {
	Shard int
	Epoch uint64
	Until time.Time // when it lapses unless renewed; zero: never, this process alone has the store
}

// Ref names a record.
type Ref struct {
	Queue string
	Key   string
}

// RefOf returns the name of t's record.
func RefOf(t *task.Task) Ref { return Ref{Queue: t.Queue, Key: t.Key} }

// ScheduleRef returns the name of s, which lives beside the tasks: a task and a
// schedule of one queue may have the same key.
func ScheduleRef(s *task.Schedule) Ref { return Ref{Queue: s.Queue, Key: s.Key} }

// Write is the change of one record.
type Write struct {
	Prev *task.Task // the record as it is stored now, nil if there is none; its Body is not looked at
	Task *task.Task // the record as it shall be, nil to delete it; a nil Body keeps the stored one
}

// ScheduleWrite is the change of one schedule.
type ScheduleWrite struct {
	Prev     *task.Schedule // the schedule as it is stored now, nil if there is none; its Plan is not looked at
	Schedule *task.Schedule // as it shall be, nil to delete it; a nil Plan keeps the stored one
}

// Batch is what one shard's owner commits at once. No record occurs twice.
type Batch struct {
	Shard     int
	Epoch     uint64
	Writes    []Write
	Schedules []ScheduleWrite
}

// Pos is a place in an index that is ordered by instant, then id.
type Pos struct {
	At task.Instant
	ID task.ID
}

// Compare orders positions.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.At, q.At), bytes.Compare(p.ID[:], q.ID[:]))
}

// Entry is one row of an index: a place and the record there.
type Entry struct {
	Pos
	Ref

	Schedule bool // it is a schedule that is there, not a task
}

// ListQuery selects records of one queue.
//
// With a State, records come ordered by (Expiry, ID), strictly after After,
// and only those whose Expiry is before Before, if that is not 0. Without one
// (0), they come ordered by key, strictly after AfterKey and before BeforeKey, if that is not
// "", and Before must be 0; Descending turns that order round, but not what is
// selected.
type ListQuery struct {
	Queue      string
	State      task.State
	After      Pos
	AfterKey   string
	BeforeKey  string
	Descending bool
	Before     task.Instant
	Limit      int
}

// ScheduleQuery selects schedules, ordered by (Queue, Key), strictly after
// After, whose queue may be another one. An empty Queue selects those of all
// queues.
type ScheduleQuery struct {
	Queue string
	After Ref
	Limit int
}

// QueueRow is a queue with the number of its tasks in each state, and of its
// schedules.
type QueueRow struct {
	task.Queue
	Counts    task.Counts
	Schedules int64
}
