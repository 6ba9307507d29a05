package wheel

import "fmt"

// verify of the structures that share rings: every link, every bit, both heaps,
// and that each timer lies where its hand will find it.

func (r *rings) nextMayBeEarly() bool { return true }

func (r *rings) worksInPieces() bool { return r.piece < cascadePiece }

func (w *Hashed) verify() error {
	if err := w.filled.verify(int(w.mask)+1, w.holds); err != nil {
		return err
	}
	return w.verifyRings(func(number uint32, due uint64) error {
		if w.slotOf(due) != number {
			return fmt.Errorf("due %d belongs in slot %d", due, w.slotOf(due))
		}
		return nil
	})
}

func (w *Ticking) verify() error {
	if err := w.filled.verify(int(w.size)*int(w.levels), w.holds); err != nil {
		return err
	}
	return w.verifyRings(func(number uint32, due uint64) error {
		if w.visit.covers(number) {
			return nil // filed as seen from a cursor that was
		}
		level := uint(number) >> w.slotBits
		_, next, _ := w.nextOn(level)
		start := w.startOf(number)
		fits := due>>(level*w.slotBits)<<(level*w.slotBits) == start
		parked := level == w.levels-1
		if start < next || start > due || !fits && !parked {
			return fmt.Errorf("due %d, but the hand comes at %d", due, start)
		}
		return nil
	})
}

// startOf returns when the hand enters the slot next: at cursor, or within a turn
// after it.
func (w *Ticking) startOf(number uint32) uint64 {
	shift := uint(number) >> w.slotBits * w.slotBits
	block := w.cursor >> shift
	if block<<shift < w.cursor {
		block++
	}
	for uint32(block)&(w.size-1) != number&(w.size-1) {
		block++
	}
	return block << shift
}

func (w *DelayQueue) verify() error {
	filled := 0
	for number := range uint32(len(w.slots)) << w.slotBits {
		if !w.holds(number) {
			continue
		}
		filled++
		at := *w.order.position(number)
		if int(at) >= len(w.order.items) || w.order.items[at].number != number {
			return fmt.Errorf("slot %d is not at position %d of the heap of slots", number, at)
		}
	}
	if filled != len(w.order.items) {
		return fmt.Errorf("%d slots are occupied, the heap holds %d", filled, len(w.order.items))
	}
	if err := w.order.verify(); err != nil {
		return err
	}
	return w.verifyRings(func(number uint32, due uint64) error {
		span := uint64(1) << (uint(number) >> w.slotBits * w.slotBits)
		start := w.order.items[*w.order.position(number)].tick
		if start < w.cursor || due < start || due-start >= span {
			return fmt.Errorf("due %d, but the slot begins at %d and spans %d", due, start, span)
		}
		return nil
	})
}

func (r *rings) holds(number uint32) bool { return r.slot(number).head != 0 }

