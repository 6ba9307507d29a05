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

	// NewSchedule is a schedule to be. Exactly one of Cron, Every and At.
	NewSchedule = wire.BatchSchedule
	// Schedule is a schedule as the daemon has it.
	Schedule = wire.Schedule
	// ScheduleState is where a schedule stands.
	ScheduleState = wire.ScheduleState
	// Cron is one cron expression, or several that together say when.
	Cron = wire.Cron
	// DST says what becomes of a cron expression's times where the clocks change.
	DST = wire.DST
	// Misfire says what becomes of occurrences that were missed.
	Misfire = wire.Misfire
	// MisfirePolicy is one way to treat them.
	MisfirePolicy = wire.MisfirePolicy
	// Overlap says what becomes of an occurrence while an earlier one is not finished.
	Overlap = wire.Overlap
	// ScheduleTask is the task that each occurrence becomes.
	ScheduleTask = wire.ScheduleTask
	// ScheduleBatchResult is what became of one schedule of a batch.
	ScheduleBatchResult = wire.ScheduleBatchResult
	// ScheduleBatchResponse has the results of a batch, and their numbers.
	ScheduleBatchResponse = wire.ScheduleBatchResponse
	// Triggered is what became of a trigger.
	Triggered = wire.TriggerResponse
	// Occurrences are a schedule's occurrences.
	Occurrences = wire.Occurrences
	// ComingOccurrence is one to come.
	ComingOccurrence = wire.ComingOccurrence

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

// The states of a schedule.
const (
	ScheduleActive   = wire.ScheduleStateActive
	SchedulePaused   = wire.ScheduleStatePaused
	ScheduleFinished = wire.ScheduleStateFinished
)

// The misfire policies.
const (
	MisfireOnce = wire.MisfirePolicyOnce
	MisfireAll  = wire.MisfirePolicyAll
	MisfireLast = wire.MisfirePolicyLast
	MisfireSkip = wire.MisfirePolicySkip
)

// The overlap policies.
const (
	OverlapAllow   = wire.OverlapAllow
	OverlapSkip    = wire.OverlapSkip
	OverlapQueue   = wire.OverlapQueue
	OverlapReplace = wire.OverlapReplace
)

// In returns d for the fields where zero is not the same as nothing, such as
// NewTask.Delay and NewTask.Retention.
func In(d time.Duration) *Duration { return new(Duration(d)) }
