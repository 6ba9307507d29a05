package wheel

// Spots of an entry that is in no slot. Slots have smaller numbers.
const (
	spotReady = 1<<21 + iota // in ready, at the position that its link holds
	spotAfter                // in after
)

// rings is what [Hashed], [Ticking] and [DelayQueue] have in common: levels of
// slots, a present that goes from slot to slot, and all that [Timers] says of
// limits and of timers that are set meanwhile. What differs is the layout.
//
//	     visit: each timer is filed anew, as seen from the new cursor
//	slot ────────────────────────────────┬──▶ another slot, or the same
//	                                     └──▶ ready ──▶ expire, in order
//
// Add, Cancel and Reset are a few steps and what the layout says.
type rings struct {
	core
	layout   layout
	slotBits uint
	slots    [][]chain // by level, then by digit
	after    chain     // the late
	ready    pile      // timers in no slot, by due: those due at or before cursor, and what the layout leaves there

	// cursor is how far the slots have been worked off: what is due after it lies
	// where layout says, and what is not is in ready, but for the visit's.
	cursor uint64
	visit  visit
	piece  int // how many timers a limited advance looks at in one call, beside those it expires
}

// layout is where timers lie, and in which order their slots come.
type layout interface {
	// slotOf returns the number of the slot for a tick after cursor, or spotReady
	// if there is none that far.
	slotOf(due uint64) uint32
	// mark and unmark are told when a slot is no longer empty, and when it is.
	mark(number uint32, due uint64)
	unmark(number uint32)
	// occupied returns the first slot from that number on that holds any.
	occupied(from uint32) (number uint32, ok bool)
	// nextVisit returns the slots that come next, and the tick, from cursor to now,
	// from which they are to be looked at. It is false if there are none before now.
	nextVisit() (numbers visit, tick uint64, ok bool)
	// nextTick is Next for what lies in slots.
	nextTick() (tick uint64, ok bool)
}

// visit is a look at every timer of the slots from number to before end.
type visit struct {
	number, end uint32
	entry       uint32 // the one to look at next, or 0: the first of number
	begun       bool   // entry is in the midst of number
	from        uint64 // no timer is due before
}

func (s *visit) running() bool { return s.number < s.end }

// quota is what one call of Advance may still do.
type quota struct {
	limited         bool
	expiries, looks int
}

func (r *rings) init(l layout, slotBits, levels uint, start uint64) {
	r.layout, r.slotBits, r.piece = l, slotBits, cascadePiece
	r.linked = true
	r.now, r.cursor = start, start
	for range levels {
		r.slots = append(r.slots, make([]chain, 1<<slotBits))
	}
	r.ready.position = func(i uint32) *uint32 { return &r.links.At(i).next }
}

// Add sets a timer for the tick due; see [Timers].
func (r *rings) Add(due uint64) Handle {
	i, e := r.take()
	r.live++
	r.file(i, e, due)
	return makeHandle(i, e.generation)
}

// Cancel takes the timer out; see [Timers].
func (r *rings) Cancel(h Handle) bool {
	e := r.find(h)
	if e == nil || e.spot == spotExpiring {
		return false
	}
	r.remove(h.Index(), e)
	r.give(h.Index(), e)
	r.live--
	return true
}

// Reset moves the timer to another tick; see [Timers]. Where old and new tick
// share a slot, the entry stays where it is.
func (r *rings) Reset(h Handle, due uint64) bool {
	e := r.find(h)
	switch {
	case e == nil:
		return false
	case e.spot == spotExpiring:
		r.live++
	case e.spot < spotReady && !r.late(due) && r.spotOf(max(due, r.now)) == e.spot:
		e.due = max(due, r.now)
		return true
	default:
		r.remove(h.Index(), e)
	}
	r.file(h.Index(), e, due)
	return true
}

// Next returns a tick that is not after the earliest due; each structure says
// how early it may be.
func (r *rings) Next() (tick uint64, ok bool) {
	switch {
	case r.live == 0:
		return 0, false
	case r.visit.running():
		return r.visit.from, true
	}
	tick, ok = r.layout.nextTick()
	if first, some := r.ready.top(); some && (!ok || first.tick < tick) {
		tick, ok = first.tick, true
	}
	if r.after.head != 0 && (!ok || r.now < tick) {
		tick, ok = r.now, true
	}
	return tick, ok
}

// Clear drops all timers and sets Now; see [Timers]. It costs a step for every
// timer that is set, and for every slot.
func (r *rings) Clear(now uint64) {
	r.forbidInside("Clear")
	for number, ok := r.layout.occupied(0); ok; number, ok = r.layout.occupied(number + 1) {
		r.drop(r.slot(number))
		r.layout.unmark(number)
	}
	r.drop(&r.after)
	for _, item := range r.ready.items {
		r.give(item.number, r.slab.At(item.number))
	}
	r.ready.empty()
	r.live, r.open, r.visit = 0, false, visit{}
	r.now, r.cursor = now, now
}

// drop frees all entries of a chain.
func (r *rings) drop(c *chain) {
	i := c.head
	*c = chain{}
	for i != 0 {
		next := r.links.At(i).next
		r.give(i, r.slab.At(i))
		i = next
	}
}

func (r *rings) slot(number uint32) *chain {
	return &r.slots[number>>r.slotBits][number&(1<<r.slotBits-1)]
}

// spotOf returns the spot of a timer that is not late.
func (r *rings) spotOf(due uint64) uint32 {
	if due <= r.cursor {
		return spotReady
	}
	return r.layout.slotOf(due)
}

// file puts an entry that is in no list where its due tick belongs.
func (r *rings) file(i uint32, e *entry, due uint64) {
	e.due = max(due, r.now)
	if r.late(due) {
		e.spot = spotAfter
		r.after.push(&r.links, i)
		return
	}
	r.put(r.spotOf(e.due), i, e)
}

func (r *rings) put(spot, i uint32, e *entry) {
	e.spot = spot
	if spot == spotReady {
		r.ready.push(i, e.due)
		return
	}
	if r.slot(spot).push(&r.links, i) {
		r.layout.mark(spot, e.due)
	}
}

// remove takes the entry out of where it is.
func (r *rings) remove(i uint32, e *entry) {
	switch e.spot {
	case spotReady:
		r.ready.remove(r.links.At(i).next)
	case spotAfter:
		r.after.remove(&r.links, i)
	default:
		if i == r.visit.entry {
			r.visit.entry = r.links.At(i).next
		}
		if r.slot(e.spot).remove(&r.links, i) {
			r.layout.unmark(e.spot)
		}
	}
}

// Occupied returns how many slots have entries, by level. It looks at each.
func (r *rings) Occupied() []int {
	counts := make([]int, len(r.slots))
	for level, slots := range r.slots {
		for i := range slots {
			if slots[i].head != 0 {
				counts[level]++
			}
		}
	}
	return counts
}
