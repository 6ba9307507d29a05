package wheel

import "github.com/timewheel-dev/timewheel/internal/invariant"

// cascadePiece is how many entries one call of a limited Advance moves at
// most, beside those it expires. It bounds how long the owner's lock is held
// when a slot of a high level has gathered a million of them.
const cascadePiece = 1024

// Advance expires what is due; see [Timers]. A limited call also returns more
// = true when it has moved 1024 entries, so it may return more without having
// expired any.
func (w *Hierarchical) Advance(now uint64, limit int, expire func(h Handle)) (more bool) {
	w.forbidInside("Advance")
	if now < w.now {
		return false
	}
	if w.open && now > w.now {
		w.fileLate() // they come after the rest up to the old now and before what follows it
	}
	w.now, w.open, w.busy = now, true, true
	more = w.workOff(limit, expire)
	w.busy = false
	if more {
		return true
	}
	w.cursor, w.open = now, false
	w.fileLate()
	return false
}

// workOff takes slot after slot up to now. It returns true if a limit cut it
// short.
func (w *Hierarchical) workOff(limit int, expire func(h Handle)) (more bool) {
	room := budget{limit > 0, limit, w.piece}
	for {
		number, tick, ok := w.nextSlot()
		if !ok || tick > w.now {
			return false
		}
		w.cursor = tick
		if number > digitMask {
			w.cascading = number
			more = w.cascade(number, &room)
		} else {
			more = w.expireSlot(number, &room, expire)
		}
		if more {
			return true
		}
	}
}

// budget is what one call of Advance may still do.
type budget struct {
	limited         bool
	expiries, moves int
}

// expireSlot expires the entries of one tick, and files anew those that were
// moved to a later one. It goes by the head of the list each time, since expire
// may change the list in any way.
func (w *Hierarchical) expireSlot(number uint32, room *budget, expire func(h Handle)) (more bool) {
	list := &w.slots.lists[number]
	for list.head != 0 {
		i := list.head
		e := w.slab.At(i)
		if e.isFree() || e.due != w.cursor {
			if room.limited && room.moves == 0 {
				return true
			}
			room.moves--
			w.settle(number, i, e)
			continue
		}
		if room.limited && room.expiries == 0 {
			return true
		}
		room.expiries--
		w.remove(number, e)
		w.expire(i, e, expire)
	}
	return false
}

// cascade files the entries of the slot that cursor has just entered anew. No
// callback runs meanwhile, and none of them comes back to this slot: in its digit
// they agree with cursor now, or differ in a higher one.
func (w *Hierarchical) cascade(number uint32, room *budget) (more bool) {
	list := &w.slots.lists[number]
	for list.head != 0 {
		if room.limited && room.moves == 0 {
			return true
		}
		room.moves--
		w.settle(number, list.head, w.slab.At(list.head))
	}
	return false
}

// settle takes an entry out of the list with that number and, unless its place
// is free, files it by its due.
func (w *Hierarchical) settle(number, i uint32, e *entry) {
	w.remove(number, e)
	if e.isFree() {
		e.place = placeFree
		return
	}
	if invariant.Enabled && e.due < w.cursor { // so that arguments cost nothing
		invariant.Check(false, "timer %d, due %d, is still waiting at %d", i, e.due, w.cursor)
	}
	w.slots.push(&w.entries, w.slotOf(e.due, w.cursor), i, e)
}

// fileLate moves those that had to wait for the next advance into the wheel.
func (w *Hierarchical) fileLate() {
	list := &w.slots.lists[w.slots.late]
	for list.head != 0 {
		w.settle(w.slots.late, list.head, w.slab.At(list.head))
	}
}
