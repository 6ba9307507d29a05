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
// moved to a later one. It goes by what the slot has each time, since expire may
// change that in any way.
func (w *Hierarchical) expireSlot(number uint32, room *budget, expire func(h Handle)) (more bool) {
	slot := &w.slots.all[number]
	for slot.count != 0 {
		r := slot.first()
		e := w.entryOf(r)
		if e == nil || e.isFree() || e.due != w.cursor {
			if room.limited && room.moves == 0 {
				return true
			}
			room.moves--
			w.slots.pop(number)
			w.settle(r, e)
			continue
		}
		if room.limited && room.expiries == 0 {
			return true
		}
		room.expiries--
		w.slots.pop(number)
		w.expire(r.index(), e, expire)
	}
	return false
}

// cascade files the entries of the slot that cursor has just entered anew. No
// callback runs meanwhile, and none of them comes back to this slot: in its digit
// they agree with cursor now, or differ in a higher one.
func (w *Hierarchical) cascade(number uint32, room *budget) (more bool) {
	slot := &w.slots.all[number]
	w.cascading = number
	for slot.count != 0 {
		if room.limited && room.moves == 0 {
			return true
		}
		room.moves--
		r := w.slots.pop(number)
		w.settle(r, w.entryOf(r))
	}
	w.cascading = 0
	return false
}

// settle is told of a reference that was taken out of its slot, and of the entry
// that it stands for, or nil. A free entry has no reference any more, and any
// other is filed anew.
func (w *Hierarchical) settle(r ref, e *entry) {
	switch {
	case e == nil:
	case e.isFree():
		e.spot = spotFree
	default:
		if invariant.Enabled && e.due < w.cursor { // so that arguments cost nothing
			invariant.Check(false, "timer %d, due %d, is still waiting at %d", r.index(), e.due, w.cursor)
		}
		w.put(r.index(), e, w.slotOf(e.due, w.cursor))
	}
}

// fileLate moves those that had to wait for the next advance into the wheel, in
// one step however many they are: all are due at now. They keep their spots, which
// say late; so they are never taken for lying where a due could be written over.
func (w *Hierarchical) fileLate() { w.slots.appendLate(w.slotOf(w.now, w.cursor)) }
