package storetest

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// t0 is the instant that tests count from.
const t0 = task.Instant(1_800_000_000_000_000)

var ids atomic.Uint64

// newID returns an id that sorts behind all earlier ones.
func newID() task.ID {
	var id task.ID
	binary.BigEndian.PutUint64(id[8:], ids.Add(1))
	return id
}

// newTask returns a scheduled task for workers, due at an instant.
func newTask(queue, key string, due task.Instant) *task.Task {
	return &task.Task{
		ID: newID(), Queue: queue, Key: key,
		State: task.Scheduled, Revision: 1,
		Due: due, Expiry: due, Next: due, Created: t0, Updated: t0,
		Timeout: 30 * time.Second, Retention: time.Hour,
		Retry: task.Retry{MaxAttempts: 3, MinBackoff: time.Second, MaxBackoff: time.Minute},
		Size:  7,
		Body:  &task.Body{Payload: []byte("payload"), ContentType: "text/plain"},
	}
}

// pushed gives t a webhook on a host.
func pushed(t *task.Task, host string) *task.Task {
	t.Host = host
	t.Body.Webhook = &task.Webhook{URL: "https://" + host + "/hook", Headers: map[string]string{"X-Key": t.Key}}
	return t
}

// many returns n scheduled tasks, due at distinct instants in the order of
// their keys.
func many(queue string, n int) []*task.Task {
	all := make([]*task.Task, n)
	for i := range all {
		all[i] = newTask(queue, fmt.Sprintf("key-%05d", i), t0+task.Instant(i))
	}
	return all
}

// moved returns t's next version, in a state, without a body: the stored one
// is to be kept. t itself stays as it is.
func moved(t *task.Task, to task.State) *task.Task {
	c := t.Clone()
	c.Body = nil
	c.State, c.Revision, c.Nonce = to, t.Revision+1, 0
	c.Updated = t.Updated + 1
	switch to {
	case task.Scheduled:
		c.Expiry += 1000
		c.Next = c.Expiry
		c.Finished = 0
	case task.Ready:
		c.Next = 0
	case task.Leased:
		c.Attempt++
		c.Nonce = uint64(c.Attempt)
		c.Fired = c.Updated
		c.Next = c.Expiry + 30_000_000
	case task.Completed, task.Cancelled, task.Dead:
		c.Finished = c.Updated
		c.Next = c.Updated + 3_600_000_000
	}
	return c
}

// entry is t's row in the index of next instants.
func entry(t *task.Task) store.Entry {
	return store.Entry{Pos: store.Pos{At: t.Next, ID: t.ID}, Ref: store.RefOf(t)}
}

// readyEntry is t's row in its lane.
func readyEntry(t *task.Task) store.Entry {
	return store.Entry{Pos: store.Pos{At: t.Expiry, ID: t.ID}, Ref: store.RefOf(t)}
}
