package client

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
)

func tasksPath(queue string) string { return queuePath(queue) + "/tasks" }

func taskPath(queue, key string) string { return tasksPath(queue) + "/" + wire.PathSegment(key) }

// ScheduledTask is a task that was scheduled, without its payload, metadata and
// webhook.
type ScheduledTask struct {
	Task
	Replaced bool // the key had a record, which this one took the place of
}

// Schedule schedules a task. Its key names it in its queue: a record that the
// key has is replaced, unless t.IfAbsent. Without a key, one is generated.
func (c *Client) Schedule(ctx context.Context, t NewTask, conditions ...Condition) (ScheduledTask, error) {
	var s ScheduledTask
	q := request{method: http.MethodPut, path: taskPath(t.Queue, t.Key), conditions: conditions, into: &s.Task}
	if t.Key == "" {
		q.method, q.path = http.MethodPost, tasksPath(t.Queue)
	} else if t.IfAbsent {
		q.query = url.Values{"if_absent": {"true"}}
	}
	t.Queue, t.Key, t.IfAbsent = "", "", false // they stand in the path
	q.body = &t
	status, err := c.do(ctx, q)
	s.Replaced = status == http.StatusOK
	return s, err
}

// Get reads a task, with its payload.
func (c *Client) Get(ctx context.Context, queue, key string) (Task, error) {
	return c.task(ctx, request{method: http.MethodGet, path: taskPath(queue, key)})
}

// Update changes a pending task and returns it as it is now.
func (c *Client) Update(ctx context.Context, queue, key string, p Patch, conditions ...Condition) (Task, error) {
	return c.task(ctx, request{method: http.MethodPatch, path: taskPath(queue, key), body: &p, conditions: conditions})
}

// Cancel takes a task back. Without an error, it will not fire.
func (c *Client) Cancel(ctx context.Context, queue, key string, conditions ...Condition) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: taskPath(queue, key), conditions: conditions})
	return err
}

// Run makes a pending task due at once.
func (c *Client) Run(ctx context.Context, queue, key string) (Task, error) {
	return c.task(ctx, request{method: http.MethodPost, path: taskPath(queue, key) + ":run"})
}

// Redrive puts a dead task back, due at once, its failures forgotten.
func (c *Client) Redrive(ctx context.Context, queue, key string) (Task, error) {
	return c.task(ctx, request{method: http.MethodPost, path: taskPath(queue, key) + ":redrive"})
}

func (c *Client) task(ctx context.Context, q request) (t Task, err error) {
	q.into = &t
	_, err = c.do(ctx, q)
	return t, err
}

// ListOptions select tasks of a queue. The zero value selects all.
type ListOptions struct {
	State     TaskState // "": all states, ordered by key
	DueBefore time.Time // zero: no bound; needs a State
	PageSize  int       // tasks per request; 0 leaves it to the daemon
}

// List yields a queue's tasks, without payloads, and asks for the next page
// when the one before is used up. It ends after the first error.
func (c *Client) List(ctx context.Context, queue string, o ListOptions) iter.Seq2[Task, error] {
	query := url.Values{}
	if o.State != "" {
		query.Set("state", string(o.State))
	}
	if !o.DueBefore.IsZero() {
		query.Set("due_before", o.DueBefore.Format(time.RFC3339Nano))
	}
	if o.PageSize != 0 {
		query.Set("page_size", strconv.Itoa(o.PageSize))
	}
	return pages(query, func(query url.Values) ([]Task, string, error) {
		var page wire.TaskList
		_, err := c.do(ctx, request{method: http.MethodGet, path: tasksPath(queue), query: query, into: &page})
		return page.Tasks, page.NextPageToken, err
	})
}

// pages yields the items of all pages that get returns.
func pages[T any](query url.Values, get func(url.Values) (items []T, next string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query) // each iteration has its own place
		for {
			items, next, err := get(query)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			query.Set("page_token", next)
		}
	}
}
