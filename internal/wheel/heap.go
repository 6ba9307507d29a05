package wheel

const (
	spotWaiting = 0 // in order, at the position that next holds
	spotLate    = 1 // in after, at the position that next holds
)

// Heap keeps timers in a binary heap (scheme 3 of Varghese and Lauck, "Hashed
// and Hierarchical Timing Wheels", 1987): Add, Cancel and Reset cost O(log n),
// Next is exact. It is a baseline, and a second opinion in the tests.
type Heap struct {
	core
	order []uint32 // the heap, by due; an entry's next is its position
	after []uint32 // the late, unordered; an entry's next is its position
}

var _ Timers = (*Heap)(nil)

// NewHeap returns an empty heap whose Now is start.
func NewHeap(start uint64) *Heap {
	h := &Heap{}
	h.linked = true
	h.now = start
	return h
}

// Add sets a timer for the tick due; see [Timers].
func (t *Heap) Add(due uint64) Handle {
	i, e := t.take()
	t.live++
	t.file(i, e, due)
	return makeHandle(i, e.generation)
}

// Cancel takes the timer out; see [Timers].
func (t *Heap) Cancel(h Handle) bool {
	e := t.find(h)
	if e == nil || e.spot == spotExpiring {
		return false
	}
	t.remove(h.Index(), e)
	t.give(h.Index(), e)
	t.live--
	return true
}

// Reset moves the timer to another tick; see [Timers].
func (t *Heap) Reset(h Handle, due uint64) bool {
	e := t.find(h)
	if e == nil {
		return false
	}
	if e.spot == spotExpiring {
		t.live++
	} else {
		t.remove(h.Index(), e)
	}
	t.file(h.Index(), e, due)
	return true
}

// Next returns the earliest due tick, exactly.
func (t *Heap) Next() (tick uint64, ok bool) {
	if len(t.order) > 0 {
		tick, ok = t.dueAt(0), true
	}
	if len(t.after) > 0 && (!ok || t.now < tick) {
		tick, ok = t.now, true
	}
	return tick, ok
}

// Advance expires what is due; see [Timers].
func (t *Heap) Advance(now uint64, limit int, expire func(h Handle)) (more bool) {
	t.forbidInside("Advance")
	if now < t.now {
		return false
	}
	if now > t.now {
		t.fileLate()
	}
	t.now, t.open, t.busy = now, true, true
	more = t.workOff(limit, expire)
	t.busy = false
	if more {
		return true
	}
	t.open = false
	t.fileLate()
	return false
}

func (t *Heap) workOff(limit int, expire func(h Handle)) (more bool) {
	for n := 0; len(t.order) > 0 && t.dueAt(0) <= t.now; n++ {
		if limit > 0 && n == limit {
			return true
		}
		i := t.order[0]
		e := t.slab.At(i)
		t.remove(i, e)
		t.expire(i, e, expire)
	}
	return false
}

// Clear drops all timers and sets Now; see [Timers].
func (t *Heap) Clear(now uint64) {
	t.forbidInside("Clear")
	for _, list := range [][]uint32{t.order, t.after} {
		for _, i := range list {
			t.give(i, t.slab.At(i))
		}
	}
	t.order, t.after = t.order[:0], t.after[:0]
	t.now, t.live, t.open = now, 0, false
}

func (t *Heap) file(i uint32, e *entry, due uint64) {
	e.due = max(due, t.now)
	if t.late(due) {
		e.spot, t.links.At(i).next = spotLate, uint32(len(t.after))
		t.after = append(t.after, i)
		return
	}
	e.spot, t.links.At(i).next = spotWaiting, uint32(len(t.order))
	t.order = append(t.order, i)
	t.up(len(t.order) - 1)
}

func (t *Heap) remove(i uint32, e *entry) {
	at := t.links.At(i).next
	if e.spot == spotLate {
		t.after = t.cut(t.after, at)
		return
	}
	t.order = t.cut(t.order, at)
	if int(at) < len(t.order) {
		t.up(int(at))
		t.down(int(at))
	}
}

func (t *Heap) fileLate() {
	late := t.after
	t.after = t.after[:0]
	for _, i := range late {
		e := t.slab.At(i)
		e.spot, t.links.At(i).next = spotWaiting, uint32(len(t.order))
		t.order = append(t.order, i)
		t.up(len(t.order) - 1)
	}
}

func (t *Heap) dueAt(position int) uint64 { return t.slab.At(t.order[position]).due }

func (t *Heap) up(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if t.dueAt(parent) <= t.dueAt(at) {
			return
		}
		t.swap(parent, at)
		at = parent
	}
}

func (t *Heap) down(at int) {
	for {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(t.order); child++ {
			if t.dueAt(child) < t.dueAt(least) {
				least = child
			}
		}
		if least == at {
			return
		}
		t.swap(least, at)
		at = least
	}
}

func (t *Heap) swap(a, b int) {
	t.order[a], t.order[b] = t.order[b], t.order[a]
	t.links.At(t.order[a]).next = uint32(a)
	t.links.At(t.order[b]).next = uint32(b)
}

// cut removes the element at that position by putting the last one there.
func (s *entries) cut(list []uint32, at uint32) []uint32 {
	last := len(list) - 1
	list[at] = list[last]
	s.links.At(list[at]).next = at
	return list[:last]
}
