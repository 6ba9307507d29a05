package scheduler

import (
	"github.com/timewheel-dev/timewheel/task"
)

// expired holds what the wheel has given out and no pass has taken yet, queue by
// queue. Passes take in turn from each, so that a hundred thousand tasks that
// one queue has at nine o'clock don't hold up the one that another has a second
// later.
//
//	wheel ──▶ orders   ▪ ▪ ▪ ▪ ▪ ▪ ▪ ──┐
//	          reports  ▪ ──────────────┼─▶ pass: ▪orders ▪reports ▪polls ▪orders …
//	          polls    ▪ ▪ ────────────┘
//
// Within a queue the order is that of the wheel. What is removed leaves its place
// empty, to be passed over.
type expired struct {
	waits  map[task.ID]bool
	queues []*expiredQueue
	byName map[string]*expiredQueue
}

type expiredQueue struct {
	name    string
	waiting []waiting
}

func newExpired() *expired {
	return &expired{waits: make(map[task.ID]bool), byName: make(map[string]*expiredQueue)}
}

func (e *expired) len() int { return len(e.waits) }

func (e *expired) add(w waiting) {
	q := e.byName[w.ref.Queue]
	if q == nil {
		q = &expiredQueue{name: w.ref.Queue}
		e.byName[q.name] = q
		e.queues = append(e.queues, q)
	}
	q.waiting = append(q.waiting, w)
	e.waits[w.id] = true
}

func (e *expired) remove(id task.ID) { delete(e.waits, id) }

// take takes out up to limit entries, one of each queue in turn. The queue that
// was served last comes last the next time.
func (e *expired) take(limit int) []waiting {
	var taken []waiting
	for len(taken) < limit && len(e.queues) > 0 {
		q := e.queues[0]
		e.queues = e.queues[1:]
		if w, ok := e.first(q); ok {
			taken = append(taken, w)
		}
		if len(q.waiting) == 0 {
			delete(e.byName, q.name)
			continue
		}
		e.queues = append(e.queues, q)
	}
	return taken
}

// first takes out the first entry of a queue that was not removed.
func (e *expired) first(q *expiredQueue) (waiting, bool) {
	for len(q.waiting) > 0 {
		w := q.waiting[0]
		q.waiting = q.waiting[1:]
		if e.waits[w.id] {
			delete(e.waits, w.id)
			return w, true
		}
	}
	return waiting{}, false
}
