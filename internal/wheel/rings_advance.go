package wheel

// Advance expires what is due; see [Timers]. A limited call also returns more
// = true when it has looked at 1024 timers, so it may return more without having
// expired any.
func (r *rings) Advance(now uint64, limit int, expire func(h Handle)) (more bool) {
	r.forbidInside("Advance")
	if now < r.now {
		return false
	}
	if now > r.now {
		r.fileAfter() // they come after the rest up to the old now and before what follows it
	}
	r.now, r.open, r.busy = now, true, true
	more = r.workOff(&quota{limit > 0, limit, r.piece}, expire)
	r.busy = false
	if more {
		return true
	}
	r.cursor, r.open = now, false
	r.fileAfter()
	return false
}

// workOff takes visit after visit up to now. It returns true if a limit cut it
// short.
func (r *rings) workOff(left *quota, expire func(h Handle)) (more bool) {
	for {
		if r.lookOn(left) || r.expireReady(left, expire) {
			return true
		}
		next, tick, ok := r.layout.nextVisit()
		if !ok {
			return false
		}
		next.from = r.cursor
		r.visit, r.cursor = next, tick
	}
}

// lookOn goes on with the visit. No callback runs meanwhile, so nothing that one
// sets comes under it before it is over.
func (r *rings) lookOn(left *quota) (more bool) {
	for s := &r.visit; s.running(); s.number, s.begun = s.number+1, false {
		if !s.begun {
			number, ok := r.layout.occupied(s.number)
			if !ok || number >= s.end {
				break
			}
			s.number, s.begun, s.entry = number, true, r.slot(number).head
		}
		for s.entry != 0 {
			if left.limited && left.looks == 0 {
				return true
			}
			left.looks--
			r.look(s)
		}
	}
	r.visit = visit{}
	return false
}

// look files the timer that comes next anew, unless it lies right: on a
// visit over many slots the timer may have been moved ahead of the visit.
func (r *rings) look(s *visit) {
	i := s.entry
	e := r.slab.At(i)
	spot := r.spotOf(e.due)
	if spot == e.spot {
		s.entry = r.links.At(i).next
		return
	}
	r.remove(i, e) // which moves s.entry on
	r.put(spot, i, e)
}

// expireReady expires what is in ready and due at or before cursor.
func (r *rings) expireReady(left *quota, expire func(h Handle)) (more bool) {
	for {
		first, ok := r.ready.top()
		if !ok || first.tick > r.cursor {
			return false
		}
		if left.limited && left.expiries == 0 {
			return true
		}
		left.expiries--
		r.ready.remove(0)
		r.expire(first.number, r.slab.At(first.number), expire)
	}
}

// fileAfter files those that had to wait for the next advance.
func (r *rings) fileAfter() {
	i := r.after.head
	r.after = chain{}
	for i != 0 {
		e, next := r.slab.At(i), r.links.At(i).next
		r.put(r.spotOf(e.due), i, e)
		i = next
	}
}
