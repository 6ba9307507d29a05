package wheel

import (
	"fmt"
	"math/bits"
)

// verifier is a structure that can check its own state, every link of it.
type verifier interface {
	Timers
	verify() error
}

func (w *Hierarchical) verify() error {
	if err := w.verifyPresent(); err != nil {
		return err
	}
	valid, refs := 0, 0
	for number := range uint32(len(w.slots.all)) {
		n, err := w.verifySlot(number)
		if err != nil {
			return fmt.Errorf("slot %d: %w", number, err)
		}
		valid += n
		refs += w.slots.all[number].count
	}
	for level := range w.levels {
		if has, b := w.slots.levels>>level&1 == 1, w.slots.occupied[level]; has != (b != 0) {
			return fmt.Errorf("level %d: bit of the level is %t, bitmap %b", level, has, b)
		}
	}
	if valid != w.live || refs != w.slots.refs {
		return fmt.Errorf("%d timers in slots, live is %d; %d references, counted %d", valid, w.live, refs, w.slots.refs)
	}
	return w.verifyPlaces(w.live)
}

func (w *Hierarchical) verifyPresent() error {
	late := w.slots.all[w.slots.late]
	switch {
	case w.busy:
		return nil
	case w.cursor > w.now:
		return fmt.Errorf("cursor %d is after now %d", w.cursor, w.now)
	case !w.open && w.cursor != w.now:
		return fmt.Errorf("no advance is open, but cursor %d is not now %d", w.cursor, w.now)
	case !w.open && late.count != 0:
		return fmt.Errorf("no advance is open, but there are late entries")
	case w.cascading != 0 && (!w.open || w.slots.all[w.cascading].count == 0):
		return fmt.Errorf("slot %d is being cascaded, but empty or in no advance", w.cascading)
	}
	return nil
}

// verifySlot checks one slot and returns how many timers it has.
func (w *Hierarchical) verifySlot(number uint32) (n int, err error) {
	slot := w.slots.all[number]
	if number != w.slots.late {
		if bit := w.slots.occupied[number>>digitBits]>>(number&digitMask)&1 == 1; bit != (slot.count > 0) {
			return 0, fmt.Errorf("bit is %t, count %d", bit, slot.count)
		}
	}
	b := slot.head
	if b == nil {
		return 0, nil
	}
	read := b.read
	for range slot.count {
		if read == b.fill {
			b = b.next
			read = b.read
		}
		r := b.refs[read]
		read++
		e := w.entryOf(r)
		if e == nil {
			continue
		}
		if at := r.spot() & numberMask; at != number && at != w.slots.late {
			return n, fmt.Errorf("a reference to %d has the spot %#x", r.index(), r.spot())
		}
		if err := w.verifyEntry(number, e); err != nil && !e.isFree() {
			return n, fmt.Errorf("entry %d: %w", r.index(), err)
		}
		if !e.isFree() {
			n++
		}
	}
	if b != slot.tail || read != b.fill || b.next != nil {
		return n, fmt.Errorf("ends at %d, want %d of the last block", read, b.fill)
	}
	return n, nil
}

// verifyEntry checks that the entry is not due before its slot.
func (w *Hierarchical) verifyEntry(number uint32, e *entry) error {
	switch number {
	case w.slots.late:
		if e.due != w.now {
			return fmt.Errorf("late, but due %d is not now %d", e.due, w.now)
		}
	case w.cascading:
		if start := w.startOf(number, w.cursor); number != 0 && start != w.cursor {
			return fmt.Errorf("is being cascaded in a slot that starts at %d, but cursor is %d", start, w.cursor)
		}
	default:
		if start := w.startOf(number, w.cursor); start < w.cursor || e.due < start {
			return fmt.Errorf("due %d lies in slot %d, which starts at %d, seen from %d", e.due, number, start, w.cursor)
		}
	}
	return nil
}

// verifyPlaces checks that every place is taken, free, retired or expiring, and
// that the counts are right.
func (s *entries) verifyPlaces(live int) error {
	free := make([]bool, len(s.slab.chunks)<<chunkBits)
	for i, prev := s.free, uint32(0); i != 0; prev, i = i, s.slab.At(i).nextFree() {
		e := s.slab.At(i)
		switch {
		case !e.isFree():
			return fmt.Errorf("place %d is in the list of free ones, but its place is %d", i, e.spot)
		case free[i]:
			return fmt.Errorf("the list of free places is a circle")
		case prev != 0 && e.prevFree() != prev:
			return fmt.Errorf("free place %d comes after %d, but says %d", i, prev, e.prevFree())
		}
		free[i] = true
	}
	taken, chunks := 0, 0
	for c, chunk := range s.slab.chunks {
		if chunk == nil {
			if _, ok := s.floors[uint32(c)]; !ok {
				return fmt.Errorf("chunk %d is gone without a floor", c)
			}
			continue
		}
		chunks++
		count := 0
		for k := range chunk {
			i, e := uint32(c<<chunkBits|k), &chunk[k]
			switch {
			case i == 0:
				continue
			case e.generation&maxGeneration == 0:
				return fmt.Errorf("place %d has generation 0", i)
			case !free[i]:
				count++
				if !e.isFree() && e.spot != spotExpiring {
					taken++
				} else if e.isFree() && e.generation&maxGeneration != maxGeneration {
					return fmt.Errorf("place %d is lost", i)
				}
			}
		}
		if int(s.counts[c]) != count {
			return fmt.Errorf("chunk %d counts %d places, want %d", c, s.counts[c], count)
		}
	}
	if taken != live || chunks != s.chunks {
		return fmt.Errorf("%d places are taken, live is %d; %d chunks, counted %d", taken, live, chunks, s.chunks)
	}
	return nil
}

func (t *Heap) verify() error {
	for at, i := range t.order {
		e := t.slab.At(i)
		if e.spot != spotWaiting || int(t.links.At(i).next) != at {
			return fmt.Errorf("entry %d at %d: place %d, position %d", i, at, e.spot, t.links.At(i).next)
		}
		if at > 0 && t.dueAt((at-1)/2) > e.due {
			return fmt.Errorf("entry %d at %d is due before its parent", i, at)
		}
	}
	for at, i := range t.after {
		if e := t.slab.At(i); e.spot != spotLate || int(t.links.At(i).next) != at || !t.open {
			return fmt.Errorf("late entry %d at %d: place %d, position %d, open %t", i, at, e.spot, t.links.At(i).next, t.open)
		}
	}
	if n := len(t.order) + len(t.after); n != t.live {
		return fmt.Errorf("%d entries, but live is %d", n, t.live)
	}
	return t.verifyPlaces(t.live)
}

func (l *List) verify() error {
	for at, i := range l.all {
		if e := l.slab.At(i); int(l.links.At(i).next) != at || e.spot > spotLate {
			return fmt.Errorf("entry %d at %d: place %d, position %d", i, at, e.spot, l.links.At(i).next)
		}
	}
	if len(l.all) != l.live {
		return fmt.Errorf("%d entries, but live is %d", len(l.all), l.live)
	}
	return l.verifyPlaces(l.live)
}

// borders returns how many times Next may be too early for one timer that is
// due at due, seen from now.
func (w *Hierarchical) borders(due, now uint64) int {
	return int(w.levelOf[bits.Len64(due^now)])
}
