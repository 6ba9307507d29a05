package scheduler

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// ownMargin is how much longer the lease of an attempt that runs in this
// process is than the attempt may take: time for the outcome to be stored.
const ownMargin = 15 * time.Second

// dispatch finds takers for the ready tasks of the lanes that were touched.
func (tx *tx) dispatch(ctx context.Context) error {
	for _, lane := range tx.lanes {
		if err := tx.dispatchLane(ctx, lane); err != nil {
			return err
		}
	}
	return tx.loadBodies(ctx)
}

// dispatchLane leases as many of a lane's ready tasks as there are takers for,
// the longest due first: those that wait since earlier passes, then the fresh
// ones.
func (tx *tx) dispatchLane(ctx context.Context, lane task.Lane) error {
	fresh := tx.fresh[lane]
	old, more := tx.sh.ready.waiting(lane)
	want := old + len(fresh)
	if more {
		want = max(want, passLeases)
	}
	if want > passLeases {
		want, more = passLeases, true
	}
	settings, err := tx.sh.s.settings.get(ctx, lane.Queue)
	if err != nil {
		return err
	}
	grants := tx.sh.s.hub.reserve(demand{
		lane: lane, shard: tx.sh, want: want, more: more, queue: settings, limits: tx.sh.s.o.Limits,
	})
	for i, g := range grants {
		if err := tx.fill(ctx, g, &fresh); err != nil {
			for _, later := range grants[i:] {
				tx.sh.s.hub.giveBack(later, later.n)
			}
			return err
		}
	}
	if len(grants) > 0 && more {
		tx.then(func() { tx.sh.nudge(lane) })
	}
	// Settings that changed in between may have found nobody waiting yet.
	if now, err := tx.sh.s.settings.get(ctx, lane.Queue); err != nil || now.Revision != settings.Revision {
		tx.sh.nudge(lane)
	}
	return nil
}

// fill leases tasks for one grant. What it has no tasks for goes back once the
// batch is durable, so that a claim is not ended by it before its tasks come.
func (tx *tx) fill(ctx context.Context, g grant, fresh *[]*record) error {
	rs, err := tx.takeReady(ctx, g.lane, g.n, fresh)
	if err != nil {
		return err
	}
	h := handOut{grant: g, leases: make([]task.Lease, 0, len(rs))}
	bytes := 0
	for i, r := range rs {
		bytes += int(r.cur.Size)
		if i > 0 && g.claim != nil && bytes > claimBytes {
			tx.putBack(g.lane, rs[i:])
			break
		}
		h.leases = append(h.leases, tx.lease(r, g))
	}
	tx.out = append(tx.out, h)
	return nil
}

// takeReady takes up to n ready tasks of a lane out of memory.
func (tx *tx) takeReady(ctx context.Context, lane task.Lane, n int, fresh *[]*record) ([]*record, error) {
	var rs []*record
	for len(rs) < n {
		entries, err := tx.sh.ready.take(ctx, lane, n-len(rs))
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			break
		}
		refs := make([]store.Ref, len(entries))
		for i, e := range entries {
			refs[i] = e.Ref
		}
		if err := tx.fetch(ctx, refs); err != nil {
			return nil, err
		}
		for _, e := range entries {
			switch r := tx.records[e.Ref]; {
			case !stillReady(r.cur, e, lane):
			case e.At > tx.now: // the clock was set back since it became ready
				tx.reschedule(r, r.cur.Clone(), e.At)
			default:
				rs = append(rs, r)
			}
		}
	}
	k := min(n-len(rs), len(*fresh))
	rs = append(rs, (*fresh)[:k]...)
	*fresh = (*fresh)[k:]
	return rs, nil
}

// stillReady reports whether an entry's task waits in the lane yet: it may have
// been cancelled, moved or replaced.
func stillReady(t *task.Task, e store.Entry, lane task.Lane) bool {
	return t != nil && t.State == task.Ready && t.ID == e.ID && t.Expiry == e.At && t.Host == lane.Host
}

// putBack returns what takeReady took. Changed records are entered anew when
// the batch is durable.
func (tx *tx) putBack(lane task.Lane, rs []*record) {
	for _, r := range rs {
		if !r.changed {
			tx.sh.ready.add(r.cur)
		}
	}
	tx.then(func() { tx.sh.nudge(lane) })
}

// lease makes a ready record leased.
func (tx *tx) lease(r *record, g grant) task.Lease {
	t := r.cur.Clone()
	length := t.Timeout
	if g.claim != nil {
		length = cmp.Or(g.claim.lease, t.Timeout)
	}
	if g.claim == nil || g.claim.own {
		length += ownMargin
		t.RunBy = tx.sh.epoch
	}
	t.State = task.Leased
	t.Attempt++
	t.Fired = tx.now
	t.Nonce = rand.Uint64() | 1 // never 0
	t.Next = tx.now.Add(length)
	tx.put(r, t)
	return task.Lease{
		Task:  t,
		Token: task.Token{Queue: t.Queue, Key: t.Key, Attempt: t.Attempt, Nonce: t.Nonce},
		Until: t.Next,
		Epoch: tx.sh.epoch,
	}
}

// loadBodies reads what the leased tasks' receivers get.
func (tx *tx) loadBodies(ctx context.Context) error {
	var refs []store.Ref
	for _, h := range tx.out {
		for _, l := range h.leases {
			refs = append(refs, store.RefOf(l.Task))
		}
	}
	if len(refs) == 0 {
		return nil
	}
	full, err := tx.get(ctx, refs, true)
	if err != nil {
		return err
	}
	for i := range tx.out {
		h := &tx.out[i]
		h.leases = slices.DeleteFunc(h.leases, func(l task.Lease) bool {
			return l.Task.Body == nil && broken(full[store.RefOf(l.Task)]) // its lease runs out
		})
		for k := range h.leases {
			l := &h.leases[k]
			t := l.Task.Clone() // the record's own copy stays without a body, so that it is not stored again
			if t.Body == nil {
				t.Body = full[store.RefOf(t)].record.Body
			}
			l.Task = t
		}
	}
	return nil
}

// broken reports whether there is no body to be had.
func broken(g gotten[task.Task]) bool { return g.record == nil || g.record.Body == nil }

// handOut gives leases that are durable to their taker.
func (s *Scheduler) handOut(h handOut) {
	if n := len(h.leases); n > 0 {
		s.fired(h.leases)
		if h.grant.claim != nil {
			s.hub.deliver(h.grant.claim, h.leases)
		} else {
			s.attempts.startPushes(s, h.leases)
		}
	}
	s.hub.giveBack(h.grant, h.grant.n-len(h.leases))
}

// fired reports the attempts, with their lateness as of now.
func (s *Scheduler) fired(leases []task.Lease) {
	f := s.o.Events.Fired
	if f == nil {
		return
	}
	now := s.now()
	for _, l := range leases {
		f(l.Task, now.Sub(l.Task.Expiry))
	}
}
