package wheel

import "math/bits"

// Hierarchical is the timing wheel of the package comment. Add, Cancel, Reset
// and Next take the same few steps whatever the number of timers and however
// far they lie apart. Advance costs a step for every timer that expires or
// cascades and for every occupied slot on the way, never one for an empty tick.
// A timer cascades at most once a level.
//
// A slot is a queue of references to entries, and an entry knows in which slot
// its one valid reference lies. Nothing is ever taken out of the middle:
//
//	Reset to a later tick    writes the due; the entry moves on when its slot comes
//	Reset to an earlier slot puts a reference there; the old one is stale
//	Cancel                   frees the entry; its reference stays where it is
//	Add                      takes a free entry with its reference, if its slot is
//	                         not later than the due; else as Reset
//
// So none of them touches any entry but its own: with millions of timers, those
// of the neighbours are cold in the processor's cache. Stale references go when
// their slot comes; see sweep for what keeps them few until then.
//
// Next is at the latest the earliest due, and earlier where the first occupied
// slot lies on a level above 0, or holds only what was cancelled or moved: it is
// the slot's first tick. The Advance then settles the slot. For a timer that was
// neither cancelled nor moved, on level n, that happens at most n times: on a
// wheel of 1 ms ticks, a timer of an hour costs at most 3 wake-ups too many.
//
// The zero Hierarchical is of no use; call [NewHierarchical].
type Hierarchical struct {
	core
	shape
	slots slots
	stamp uint32 // of the spot that was given last
	sweep sweep

	// cursor is how far the slots have been worked off. It is now, unless an
	// advance is open: then it is the tick where that one stopped. All occupied
	// slots lie ahead of it, and no timer is due before the first tick of its slot.
	cursor uint64
	// cascading is the slot, of a level above 0, that a limited advance left half
	// cascaded, or 0. It starts at cursor, and nothing is added to it.
	cascading uint32
	// piece is how many references a limited advance moves in one call.
	piece int
}

var _ Timers = (*Hierarchical)(nil)

// NewHierarchical returns an empty wheel whose Now is start. It panics if
// [Geometry.CheckHierarchical] reports a fault.
func NewHierarchical(g Geometry, start uint64) *Hierarchical {
	w := &Hierarchical{shape: g.shape(), cursor: start, piece: cascadePiece}
	w.now = start
	w.slots = newSlots(w.levels)
	return w
}

// Add sets a timer for the tick due; see [Timers].
func (w *Hierarchical) Add(due uint64) Handle {
	i, e := w.take()
	w.live++
	if e.spot == spotFree {
		w.file(i, e, due)
	} else {
		e.spot &^= freeBit
		w.move(i, e, due)
	}
	return makeHandle(i, e.generation)
}

// Cancel takes the timer out; see [Timers].
func (w *Hierarchical) Cancel(h Handle) bool {
	e := w.find(h)
	if e == nil || e.spot == spotExpiring {
		return false
	}
	w.live--
	e.spot |= freeBit
	w.recycle(h.Index(), e)
	return true
}

// Reset moves the timer to another tick; see [Timers].
func (w *Hierarchical) Reset(h Handle, due uint64) bool {
	e := w.find(h)
	switch {
	case e == nil:
		return false
	case e.spot == spotExpiring:
		w.live++
		w.file(h.Index(), e, due)
	default:
		w.move(h.Index(), e, due)
	}
	return true
}

// Next returns the tick of the first occupied slot; see [Hierarchical] for how
// early that may be.
func (w *Hierarchical) Next() (tick uint64, ok bool) {
	if w.live == 0 {
		return 0, false
	}
	_, tick, ok = w.nextSlot()
	if w.slots.all[w.slots.late].count != 0 && (!ok || tick > w.now) {
		return w.now, true
	}
	return tick, ok
}

// Clear drops all timers and sets Now; see [Timers]. It costs a step for every
// place there is.
func (w *Hierarchical) Clear(now uint64) {
	w.forbidInside("Clear")
	w.slots.clear()
	w.giveAll()
	w.live, w.cascading, w.open, w.sweep = 0, 0, false, sweep{}
	w.now, w.cursor = now, now
}

// Occupied returns how many slots have entries, by level.
func (w *Hierarchical) Occupied() []int {
	counts := make([]int, w.levels)
	for level := range counts {
		counts[level] = bits.OnesCount64(w.slots.occupied[level])
	}
	return counts
}

// file puts an entry where its due tick belongs.
func (w *Hierarchical) file(i uint32, e *entry, due uint64) {
	e.due = max(due, w.now)
	number := w.slots.late
	if !w.late(due) {
		number = w.slotOf(e.due, w.cursor)
	}
	w.put(i, e, number)
	w.sweepIfTooMany()
}

// move gives an entry that lies in a slot another due tick, and another slot if
// that would come too late.
func (w *Hierarchical) move(i uint32, e *entry, due uint64) {
	if number := e.spot & numberMask; number < w.slots.late && due > w.now && due >= w.startOf(number, w.cursor) {
		e.due = due
		return
	}
	w.file(i, e, due)
}

// put puts a reference to the entry into the slot with that number. One that lies
// elsewhere is stale from here on.
func (w *Hierarchical) put(i uint32, e *entry, number uint32) {
	w.stamp = (w.stamp + stampStep) &^ freeBit
	e.spot = w.stamp | number
	w.slots.push(number, makeRef(i, e.spot))
}

// nextSlot returns the slot that comes next, with its first tick: the one
// that is being cascaded, or the first occupied one. On a level above 0 all
// occupied slots lie ahead of the cursor, so the first one of the lowest level is
// the first of all.
func (w *Hierarchical) nextSlot() (number uint32, tick uint64, ok bool) {
	if w.cascading != 0 {
		return w.cascading, w.cursor, true
	}
	number, ok = w.slots.first()
	if !ok {
		return 0, 0, false
	}
	return number, w.startOf(number, w.cursor), true
}
