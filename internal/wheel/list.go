package wheel

// List keeps timers in no order at all (scheme 1 of Varghese and Lauck, with
// the due tick kept instead of counted down): Add, Cancel and Reset are O(1), Next
// and every expiry look at all timers. It is the oracle of the tests: too simple
// to be wrong.
type List struct {
	core
	all []uint32 // an entry's next is its position
}

var _ Timers = (*List)(nil)

// NewList returns an empty list whose Now is start.
func NewList(start uint64) *List {
	l := &List{}
	l.linked = true
	l.now = start
	return l
}

// Add sets a timer for the tick due; see [Timers].
func (l *List) Add(due uint64) Handle {
	i, e := l.take()
	l.put(i, e, due)
	return makeHandle(i, e.generation)
}

// Cancel takes the timer out; see [Timers].
func (l *List) Cancel(h Handle) bool {
	e := l.find(h)
	if e == nil || e.spot == spotExpiring {
		return false
	}
	l.all = l.cut(l.all, l.links.At(h.Index()).next)
	l.live--
	l.give(h.Index(), e)
	return true
}

// Reset moves the timer to another tick; see [Timers].
func (l *List) Reset(h Handle, due uint64) bool {
	e := l.find(h)
	if e == nil {
		return false
	}
	if e.spot != spotExpiring {
		l.all = l.cut(l.all, l.links.At(h.Index()).next)
		l.live--
	}
	l.put(h.Index(), e, due)
	return true
}

// Next returns the earliest due tick, exactly.
func (l *List) Next() (tick uint64, ok bool) {
	for _, i := range l.all {
		if due := l.slab.At(i).due; !ok || due < tick {
			tick, ok = due, true
		}
	}
	return tick, ok
}

// Advance expires what is due; see [Timers].
func (l *List) Advance(now uint64, limit int, expire func(h Handle)) (more bool) {
	l.forbidInside("Advance")
	if now < l.now {
		return false
	}
	if now > l.now {
		l.wait()
	}
	l.now, l.open, l.busy = now, true, true
	for n := 0; ; n++ {
		i := l.earliest()
		more = i != 0 && limit > 0 && n == limit
		if i == 0 || more {
			break
		}
		e := l.slab.At(i)
		l.all = l.cut(l.all, l.links.At(i).next)
		l.expire(i, e, expire)
	}
	l.busy = false
	if !more {
		l.open = false
		l.wait()
	}
	return more
}

// Clear drops all timers and sets Now; see [Timers].
func (l *List) Clear(now uint64) {
	l.forbidInside("Clear")
	for _, i := range l.all {
		l.give(i, l.slab.At(i))
	}
	l.all = l.all[:0]
	l.now, l.live, l.open = now, 0, false
}

func (l *List) put(i uint32, e *entry, due uint64) {
	e.due, e.spot = max(due, l.now), spotWaiting
	if l.late(due) {
		e.spot = spotLate
	}
	l.links.At(i).next = uint32(len(l.all))
	l.all = append(l.all, i)
	l.live++
}

// earliest returns the entry that this advance expires next, or 0.
func (l *List) earliest() uint32 {
	var found uint32
	least := l.now
	for _, i := range l.all {
		e := l.slab.At(i)
		if e.spot == spotWaiting && (e.due < least || found == 0 && e.due == least) {
			found, least = i, e.due
		}
	}
	return found
}

// wait lets the late take part in the advance that comes.
func (l *List) wait() {
	for _, i := range l.all {
		l.slab.At(i).spot = spotWaiting
	}
}
