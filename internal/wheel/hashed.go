package wheel

// Hashed is one ring of slots in which the hand goes round and round (scheme 6
// of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", 1987; Netty's
// HashedWheelTimer is the best known). A timer lies in the slot of its due tick
// modulo the slots, whatever its round:
//
//	             cursor 1030 = 2·512 + 6
//	                 ▼
//	│0│1│2│3│4│5│6│7│8│ … │511│        512 slots, one tick each
//	               │ └ 1032
//	               └── 1031 ↔ 1543 ↔ 2^40+7      this round, the next, a far one
//
// Where others keep a count of rounds and decrement it in every timer that the
// hand passes, here the due tick is compared: what is of a later round is looked
// at, and not written.
//
//	Add, Cancel  O(1); a bitmap of the slots is kept besides, up to 4 words
//	Reset        O(1); nothing but the due tick is written if the slot stays
//	Next         O(1) through the bitmap
//	Advance      a step for every timer of every occupied slot that the hand
//	             passes, so one for every timer of any round in each turn;
//	             nothing for empty slots
//	             over more than a turn: each timer is looked at once, however
//	             long the jump, and the k that are due are put in order, O(k log k)
//	memory       24 bytes a timer, 8 a slot, 16 more a timer that is due at once
//
// Next is the first tick at which the hand enters an occupied slot. That is
// exact for a timer due within the next turn, and early by whole turns for one
// that is not: until it is due, Next is too early once a turn. With 512 slots of
// 1 ms, a timer of an hour costs 7,031 wake-ups. So the slots should be more than
// the ticks of the usual delay, and some more than the timers.
//
// The zero Hashed is of no use; call [NewHashed].
type Hashed struct {
	rings
	filled bitmap
	mask   uint64
}

var _ Timers = (*Hashed)(nil)

// NewHashed returns an empty ring whose Now is start. It panics if the geometry
// is out of range; see [Geometry.CheckHashed].
func NewHashed(g Geometry, start uint64) *Hashed {
	must(g.CheckHashed())
	slotBits := g.slotBitsOr(defaultHashedSlots)
	w := &Hashed{mask: 1<<slotBits - 1, filled: newBitmap(1 << slotBits)}
	w.init(w, slotBits, 1, start)
	return w
}

func (w *Hashed) slotOf(due uint64) uint32 { return uint32(due & w.mask) }

func (w *Hashed) mark(number uint32, _ uint64) { w.filled.set(number) }

func (w *Hashed) unmark(number uint32) { w.filled.unset(number) }

func (w *Hashed) occupied(from uint32) (number uint32, ok bool) { return w.filled.next(from) }

// ahead returns how far the first occupied slot is: from 1 to a whole turn, which
// is the way back to the slot of cursor.
func (w *Hashed) ahead() (ticks uint64, ok bool) {
	steps, ok := w.filled.nextInTurn(0, uint32(w.mask)+1, w.slotOf(w.cursor+1))
	return uint64(steps) + 1, ok
}

// nextVisit takes slot by slot while the hand has less than a turn to go. On a
// longer way a slot would hold timers of several rounds that are due, with those
// of other slots due between: then it takes all slots at once, and ready puts
// the due ones in order.
func (w *Hashed) nextVisit() (numbers visit, tick uint64, ok bool) {
	left := w.now - w.cursor
	ticks, ok := w.ahead()
	switch {
	case !ok || ticks > left:
		return visit{}, 0, false
	case left > w.mask+1:
		return visit{end: uint32(w.mask) + 1}, w.now, true
	}
	number := w.slotOf(w.cursor + ticks)
	return visit{number: number, end: number + 1}, w.cursor + ticks, true
}

// nextTick can't overflow: what lies in the slot is due then, or whole turns
// later.
func (w *Hashed) nextTick() (tick uint64, ok bool) {
	ticks, ok := w.ahead()
	return w.cursor + ticks, ok
}
