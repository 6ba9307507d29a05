package scheduler

import (
	"slices"
	"sync"

	"github.com/timewheel-dev/timewheel/task"
)

// hub is where ready tasks meet their takers: claims that wait (pull lanes) and
// free push slots (push lanes).
//
// A shard that has ready tasks reserves takers before it commits the leases,
// and hands out or gives back after. Where it finds too few, it is remembered:
// in backlog, where the next claim looks first, or at the gate that was closed,
// where a slot that becomes free wakes it.
type hub struct {
	mu sync.Mutex // guards all below

	claims  map[string][]*claim           // by queue, in order of arrival
	backlog map[task.Lane]map[*shard]bool // pull lanes in which ready tasks wait

	slots   map[gate]int      // pushes running
	waiting map[gate][]waiter // push lanes stopped at a gate, in order of arrival
	parked  map[waiter]bool   // those in waiting

	claiming int // claims entered and not left
	pushing  bool
	draining bool
	idle     chan struct{} // closed when no push runs any more; nil until somebody asks
}

// gate is a limit that pushes pass: of the node (both fields empty), of a
// queue, or of a host.
type gate struct{ queue, host string }

// waiter is a shard that has ready tasks in a lane.
type waiter struct {
	lane  task.Lane
	shard *shard
}

// grant is room for n leases: of a claim, or, if that is nil, of push slots in
// lane.
type grant struct {
	claim *claim
	lane  task.Lane
	n     int
}

// demand is what a shard asks takers for.
type demand struct {
	lane   task.Lane
	shard  *shard
	want   int
	more   bool // there may be more ready tasks than want
	queue  task.Queue
	limits PushLimits
}

func newHub() *hub {
	return &hub{
		claims:  make(map[string][]*claim),
		backlog: make(map[task.Lane]map[*shard]bool),
		slots:   make(map[gate]int),
		waiting: make(map[gate][]waiter),
		parked:  make(map[waiter]bool),
	}
}

// reserve finds takers for ready tasks. It is also to be called, with want 0,
// when a lane turns out to be empty.
func (h *hub) reserve(d demand) []grant {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.lane.Host == "" {
		return h.reserveClaimsLocked(d)
	}
	return h.reserveSlotsLocked(d)
}

func (h *hub) reserveClaimsLocked(d demand) []grant {
	var grants []grant
	left := d.want
	if !d.queue.Paused && !h.draining {
		for _, c := range h.claims[d.lane.Queue] {
			if k := min(left, c.room()); k > 0 {
				c.reserved += k
				left -= k
				grants = append(grants, grant{claim: c, lane: d.lane, n: k})
			}
		}
	}
	h.noteBacklogLocked(d.lane, d.shard, left > 0 || d.more)
	return grants
}

// noteBacklog remembers that a shard has ready tasks in the lanes, so that
// claims ask it.
func (h *hub) noteBacklog(lanes []task.Lane, sh *shard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, lane := range lanes {
		if lane.Host == "" {
			h.noteBacklogLocked(lane, sh, true)
		}
	}
}

func (h *hub) noteBacklogLocked(lane task.Lane, sh *shard, waits bool) {
	set := h.backlog[lane]
	switch {
	case waits && set == nil:
		h.backlog[lane] = map[*shard]bool{sh: true}
	case waits:
		set[sh] = true
	case set != nil:
		delete(set, sh)
		if len(set) == 0 {
			delete(h.backlog, lane)
		}
	}
}

// limit is a gate and how many pushes it lets through at once.
type limit struct {
	gate
	capacity int
}

// limitsLocked lists what a push of the lane must pass.
func (h *hub) limitsLocked(d *demand) [3]limit {
	queue, node := d.limits.Queue, d.limits.Node
	if d.queue.Concurrency > 0 {
		queue = d.queue.Concurrency
	}
	if d.queue.Paused {
		queue = 0
	}
	if !h.pushing || h.draining {
		node = 0
	}
	return [3]limit{
		{gate{queue: d.lane.Queue}, queue},
		{gate{host: d.lane.Host}, d.limits.Host},
		{gate{}, node},
	}
}

