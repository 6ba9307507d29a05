package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// MaxBatch is how many tasks or leases a batch may have.
const MaxBatch = 10_000

// ScheduleBatch schedules up to MaxBatch tasks in one call, each with its own
// result, in their order. Without an error, look at Failed: a task that is wrong
// fails alone.
func (c *Client) ScheduleBatch(ctx context.Context, tasks []NewTask) (BatchResponse, error) {
	return c.ScheduleLines(ctx, "", &lineReader[NewTask]{items: tasks, payload: payloadOfTask})
}

// ScheduleLines is ScheduleBatch for tasks that are NDJSON already, one a line,
// which are sent as they are. The queue is for those that name none, and may be "".
func (c *Client) ScheduleLines(ctx context.Context, queue string, lines io.Reader) (answer BatchResponse, err error) {
	q := request{method: http.MethodPost, path: "/v1/tasks:batch", lines: lines, into: &answer}
	if queue != "" {
		q.query = url.Values{"queue": {queue}}
	}
	_, err = c.do(ctx, q)
	return answer, err
}

// PutSchedules stores up to MaxBatch schedules in one call, each with its own
// result, in their order. Without an error, look at Failed: a schedule that is wrong
// fails alone.
func (c *Client) PutSchedules(ctx context.Context, schedules []NewSchedule) (ScheduleBatchResponse, error) {
	return c.PutScheduleLines(ctx, "", &lineReader[NewSchedule]{items: schedules, payload: payloadOfSchedule})
}

// PutScheduleLines is PutSchedules for schedules that are NDJSON already, one a
// line, which are sent as they are. The queue is for those that name none, and may
// be "".
func (c *Client) PutScheduleLines(ctx context.Context, queue string, lines io.Reader) (answer ScheduleBatchResponse, err error) {
	q := request{method: http.MethodPost, path: "/v1/schedules:batch", lines: lines, into: &answer}
	if queue != "" {
		q.query = url.Values{"queue": {queue}}
	}
	_, err = c.do(ctx, q)
	return answer, err
}

// lineReader writes items as NDJSON while it is read.
type lineReader[T any] struct {
	items   []T
	payload func(*T) *json.RawMessage
	next    int
	buf     bytes.Buffer
	err     error
}

func payloadOfTask(t *NewTask) *json.RawMessage { return &t.Payload }

func payloadOfSchedule(s *NewSchedule) *json.RawMessage { return &s.Task.Payload }

// Read returns the next bytes.
func (r *lineReader[T]) Read(p []byte) (int, error) {
	const chunk = 32 << 10
	if r.buf.Len() == 0 {
		r.buf.Reset()
		for r.err == nil && r.next < len(r.items) && r.buf.Len() < chunk {
			r.err = r.encode(r.items[r.next])
			r.next++
		}
	}
	switch {
	case r.err != nil:
		return 0, r.err
	case r.buf.Len() == 0:
		return 0, io.EOF
	}
	return r.buf.Read(p)
}

// encode adds one line. A payload with line breaks is compacted, since a line
// can't hold them.
func (r *lineReader[T]) encode(item T) error {
	if payload := r.payload(&item); bytes.ContainsAny(*payload, "\r\n") {
		var compact bytes.Buffer
		if err := json.Compact(&compact, *payload); err != nil {
			return fmt.Errorf("item %d: payload: %w", r.next, err)
		}
		*payload = compact.Bytes()
	}
	if err := wire.Encode(&r.buf, &item); err != nil {
		return fmt.Errorf("item %d: %w", r.next, err)
	}
	return nil
}
