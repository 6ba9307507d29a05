package api

import (
	"context"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// Scheduler is what the door leads to. *scheduler.Scheduler is one, and says
// what the methods do.
type Scheduler interface {
	Schedule(ctx context.Context, r scheduler.ScheduleRequest) scheduler.ScheduleResult
	ScheduleBatch(ctx context.Context, rs []scheduler.ScheduleRequest) ([]scheduler.ScheduleResult, error)
	Get(ctx context.Context, queue, key string) (*task.Task, error)
	Update(ctx context.Context, queue, key string, p scheduler.Patch, ifRevision uint64) (*task.Task, error)
	Cancel(ctx context.Context, queue, key string, ifRevision uint64) (*task.Task, error)
	RunNow(ctx context.Context, queue, key string) (*task.Task, error)
	Redrive(ctx context.Context, queue, key string) (*task.Task, error)
	List(ctx context.Context, r scheduler.ListRequest) (scheduler.Page, error)

	PutSchedule(ctx context.Context, r scheduler.PutScheduleRequest) scheduler.PutScheduleResult
	PutSchedules(ctx context.Context, rs []scheduler.PutScheduleRequest) ([]scheduler.PutScheduleResult, error)
	GetSchedule(ctx context.Context, queue, key string) (*scheduler.ScheduleInfo, error)
	DeleteSchedule(ctx context.Context, queue, key string, ifRevision uint64) error
	PauseSchedule(ctx context.Context, queue, key string) (*scheduler.ScheduleInfo, error)
	ResumeSchedule(ctx context.Context, queue, key string) (*scheduler.ScheduleInfo, error)
	TriggerSchedule(ctx context.Context, queue, key string) (scheduler.Triggered, error)
	ListSchedules(ctx context.Context, r scheduler.ListSchedulesRequest) (scheduler.SchedulePage, error)
	Occurrences(ctx context.Context, r scheduler.OccurrencesRequest) (scheduler.Occurrences, error)

	Claim(ctx context.Context, r scheduler.ClaimRequest) ([]task.Lease, error)
	Settle(ctx context.Context, s []scheduler.Settlement) ([]scheduler.SettleResult, error)

	Queues(ctx context.Context, after string, limit int) ([]scheduler.QueueInfo, error)
	Queue(ctx context.Context, name string) (scheduler.QueueInfo, error)
	UpdateQueue(ctx context.Context, name string, change func(*task.Queue) error) (task.Queue, error)
	Purge(ctx context.Context, queue string, state task.State) (int64, error)
}