// reserveSlotsLocked takes as many slots as all gates allow. A lane that wants
// more parks at the first gate that is closed; gates that are still open let
// somebody else try.
func (h *hub) reserveSlotsLocked(d demand) []grant {
	limits := h.limitsLocked(&d)
	k := d.want
	for _, l := range limits {
		k = min(k, max(l.capacity-h.slots[l.gate], 0))
	}
	wantsMore := k < d.want || d.more
	for _, l := range limits {
		if k > 0 {
			h.slots[l.gate] += k
		}
		switch open := h.slots[l.gate] < l.capacity; {
		case open:
			h.wakeLocked(l.gate, 1)
		case wantsMore:
			h.parkLocked(l.gate, waiter{d.lane, d.shard})
			wantsMore = false
		}
	}
	if k == 0 {
		return nil
	}
	return []grant{{lane: d.lane, n: k}}
}

func (h *hub) parkLocked(g gate, w waiter) {
	if h.parked[w] {
		return
	}
	h.parked[w] = true
	h.waiting[g] = append(h.waiting[g], w)
}

// wakeLocked lets n waiters at a gate try again. Each of them, trying, wakes
// the next if there is room left.
func (h *hub) wakeLocked(g gate, n int) {
	ws := h.waiting[g]
	n = min(n, len(ws))
	for _, w := range ws[:n] {
		delete(h.parked, w)
		w.shard.nudge(w.lane)
	}
	if n == len(ws) {
		delete(h.waiting, g)
	} else {
		h.waiting[g] = ws[n:]
	}
}

// releaseSlots frees push slots of a lane.
func (h *hub) releaseSlots(lane task.Lane, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range [...]gate{{queue: lane.Queue}, {host: lane.Host}, {}} {
		if h.slots[g] -= n; h.slots[g] == 0 {
			delete(h.slots, g)
		}
		h.wakeLocked(g, n)
	}
	if h.idle != nil && h.slots[gate{}] == 0 {
		close(h.idle)
		h.idle = nil
	}
}

// pushed returns a channel that is closed when no push runs any more. The hub
// must be draining, so that none begins.
func (h *hub) pushed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slots[gate{}] == 0 {
		done := make(chan struct{})
		close(done)
		return done
	}
	if h.idle == nil {
		h.idle = make(chan struct{})
	}
	return h.idle
}

// giveBack undoes n of a grant's reservations.
func (h *hub) giveBack(g grant, n int) {
	if n == 0 {
		return
	}
	if g.claim == nil {
		h.releaseSlots(g.lane, n)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	g.claim.reserved -= n
	h.concludeLocked(g.claim)
	if g.claim.room() > 0 { // others may have passed it over
		h.nudgeBacklogLocked(g.lane)
	}
}

func (h *hub) nudgeBacklogLocked(lane task.Lane) {
	for sh := range h.backlog[lane] {
		sh.nudge(lane)
	}
}

// queueChanged lets everything that waits in a queue try again: its settings
// changed.
func (h *hub) queueChanged(queue string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakeLocked(gate{queue: queue}, len(h.waiting[gate{queue: queue}]))
	h.nudgeBacklogLocked(task.Lane{Queue: queue})
}

// startPushing opens the push lanes.
func (h *hub) startPushing() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pushing = true
	for g, ws := range h.waiting {
		h.wakeLocked(g, len(ws))
	}
}

// forget drops a shard that hands out nothing any more.
func (h *hub) forget(sh *shard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for lane := range h.backlog {
		h.noteBacklogLocked(lane, sh, false)
	}
	for g, ws := range h.waiting {
		h.waiting[g] = slices.DeleteFunc(ws, func(w waiter) bool { return w.shard == sh })
	}
}

// emptied notes that a shard has no ready tasks left in a pull lane.
func (h *hub) emptied(lane task.Lane, sh *shard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noteBacklogLocked(lane, sh, false)
}

// drain stops all hand-outs for good, and ends the claims that wait.
func (h *hub) drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
	for _, cs := range h.claims {
		for _, c := range slices.Clone(cs) {
			c.leaving = true
			h.concludeLocked(c)
		}
	}
}

func (h *hub) stats() (pushing, claims int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.slots[gate{}], h.claiming
}