func (r *rings) verifyRings(lies func(number uint32, due uint64) error) error {
	if err := r.verifyPresent(); err != nil {
		return err
	}
	listed := 0
	for number := range uint32(len(r.slots)) << r.slotBits {
		n, err := r.verifyChain(*r.slot(number), number, func(e *entry) error {
			if e.due <= r.cursor && !r.visit.covers(number) && !r.entering(number) {
				return fmt.Errorf("due %d is not after cursor %d", e.due, r.cursor)
			}
			return lies(number, e.due)
		})
		if err != nil {
			return err
		}
		listed += n
	}
	n, err := r.verifyChain(r.after, spotAfter, func(e *entry) error {
		if !r.open || e.due != r.now {
			return fmt.Errorf("late, but due %d is not now %d, or no advance is open", e.due, r.now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.verifyReady(); err != nil {
		return err
	}
	if listed += n + len(r.ready.items); listed != r.live {
		return fmt.Errorf("%d entries in lists, but live is %d", listed, r.live)
	}
	return r.verifyPlaces(r.live)
}

// covers reports whether the slot is still to be looked at.
func (s *visit) covers(number uint32) bool { return s.number <= number && number < s.end }

// entering reports whether the slot is one of several that begin at cursor and
// come one after the other.
func (r *rings) entering(number uint32) bool {
	if !r.open {
		return false
	}
	if _, hashed := r.layout.(*Hashed); hashed {
		return false
	}
	shift := uint(number) >> r.slotBits * r.slotBits
	return r.cursor>>shift<<shift == r.cursor && (r.cursor>>shift)&(1<<r.slotBits-1) == uint64(number)&(1<<r.slotBits-1)
}

func (r *rings) verifyPresent() error {
	switch {
	case r.busy && r.visit.running():
		return fmt.Errorf("expire runs in the midst of a visit")
	case r.busy:
		return nil
	case r.cursor > r.now:
		return fmt.Errorf("cursor %d is after now %d", r.cursor, r.now)
	case !r.open && (r.cursor != r.now || r.visit.running() || r.after.head != 0):
		return fmt.Errorf("no advance is open, but cursor is %d at %d, a visit runs: %t, first late: %d", r.cursor, r.now, r.visit.running(), r.after.head)
	}
	if s := r.visit; s.entry != 0 && (!s.running() || r.slab.At(s.entry).spot != s.number) {
		return fmt.Errorf("the visit is at entry %d, which is not in slot %d", s.entry, s.number)
	}
	return nil
}

// verifyChain checks one list and returns its length.
func (r *rings) verifyChain(c chain, place uint32, check func(e *entry) error) (n int, err error) {
	var prev uint32
	for i := c.head; i != 0; n++ {
		e, l := r.slab.At(i), *r.links.At(i)
		if l.prev != prev || e.spot != place {
			return n, fmt.Errorf("list %d: entry %d has prev %d and place %d, want prev %d", place, i, l.prev, e.spot, prev)
		}
		if err := check(e); err != nil {
			return n, fmt.Errorf("list %d: entry %d: %w", place, i, err)
		}
		prev, i = i, l.next
	}
	if c.tail != prev {
		return n, fmt.Errorf("list %d: tail is %d, want %d", place, c.tail, prev)
	}
	return n, nil
}

func (r *rings) verifyReady() error {
	for _, item := range r.ready.items {
		switch e := r.slab.At(item.number); {
		case e.spot != spotReady || e.due != item.tick:
			return fmt.Errorf("entry %d is ready at %d, but its place is %d and its due %d", item.number, item.tick, e.spot, e.due)
		case e.due > r.cursor && r.spotOf(e.due) != spotReady && !r.beyond():
			return fmt.Errorf("entry %d is ready, but due %d, and cursor is %d", item.number, e.due, r.cursor)
		}
	}
	return r.ready.verify()
}

// beyond reports whether ready holds timers that no slot reached when they were set.
func (r *rings) beyond() bool {
	q, ok := r.layout.(*DelayQueue)
	return ok && q.most*q.slotBits < tickBits
}

func (p *pile) verify() error {
	for at, item := range p.items {
		if got := *p.position(item.number); int(got) != at {
			return fmt.Errorf("%d is at position %d of its heap, but says %d", item.number, at, got)
		}
		if parent := p.items[max(at-1, 0)/2]; parent.tick > item.tick {
			return fmt.Errorf("%d at position %d is before its parent %d", item.number, at, parent.number)
		}
	}
	return nil
}

// verify checks that the bits are those of the numbers below n that hold
// something, on every layer.
func (b *bitmap) verify(n int, holds func(number uint32) bool) error {
	for l, layer := range b.layers {
		for number := range uint32(len(layer)) << wordBits {
			has := layer[number>>wordBits]>>(number&wordMask)&1 == 1
			if want := int(number) < n && holds(number); has != want {
				return fmt.Errorf("layer %d: bit %d is %t", l, number, has)
			}
		}
		n, holds = len(layer), func(word uint32) bool { return layer[word] != 0 }
	}
	return nil
}
