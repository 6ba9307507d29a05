package wheel

// Ticking is a hierarchy of rings that goes on tick by tick (scheme 7 of
// Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", 1987; the timers
// of Linux up to 4.7 were of this kind). Each level is a ring like the hand of a
// clock: when the hand of a level enters a slot, its timers cascade, which is to
// say that they are filed anew on lower levels.
//
//	level 0  │0│1│2│ … │63│   a slot spans 1 tick, so a turn 64
//	level 1  │0│1│2│ … │63│   a slot spans 64 ticks, so a turn 4096
//	  ⋮
//	level 4  │0│1│2│ … │63│   a slot spans 2^24 ticks, so a turn 2^30: the reach
//
//	seen from 100, due 150 is 50 ahead  → level 0, slot 150 mod 64 = 22
//	seen from 100, due 200 is 100 ahead → level 1, slot 200/64 mod 64 = 3
//	seen from 100, due 2^40             → parked on level 4, in slot 0, the last
//	                                      that its hand comes to
//
// The level of a timer is that of its distance, not, as with [Hierarchical], of
// the digit in which it differs from the present. So a slot may be of the turn
// that comes after this one, and a search has to know where the turn begins.
// Whatever lies beyond the reach is parked in the slot of the highest level that
// comes last, and filed anew when its slot comes round: once for every reach, so
// at 1 ms a tick, with 64 slots and 5 levels, every 12.4 days.
//
//	Add, Cancel  O(levels) to find the level, else O(1)
//	Reset        the same; nothing but the due tick is written if the slot stays
//	Next         O(1)
//	Advance      O(levels) for every occupied slot that is entered, and a step for
//	             every timer that expires or cascades, which each does at most
//	             once a level
//	             over the reach or more: all slots are taken at once, so it costs
//	             O(levels × slots) and a step for every timer, however long the
//	             jump; the k that are due are put in order, O(k log k)
//	memory       24 bytes a timer, 8 a slot, 16 more a timer that is due at once
//
// It spins when idle: Next is the tick after Now while any timer is set. That is
// how a wheel that ticks behaves, and its known cost: one wake-up a tick, whether
// anything is due or not. See [Hierarchical] for the cure.
//
// The zero Ticking is of no use; call [NewTicking].
type Ticking struct {
	rings
	filled bitmap
	levels uint
	size   uint32 // slots on a level
	// last is one tick less than the reach, which itself may be 2^64.
	last uint64
}

var _ Timers = (*Ticking)(nil)

// NewTicking returns an empty wheel whose Now is start. It panics if the geometry
// is out of range; see [Geometry.CheckTicking].
func NewTicking(g Geometry, start uint64) *Ticking {
	must(g.CheckTicking())
	slotBits, levels := g.slotBitsOr(defaultSlots), uint(g.Levels)
	if levels == 0 {
		levels = defaultTickingLevels
	}
	w := &Ticking{levels: levels, size: 1 << slotBits}
	w.filled = newBitmap(int(w.size) * int(levels))
	w.last = 1<<(slotBits*levels) - 1 // a shift by 64 leaves 0, and so the whole range
	w.init(w, slotBits, levels, start)
	return w
}

// slotOf goes by the distance from cursor. On no level is it more than a whole
// turn: then the slot is the one that the hand is in, and has cascaded already.
func (w *Ticking) slotOf(due uint64) uint32 {
	distance := min(due-w.cursor, w.last)
	due = w.cursor + distance
	level := uint(0)
	for distance>>w.slotBits != 0 {
		distance >>= w.slotBits
		level++
	}
	digit := uint32(due>>(level*w.slotBits)) & (w.size - 1)
	return uint32(level)<<w.slotBits | digit
}

func (w *Ticking) mark(number uint32, _ uint64) { w.filled.set(number) }

func (w *Ticking) unmark(number uint32) { w.filled.unset(number) }

func (w *Ticking) occupied(from uint32) (number uint32, ok bool) { return w.filled.next(from) }

// nextVisit takes the slot that a hand enters next. Over a whole reach every slot
// is entered, the parked ones again and again: then it takes all at once, and
// ready puts the due ones in order.
func (w *Ticking) nextVisit() (numbers visit, tick uint64, ok bool) {
	if w.now-w.cursor > w.last {
		return visit{end: w.size * uint32(w.levels)}, w.now, true
	}
	var number uint32
	for level := range w.levels {
		n, start, some := w.nextOn(level)
		if some && (!ok || start < tick) {
			number, tick, ok = n, start, true
		}
	}
	return visit{number: number, end: number + 1}, tick, ok && tick <= w.now
}

// nextOn returns the slot of the level that its hand enters next, and when. A
// slot that begins at cursor counts, since nothing is filed there any more: if it
// is occupied, it is still to be entered.
func (w *Ticking) nextOn(level uint) (number uint32, start uint64, ok bool) {
	shift := level * w.slotBits
	block := w.cursor >> shift
	if block<<shift != w.cursor {
		block++
	}
	base := uint32(level) << w.slotBits
	digit := uint32(block) & (w.size - 1)
	steps, ok := w.filled.nextInTurn(base, w.size, digit)
	return base | (digit+steps)&(w.size-1), (block + uint64(steps)) << shift, ok
}

// nextTick is the next tick, which is what makes the wheel tick. In the midst of
// an advance there may be slots of the same tick to come. After the last tick of
// all nothing lies in slots.
func (w *Ticking) nextTick() (tick uint64, ok bool) {
	if w.open {
		return w.cursor, true
	}
	return w.cursor + 1, w.cursor+1 != 0
}
