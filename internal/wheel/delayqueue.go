package wheel

// DelayQueue is a hierarchy whose levels are made when they are needed, and
// whose occupied slots wait in a heap, by their first tick (Kafka's purgatory
// does so, with a java.util.concurrent.DelayQueue, whence the name). Nothing
// ticks: the top of the heap says when to come again.
//
//	level 0  │0│1│2│ … │63│   a slot spans 1 tick
//	level 1  │0│1│2│ … │63│   a slot spans 64 ticks   ─┐ made by the first timer
//	level 2  │0│1│2│ … │63│   a slot spans 4096 ticks ─┘ that lies so far ahead
//
//	heap of slots           106  level 0, slot 42
//	                       ╱   ╲
//	    level 1, slot 3  192   4096  level 2, slot 1
//
// A timer lies on the lowest level whose turn, seen from the present, reaches its
// due tick. When the present reaches the first tick of a slot above level 0, its
// timers cascade: they are put in again, and lie on lower levels then.
//
//	Add, Cancel  O(levels) to find the level, else O(1) in a slot that holds
//	             others; O(log s) if the slot was empty, or becomes so, where s is
//	             the number of occupied slots: at most slots × levels, and at most
//	             the number of timers
//	Reset        the same; nothing but the due tick is written if the slot stays
//	Next         O(1)
//	Advance      O(log s) for every occupied slot on the way, and a step for every
//	             timer that expires or cascades, which each does at most once a
//	             level; empty ticks cost nothing, however many
//	memory       24 bytes a timer; 12 a slot of the levels that were made, which stay; 16
//	             more an occupied slot, and a timer that is due at once
//
// A slot leaves the heap when its last timer does, also when that is cancelled:
// Kafka leaves it there, and wakes for nothing when its time comes.
//
// Next is exact for what lies on level 0, and early by less than the span of a
// slot for what lies above, at most once a level; as with [Hierarchical].
//
// With as many levels as needed no timer is too far. If Geometry.Levels sets a
// maximum, what lies beyond it waits in a heap of its own, and goes from there to
// its expiry: O(log n) for n such timers, and Next is exact for them.
//
// The zero DelayQueue is of no use; call [NewDelayQueue].
type DelayQueue struct {
	rings
	order     pile       // the occupied slots, by their first tick
	positions [][]uint32 // in order, of each slot
	most      uint       // levels
}

var _ Timers = (*DelayQueue)(nil)

// NewDelayQueue returns an empty queue whose Now is start. It panics if the
// geometry is out of range; see [Geometry.CheckDelayQueue].
func NewDelayQueue(g Geometry, start uint64) *DelayQueue {
	must(g.CheckDelayQueue())
	slotBits := g.slotBitsOr(defaultSlots)
	w := &DelayQueue{most: (tickBits + slotBits - 1) / slotBits}
	if g.Levels != 0 {
		w.most = min(w.most, uint(g.Levels))
	}
	w.init(w, slotBits, 0, start)
	w.order.position = func(number uint32) *uint32 {
		return &w.positions[number>>slotBits][number&(1<<slotBits-1)]
	}
	return w
}

// slotOf returns a slot that begins after cursor: on a level above 0 the timer is
// at least one slot of it ahead, or it would be within the turn of the level
// below. And it never returns one that the heap holds for another turn, since
// less than a turn lies between.
func (w *DelayQueue) slotOf(due uint64) uint32 {
	size := uint64(1) << w.slotBits
	for level := range w.most {
		shift := level * w.slotBits
		block := due >> shift
		if block-w.cursor>>shift < size {
			w.makeLevels(level + 1)
			return uint32(level<<w.slotBits) | uint32(block&(size-1))
		}
	}
	return spotReady
}

func (w *DelayQueue) makeLevels(n uint) {
	for uint(len(w.slots)) < n {
		w.slots = append(w.slots, make([]chain, 1<<w.slotBits))
		w.positions = append(w.positions, make([]uint32, 1<<w.slotBits))
	}
}

func (w *DelayQueue) mark(number uint32, due uint64) {
	shift := uint(number) >> w.slotBits * w.slotBits
	w.order.push(number, due>>shift<<shift)
}

func (w *DelayQueue) unmark(number uint32) { w.order.remove(*w.order.position(number)) }

// occupied looks at slot after slot. An advance asks it only for one that is.
func (w *DelayQueue) occupied(from uint32) (number uint32, ok bool) {
	for number = from; number < uint32(len(w.slots))<<w.slotBits; number++ {
		if w.slot(number).head != 0 {
			return number, true
		}
	}
	return 0, false
}

// nextVisit takes the slot on top of the heap, or the tick of the first timer
// beyond the last level, whichever comes first.
func (w *DelayQueue) nextVisit() (numbers visit, tick uint64, ok bool) {
	first, ok := w.order.top()
	if alone, some := w.ready.top(); some && (!ok || alone.tick < first.tick) {
		return visit{}, alone.tick, alone.tick <= w.now
	}
	return visit{number: first.number, end: first.number + 1}, first.tick, ok && first.tick <= w.now
}

func (w *DelayQueue) nextTick() (tick uint64, ok bool) {
	first, ok := w.order.top()
	return first.tick, ok
}
