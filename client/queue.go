package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"github.com/timewheel-dev/timewheel/api/wire"
)

func queuePath(queue string) string { return "/v1/queues/" + wire.PathSegment(queue) }

// Queues yields the queues by name, without their signing secrets. It ends
// after the first error.
func (c *Client) Queues(ctx context.Context) iter.Seq2[Queue, error] {
	return pages(url.Values{}, func(query url.Values) ([]Queue, string, error) {
		var page wire.QueueList
		_, err := c.do(ctx, request{method: http.MethodGet, path: "/v1/queues", query: query, into: &page})
		return page.Queues, page.NextPageToken, err
	})
}

// Queue reads a queue's settings, its signing secrets among them, and counts.
func (c *Client) Queue(ctx context.Context, name string) (Queue, error) {
	return c.queue(ctx, request{method: http.MethodGet, path: queuePath(name)})
}

// UpdateQueue changes a queue's settings, and makes the queue if need be.
func (c *Client) UpdateQueue(ctx context.Context, name string, p QueuePatch, conditions ...Condition) (Queue, error) {
	return c.queue(ctx, request{method: http.MethodPatch, path: queuePath(name), body: &p, conditions: conditions})
}

// Pause keeps the queue's tasks from being claimed and pushed.
func (c *Client) Pause(ctx context.Context, name string) (Queue, error) {
	return c.queue(ctx, request{method: http.MethodPost, path: queuePath(name) + ":pause"})
}

// Resume ends a pause.
func (c *Client) Resume(ctx context.Context, name string) (Queue, error) {
	return c.queue(ctx, request{method: http.MethodPost, path: queuePath(name) + ":resume"})
}

func (c *Client) queue(ctx context.Context, q request) (answer Queue, err error) {
	q.into = &answer
	_, err = c.do(ctx, q)
	return answer, err
}

// Purge deletes a queue's tasks in one state for good, or in all states but
// leased if state is "", and returns how many.
func (c *Client) Purge(ctx context.Context, name string, state TaskState) (int64, error) {
	var answer wire.PurgeResponse
	_, err := c.do(ctx, request{method: http.MethodPost, path: queuePath(name) + ":purge", body: &wire.PurgeRequest{State: state}, into: &answer})
	return answer.Purged, err
}
