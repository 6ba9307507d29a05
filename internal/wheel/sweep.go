package wheel

// sweep is how far the search for stale references has come.
type sweep struct {
	number uint32 // the slot
	left   uint32 // references of it that were not looked at yet
}

const (
	// sweepMargin is how many stale references don't matter.
	sweepMargin = 4096
	// sweepPiece is how many references one step looks at. It must be more than two:
	// each step follows one new reference, and at least half of all are stale.
	sweepPiece = 8
)

// sweepSome looks at a few references and drops the stale ones. Their number is
// bounded so: when there are twice as many references as entries, each new one
// pays for looking at some, in slot after slot.
func (w *Hierarchical) sweepSome() {
	for range sweepPiece {
		if w.sweep.left == 0 {
			w.sweep.number = w.slotAfter(w.sweep.number)
			w.sweep.left = w.slots.all[w.sweep.number].count
			continue
		}
		w.sweep.left--
		if w.slots.all[w.sweep.number].count == 0 {
			w.sweep.left = 0
			continue
		}
		if r := w.slots.pop(w.sweep.number); w.entryOf(r) != nil {
			w.slots.push(w.sweep.number, r)
		}
	}
	if w.cascading != 0 && w.slots.all[w.cascading].count == 0 {
		w.cascading = 0
	}
}

// slotAfter returns the next occupied slot of the hierarchy, round and round.
func (w *Hierarchical) slotAfter(number uint32) uint32 {
	for {
		if number++; number >= w.slots.late {
			number = 0
		}
		if w.slots.all[number].count != 0 {
			return number
		}
	}
}

// entryOf returns the entry that r stands for, be it free, or nil if r is stale.
func (w *Hierarchical) entryOf(r ref) *entry {
	e := w.lookUp(r.index())
	if e == nil || e.place&^freeBit != r.place() {
		return nil
	}
	return e
}
