package task

import "time"

// Queue is one line of business: the settings that its tasks share. A queue
// comes into being on first use.
type Queue struct {
	Name     string
	Revision uint64 // 0 while nothing was ever set
	Paused   bool   // nothing is claimed or pushed; due tasks wait, ready

	// Defaults fill what a task leaves open. They are copied into the task when
	// it is scheduled: a later change of the queue leaves scheduled tasks as
	// they were acknowledged.
	Defaults Defaults

	// Concurrency bounds how many pushes of this queue run at once on a node;
	// 0 is the scheduler's default.
	Concurrency int

	// SigningSecrets sign the queue's webhooks (Standard Webhooks, "whsec_" and
	// base64), the present one first; a second one is valid beside it during a
	// rotation.
	SigningSecrets []string
}

// Defaults are a queue's values for what its tasks leave open. Zero fields
// leave it to the package defaults.
type Defaults struct {
	Webhook   *Webhook
	Retry     Retry
	Timeout   time.Duration
	Retention time.Duration // negative: finished records are not kept
}

// Counts is the number of a queue's tasks by State.
type Counts [len(States) + 1]int64
