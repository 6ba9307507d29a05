package scheduler

import (
	"context"
	"sync"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// maxSettings bounds the cache; beyond it the cache starts anew.
const maxSettings = 10_000

// settings is a read-through cache of the queues' settings.
type settings struct {
	store store.Store

	mu      sync.RWMutex
	byQueue map[string]task.Queue // guarded by mu

	writing sync.Mutex // held while store and cache are brought to agree
}

func newSettings(st store.Store) *settings {
	return &settings{store: st, byQueue: make(map[string]task.Queue)}
}

// get returns a queue's settings, zero ones of Revision 0 if nothing was ever
// set. The result is read-only.
func (c *settings) get(ctx context.Context, queue string) (task.Queue, error) {
	c.mu.RLock()
	q, ok := c.byQueue[queue]
	c.mu.RUnlock()
	if ok {
		return q, nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	row, err := c.store.Queue(ctx, queue)
	if err != nil {
		return task.Queue{}, err
	}
	c.put(queue, row.Queue)
	return row.Queue, nil
}

func (c *settings) put(queue string, q task.Queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byQueue) >= maxSettings {
		clear(c.byQueue)
	}
	c.byQueue[queue] = q
}

// update reads, changes and stores a queue's settings. change is called without
// a lock.
func (c *settings) update(ctx context.Context, queue string, change func(*task.Queue) error) (task.Queue, error) {
	row, err := c.store.Queue(ctx, queue)
	if err != nil {
		return task.Queue{}, err
	}
	q := row.Queue
	q.Name = queue
	if err := change(&q); err != nil {
		return task.Queue{}, err
	}
	q.Name, q.Revision = queue, row.Revision+1
	if err := q.Validate(); err != nil {
		return task.Queue{}, err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.store.PutQueue(ctx, q); err != nil {
		c.drop(queue) // it may have taken effect
		return task.Queue{}, err
	}
	c.put(queue, q)
	return q, nil
}

func (c *settings) drop(queue string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byQueue, queue)
}
