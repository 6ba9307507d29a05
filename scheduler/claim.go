package scheduler

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// claimBytes bounds the payloads that one claim gets beyond its first task.
const claimBytes = 16 << 20

// claim is a Claim call that waits for tasks. Its fields are guarded by the
// hub's lock until done is closed; got is the caller's after that.
type claim struct {
	queue string
	max   int
	lease time.Duration // 0: each task's own timeout
	own   bool          // for a handler in this process

	reserved int // promised by shards, not handed out or given back yet
	got      []task.Lease
	looking  bool // the caller still asks shards that have a backlog
	leaving  bool // the caller wants no more
	over     bool
	done     chan struct{}
}

// room returns how many tasks more the claim takes.
func (c *claim) room() int {
	if c.over || c.leaving {
		return 0
	}
	return c.max - c.reserved - len(c.got)
}

// enter adds a claim. It is false if the hub drains.
func (h *hub) enter(c *claim) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return false
	}
	h.claims[c.queue] = append(h.claims[c.queue], c)
	h.claiming++
	return true
}

// concludeLocked ends a claim that nothing more is coming for.
func (h *hub) concludeLocked(c *claim) {
	done := c.leaving || len(c.got) >= c.max || !c.looking && len(c.got) > 0
	if c.over || !done || c.reserved > 0 {
		return
	}
	c.over = true
	h.claiming--
	cs := slices.DeleteFunc(h.claims[c.queue], func(o *claim) bool { return o == c })
	if len(cs) == 0 {
		delete(h.claims, c.queue)
	} else {
		h.claims[c.queue] = cs
	}
	close(c.done)
}

// deliver hands leases to a claim that has reserved for them.
func (h *hub) deliver(c *claim, leases []task.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.reserved -= len(leases)
	c.got = append(c.got, leases...)
	h.concludeLocked(c)
}

// update changes a claim's wishes.
func (h *hub) update(c *claim, change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	h.concludeLocked(c)
}

// toAsk returns shards with a backlog in the claim's queue that it has not
// asked yet, no more than it has room for tasks.
func (h *hub) toAsk(c *claim, asked map[*shard]bool) []*shard {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*shard
	for sh := range h.backlog[task.Lane{Queue: c.queue}] {
		if !asked[sh] {
			all = append(all, sh)
		}
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), max(c.room(), 0))]
}

// Claim leases up to r.Max ready tasks of a queue, those that are due longest
// first within each shard. It returns as soon as it has any; with none ready it
// waits for r.Wait. No tasks and no error means that none came.
func (s *Scheduler) Claim(ctx context.Context, r ClaimRequest) ([]task.Lease, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	c := &claim{queue: r.Queue, max: max(r.Max, 1), lease: r.Lease, own: r.own, looking: true, done: make(chan struct{})}
	if !s.hub.enter(c) {
		return nil, ErrDraining
	}
	s.look(ctx, c)
	s.hub.update(c, func() { c.looking = false })
	s.await(ctx, c, r.Wait)
	switch {
	case len(c.got) > 0 && ctx.Err() != nil: // nobody is there to take them
		s.release(c.got)
		return nil, ctx.Err()
	case len(c.got) > 0:
		return c.got, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.hub.isDraining():
		return nil, ErrDraining
	}
	return nil, nil
}

// look asks the shards that have ready tasks waiting.
func (s *Scheduler) look(ctx context.Context, c *claim) {
	asked := make(map[*shard]bool)
	lane := task.Lane{Queue: c.queue}
	for {
		shards := s.hub.toAsk(c, asked)
		if len(shards) == 0 {
			return
		}
		looks := make([]*command, len(shards))
		for i, sh := range shards {
			asked[sh] = true
			looks[i] = &command{look: &lane}
			if sh.send(ctx, looks[i]) != nil {
				looks[i] = nil
			}
		}
		for i, sh := range shards {
			if looks[i] != nil {
				_ = sh.wait(ctx, looks[i]) // a shard in trouble has told so, and others may have tasks
			}
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// await returns when the claim is over, at the latest wait from now and after
// all that was reserved for it has come in.
func (s *Scheduler) await(ctx context.Context, c *claim, wait time.Duration) {
	leave := func() { s.hub.update(c, func() { c.leaving = true }) }
	timer := time.AfterFunc(min(wait, MaxWait), leave)
	defer timer.Stop()
	select {
	case <-c.done:
		return
	case <-ctx.Done():
	case <-s.closed:
	}
	leave()
	<-c.done // shards always hand out or give back what they reserved
}

// release gives leases back that nobody will run.
func (s *Scheduler) release(leases []task.Lease) {
	ss := make([]Settlement, len(leases))
	for i, l := range leases {
		ss[i] = Settlement{Token: l.Token, Outcome: task.Outcome{Verdict: task.Released}}
	}
	if _, err := s.Settle(context.Background(), ss); err != nil {
		s.trouble("releasing leases", err) // they run out
	}
}

func (h *hub) isDraining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.draining
}

func (r *ClaimRequest) validate() error {
	if err := task.ValidateQueueName(r.Queue); err != nil {
		return err
	}
	var bad task.Invalid
	if r.Max < 0 || r.Max > MaxClaim {
		bad = append(bad, task.Fault{Field: "max", Reason: "must be from 1 to 1000"})
	}
	if r.Lease < 0 || r.Lease > task.MaxTimeout {
		bad = append(bad, task.Fault{Field: "lease", Reason: "must be from 0s (the task's own timeout) to 24h"})
	}
	if r.Wait < 0 || r.Wait > MaxWait {
		bad = append(bad, task.Fault{Field: "wait", Reason: "must be from 0s to 1m"})
	}
	if bad != nil {
		return bad
	}
	return nil
}
