package scheduler

import (
	"context"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/task"
)

// Options tune a Scheduler. The zero value is ready to use.
type Options struct {
	// Node is this process's name among the store's owners. Default: host name
	// and a random part.
	Node string

	// Clock is the wall clock. Default: the real one.
	Clock clock.Clock

	// Pusher delivers tasks that have a webhook. Default: none, such tasks wait,
	// ready.
	Pusher Pusher

	// Events are told what happens. Default: nobody is.
	Events Events

	// MaxPayload bounds a task's payload, in bytes. Default: task.DefaultMaxPayload.
	MaxPayload int

	// Horizon is how far ahead of their instant tasks are loaded into memory.
	// Default: 1 minute.
	Horizon time.Duration

	// Window bounds how many waiting tasks are held in memory, over all shards;
	// the nearest are. It has the upper hand over Horizon. Default: 262144.
	Window int

	// CatchUpRate bounds how many missed occurrences of schedules become tasks in
	// a second after an outage, over all schedules. What is late by no more than its
	// schedule's Misfire.Grace does not count. Default: 1000.
	CatchUpRate int

	// Limits bound the pushes that run at once.
	Limits PushLimits

	// DrainTimeout is how long Run, when it is told to stop, waits for running
	// attempts before it cancels them and releases their leases. Default: 30 s.
	DrainTimeout time.Duration
}

// PushLimits bound how many pushes run at once on this node, so that a dead
// endpoint holds up nobody but itself.
type PushLimits struct {
	Node  int // in all. Default: 512
	Queue int // of one queue, unless its settings say otherwise. Default: 128
	Host  int // to one host. Default: 64
}

// Pusher delivers one leased attempt to the outside and reports its outcome.
// It is called from many goroutines and must end soon after ctx is done, which
// is when the attempt's time is up or the scheduler stops.
type Pusher interface {
	Push(ctx context.Context, lease task.Lease, secrets []string) task.Outcome
}

// HandlerFunc runs one attempt in this process. A nil error completes the
// task; any other fails the attempt, unless it is made by [Snooze] or
// [Refuse]. ctx is done when the attempt's time is up or the scheduler stops.
type HandlerFunc func(ctx context.Context, t *task.Task) error
