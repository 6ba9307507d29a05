package wheel

// Hierarchical is the timing wheel of the package comment. Add, Cancel, Reset
// and Next take the same few steps whatever the number of timers and however
// far they lie apart. Advance costs a step for every timer that expires or
// cascades and for every occupied slot on the way, never one for an empty tick.
// A timer cascades at most once a level.
//
// Next is exact for a timer on level 0. For one on level n it returns the start
// of its slot, which is earlier by less than the 64^n ticks that the slot spans;
// the Advance then moves the timer to a lower level. So until a timer is due,
// Next is too early at most n times, and on a wheel of 1 ms ticks a timer of an
// hour costs at most 3 wake-ups too many.
//
// The zero Hierarchical is of no use; call [NewHierarchical].
type Hierarchical struct {
	core
	shape
	slots slots

	// cursor is how far the slots have been worked off. It is now, unless an
	// advance is open: then it is the tick where that one stopped. What is filed
	// in a slot lies where slotOf(due, cursor) says.
	cursor uint64
	// cascading is the slot, of a level above 0, that a limited advance left half
	// cascaded, or 0. It starts at cursor, and nothing is added to it.
	cascading uint32
	// piece is how many entries a limited advance cascades in one call.
	piece int
}

var _ Timers = (*Hierarchical)(nil)

// NewHierarchical returns an empty wheel whose Now is start. It panics if the
// geometry is out of range.
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
	w.file(i, e, due)
	return makeHandle(i, e.generation)
}

// Cancel takes the timer out; see [Timers].
func (w *Hierarchical) Cancel(h Handle) bool {
	e := w.find(h)
	if e == nil || e.place == placeExpiring {
		return false
	}
	w.remove(e)
	w.give(h.Index(), e)
	w.live--
	return true
}

// Reset moves the timer to another tick; see [Timers]. Where old and new tick
// share a slot of a level above 0, the entry stays where it is.
func (w *Hierarchical) Reset(h Handle, due uint64) bool {
	e := w.find(h)
	switch {
	case e == nil:
		return false
	case e.place == placeExpiring:
		w.live++
	case !w.late(due) && w.slotOf(max(due, w.now), w.cursor) == e.place:
		e.due = max(due, w.now)
		return true
	default:
		w.remove(e)
	}
	w.file(h.Index(), e, due)
	return true
}

// Next returns the tick of the first occupied slot; see [Hierarchical] for how
// early that may be.
func (w *Hierarchical) Next() (tick uint64, ok bool) {
	_, tick, ok = w.nextSlot()
	if w.slots.lists[w.slots.late].head != 0 && (!ok || tick > w.now) {
		return w.now, true
	}
	return tick, ok
}

// Clear drops all timers and sets Now; see [Timers]. It costs a step for every
// timer that is set.
func (w *Hierarchical) Clear(now uint64) {
	w.forbidInside("Clear")
	for {
		level, digit, ok := w.slots.first()
		if !ok {
			break
		}
		w.drop(slotNumber(level, digit))
	}
	w.drop(w.slots.late)
	w.live, w.cascading, w.open = 0, 0, false
	w.now, w.cursor = now, now
}

// drop frees all entries of one list.
func (w *Hierarchical) drop(number uint32) {
	list := w.slots.lists[number]
	w.slots.empty(number)
	for i := list.head; i != 0; {
		e := w.slab.At(i)
		next := e.next
		w.give(i, e)
		i = next
	}
}

// file puts an entry that is in no list where its due tick belongs.
func (w *Hierarchical) file(i uint32, e *entry, due uint64) {
	e.due = max(due, w.now)
	number := w.slots.late
	if !w.late(due) {
		number = w.slotOf(e.due, w.cursor)
	}
	w.slots.push(&w.entries, number, i, e)
}

// remove takes the entry out of its list.
func (w *Hierarchical) remove(e *entry) {
	if w.slots.remove(&w.entries, e) && e.place == w.cascading {
		w.cascading = 0
	}
}

// nextSlot returns the slot that comes next, with its first tick: the one
// that is being cascaded, or the first occupied one. On a level above 0 all
// occupied slots lie ahead of the cursor, so the first one of the lowest level is
// the first of all.
func (w *Hierarchical) nextSlot() (number uint32, tick uint64, ok bool) {
	if w.cascading != 0 {
		return w.cascading, w.cursor, true
	}
	level, digit, ok := w.slots.first()
	if !ok {
		return 0, 0, false
	}
	return slotNumber(level, digit), w.startOf(level, digit, w.cursor), true
}
