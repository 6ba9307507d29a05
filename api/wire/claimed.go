package wire

import "time"

// ClaimedTask is a task and the right to settle one attempt of it.
type ClaimedTask struct {
	// LeaseToken names the attempt; pass it on as it is.
	LeaseToken string `json:"lease_token"`

	// LeaseUntil is when somebody else may claim the task.
	LeaseUntil time.Time `json:"lease_until"`

	// Epoch only ever grows; it lets a receiver refuse a stale worker.
	Epoch uint64 `json:"epoch"`

	Task
}
