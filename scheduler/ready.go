package scheduler

import (
	"context"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// laneBuffer bounds the ready tasks of one lane that a shard holds in memory;
// the store holds the rest.
const laneBuffer = 256

// ready is the ready tasks of one shard, by lane. It belongs to the shard's
// writer.
type ready struct {
	store store.Store
	shard int
	lanes map[task.Lane]*laneQueue
	held  int // entries in all buffers
}

// laneQueue is the front of one lane. Every ready record of the lane whose
// position is not after tail is in buf (with, perhaps, some that are not ready
// any more; take finds out). If spilled, the store may have more beyond tail.
type laneQueue struct {
	buf     []store.Entry // ordered
	spilled bool
	tail    store.Pos // meaningful if spilled
}

func newReady(st store.Store, shard int) *ready {
	return &ready{store: st, shard: shard, lanes: make(map[task.Lane]*laneQueue)}
}

func (r *ready) len() int { return r.held }

// reload forgets all and finds the lanes that have ready tasks in the store.
func (r *ready) reload(ctx context.Context) ([]task.Lane, error) {
	const page = 1000
	r.held = 0
	clear(r.lanes)
	var all []task.Lane
	for after := (task.Lane{}); ; {
		lanes, err := r.store.Lanes(ctx, r.shard, after, page)
		if err != nil {
			return nil, err
		}
		for _, lane := range lanes {
			r.lanes[lane] = &laneQueue{spilled: true}
		}
		all = append(all, lanes...)
		if len(lanes) < page {
			return all, nil
		}
		after = lanes[len(lanes)-1]
	}
}

// add enters a task that the store now has as ready.
func (r *ready) add(t *task.Task) {
	lane := t.Lane()
	q := r.lanes[lane]
	if q == nil {
		q = &laneQueue{}
		r.lanes[lane] = q
	}
	e := store.Entry{Pos: store.Pos{At: t.Expiry, ID: t.ID}, Ref: store.RefOf(t)}
	if q.spilled && e.Compare(q.tail) > 0 {
		return
	}
	i, found := slices.BinarySearchFunc(q.buf, e, func(a, b store.Entry) int { return a.Compare(b.Pos) })
	if found {
		q.buf[i] = e
		return
	}
	q.buf = slices.Insert(q.buf, i, e)
	r.held++
	if len(q.buf) > 2*laneBuffer {
		r.held -= len(q.buf) - laneBuffer
		q.buf = slices.Clip(q.buf[:laneBuffer])
		q.spilled, q.tail = true, q.buf[laneBuffer-1].Pos
	}
}

// remove takes out a task that is not ready any more. It reports whether that
// leaves its lane empty.
func (r *ready) remove(t *task.Task) (emptied bool) {
	lane := t.Lane()
	q := r.lanes[lane]
	if q == nil {
		return false
	}
	pos := store.Pos{At: t.Expiry, ID: t.ID}
	if i, found := slices.BinarySearchFunc(q.buf, pos, func(e store.Entry, p store.Pos) int { return e.Compare(p) }); found {
		q.buf = slices.Delete(q.buf, i, i+1)
		r.held--
	}
	r.prune(lane)
	return r.lanes[lane] == nil
}

// waiting returns how many tasks of a lane are known to wait, and whether there
// may be more of them.
func (r *ready) waiting(lane task.Lane) (n int, more bool) {
	q := r.lanes[lane]
	if q == nil {
		return 0, false
	}
	return len(q.buf), q.spilled
}

// take removes the first n entries of a lane, reading more from the store as
// needed. Fewer are returned if there are no more.
func (r *ready) take(ctx context.Context, lane task.Lane, n int) ([]store.Entry, error) {
	q := r.lanes[lane]
	if q == nil {
		return nil, nil
	}
	var taken []store.Entry
	for len(taken) < n {
		if len(q.buf) == 0 {
			if err := r.refill(ctx, lane, q); err != nil {
				return nil, err
			}
			if len(q.buf) == 0 {
				break
			}
		}
		k := min(n-len(taken), len(q.buf))
		taken = append(taken, q.buf[:k]...)
		q.buf = q.buf[k:]
		r.held -= k
	}
	r.prune(lane)
	return taken, nil
}

func (r *ready) refill(ctx context.Context, lane task.Lane, q *laneQueue) error {
	if !q.spilled {
		return nil
	}
	page, err := r.store.Ready(ctx, r.shard, lane, q.tail, laneBuffer)
	if err != nil {
		return err
	}
	q.buf = page
	r.held += len(page)
	if len(page) < laneBuffer {
		q.spilled = false
		return nil
	}
	q.tail = page[len(page)-1].Pos
	return nil
}

// prune forgets a lane in which nothing waits.
func (r *ready) prune(lane task.Lane) {
	if q := r.lanes[lane]; q != nil && len(q.buf) == 0 && !q.spilled {
		delete(r.lanes, lane)
	}
}
