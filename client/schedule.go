package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
)

func schedulesPath(queue string) string { return queuePath(queue) + "/schedules" }

func schedulePath(queue, key string) string {
	return schedulesPath(queue) + "/" + wire.PathSegment(key)
}

// PutScheduleResult is a schedule as it was stored, without its task's payload.
type PutScheduleResult struct {
	Schedule
	Replaced bool // the key had a schedule, which was changed
}

// PutSchedule stores a schedule, or changes the one that has its key, unless
// s.IfAbsent. A changed one keeps its phase and its counts; only if its recurrence is
// another one than before, it goes on with the first occurrence from now.
func (c *Client) PutSchedule(ctx context.Context, s NewSchedule, conditions ...Condition) (PutScheduleResult, error) {
	var r PutScheduleResult
	q := request{method: http.MethodPut, path: schedulePath(s.Queue, s.Key), conditions: conditions, into: &r.Schedule}
	if s.IfAbsent {
		q.query = url.Values{"if_absent": {"true"}}
	}
	s.Queue, s.Key, s.IfAbsent = "", "", false // they stand in the path
	q.body = &s
	status, err := c.do(ctx, q)
	r.Replaced = status == http.StatusOK
	return r, err
}

// GetSchedule reads a schedule, with its task's payload.
func (c *Client) GetSchedule(ctx context.Context, queue, key string) (Schedule, error) {
	return c.schedule(ctx, request{method: http.MethodGet, path: schedulePath(queue, key)})
}

// DeleteSchedule removes a schedule. Occurrences that are tasks already stay as
// they are.
func (c *Client) DeleteSchedule(ctx context.Context, queue, key string, conditions ...Condition) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: schedulePath(queue, key), conditions: conditions})
	return err
}

// PauseSchedule stops a schedule until it is resumed.
func (c *Client) PauseSchedule(ctx context.Context, queue, key string) (Schedule, error) {
	return c.schedule(ctx, request{method: http.MethodPost, path: schedulePath(queue, key) + ":pause"})
}

// ResumeSchedule lets a paused schedule go on, in its old phase. What it passed
// over is not made up for.
func (c *Client) ResumeSchedule(ctx context.Context, queue, key string) (Schedule, error) {
	return c.schedule(ctx, request{method: http.MethodPost, path: schedulePath(queue, key) + ":resume"})
}

// TriggerSchedule makes an occurrence at once, beside those of the recurrence,
// also of a schedule that is paused or finished. It fails, with IsOverlap, if
// the overlap policy lets no other occurrence in.
func (c *Client) TriggerSchedule(ctx context.Context, queue, key string) (answer Triggered, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: schedulePath(queue, key) + ":trigger", into: &answer})
	return answer, err
}

func (c *Client) schedule(ctx context.Context, q request) (s Schedule, err error) {
	q.into = &s
	_, err = c.do(ctx, q)
	return s, err
}

// ListSchedulesOptions tune a listing. The zero value is ready to use.
type ListSchedulesOptions struct {
	PageSize int // schedules per request; 0 leaves it to the daemon
}

// ListSchedules yields a queue's schedules by key, without payloads, and asks
// for the next page when the one before is used up. It ends after the first error.
func (c *Client) ListSchedules(ctx context.Context, queue string, o ListSchedulesOptions) iter.Seq2[Schedule, error] {
	query := url.Values{}
	if o.PageSize != 0 {
		query.Set("page_size", strconv.Itoa(o.PageSize))
	}
	return pages(query, func(query url.Values) ([]Schedule, string, error) {
		var page wire.ScheduleList
		_, err := c.do(ctx, request{method: http.MethodGet, path: schedulesPath(queue), query: query, into: &page})
		return page.Schedules, page.NextPageToken, err
	})
}

// OccurrencesOptions select occurrences of a schedule.
type OccurrencesOptions struct {
	N      int       // at most so many to come, and as many past ones; 0: 10
	Before time.Time // of past ones, only those before it; zero: no bound
}

// Occurrences reads a schedule's occurrences, to come, waiting and past. The past
// ones are tasks, newest first, until their records are purged.
func (c *Client) Occurrences(ctx context.Context, queue, key string, o OccurrencesOptions) (answer Occurrences, err error) {
	query := url.Values{}
	if o.N != 0 {
		query.Set("n", strconv.Itoa(o.N))
	}
	if !o.Before.IsZero() {
		query.Set("before", o.Before.Format(time.RFC3339Nano))
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: schedulePath(queue, key) + "/occurrences", query: query, into: &answer})
	return answer, err
}
