package wheel

// sweep is how far the search for stale references has come.
type sweep struct {
	number uint32 // the slot
	left   int    // references of it that were not looked at yet
}

const (
	// sweepMargin is how many stale references don't matter.
	sweepMargin = 4096
	// sweepPiece is how many references one step looks at. It must be more than two:
	// each step follows one new reference, and at least half of all are stale.
	sweepPiece = 8
)

// sweepIfTooMany keeps the number of references within twice that of the places:
// when there are more, each new one pays for a look at some, in slot after slot,
// and the stale ones are dropped. The memory of a storm of them goes back so, as
// timers are set after it, or else when their slots come.
func (w *Hierarchical) sweepIfTooMany() {
	if w.slots.refs <= 2*w.chunks*ChunkSize+sweepMargin {
		return
	}
	for range sweepPiece {
		w.sweepOne()
	}
	if w.cascading != 0 && w.slots.all[w.cascading].count == 0 {
		w.cascading = 0
	}
}

func (w *Hierarchical) sweepOne() {
	at := &w.sweep
	if at.left == 0 || w.slots.all[at.number].count == 0 {
		at.number = w.slots.after(at.number)
		at.left = w.slots.all[at.number].count
	}
	at.left--
	if r := w.slots.pop(at.number); w.entryOf(r) != nil {
		w.slots.push(at.number, r)
	}
}

// entryOf returns the entry that r stands for, be it free, or nil if r is stale.
func (w *Hierarchical) entryOf(r ref) *entry {
	e := w.lookUp(r.index())
	if e == nil || e.spot&^freeBit != r.spot() {
		return nil
	}
	return e
}
