package client

import (
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// The nouns of the contract. Instants are time.Time, durations Duration.
type (
	// NewTask is a task to be. Exactly one of Due and Delay.
	NewTask = wire.BatchTask
	// Task is a task as the daemon has it.
	Task = wire.Task
	// TaskState is where a task stands.
	TaskState = wire.TaskState
	// Patch changes a pending task.
	Patch = wire.TaskPatch
	// Webhook says where a task is pushed.
	Webhook = wire.Webhook
	// Retry says how often and how soon a failed attempt is repeated.
	Retry = wire.Retry

	// BatchResult is what became of one task of a batch.
	BatchResult = wire.BatchResult
	// BatchResponse has the results of a batch, and their numbers.
	BatchResponse = wire.BatchResponse

	// ClaimRequest asks for ready tasks.
	ClaimRequest = wire.ClaimRequest
	// ClaimedTask is a task and the right to settle one attempt of it.
	ClaimedTask = wire.ClaimedTask
	// SettleResult is what became of one lease of a batch.
	SettleResult = wire.SettleResult
	// SettleResponse has the results of a batch of leases, and their numbers.
	SettleResponse = wire.SettleResponse

	// Queue is one line of business.
	Queue = wire.Queue
	// QueuePatch changes a queue.
	QueuePatch = wire.QueuePatch
	// QueueDefaults are what a queue's tasks get that leave it open.
	QueueDefaults = wire.QueueDefaults

	// Duration is a time.Duration that JSON has as a string.
	Duration = wire.Duration
)

// The states of a task.
const (
	Scheduled = wire.TaskStateScheduled
	Ready     = wire.TaskStateReady
	Leased    = wire.TaskStateLeased
	Completed = wire.TaskStateCompleted
	Cancelled = wire.TaskStateCancelled
	Dead      = wire.TaskStateDead
)

// In returns d for the fields where zero is not the same as nothing, such as
// NewTask.Delay and NewTask.Retention.
func In(d time.Duration) *Duration { return new(Duration(d)) }
