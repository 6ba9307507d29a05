package wheel

import "math"

// entry is one timer, or a place that waits for one. It holds no pointers.
type entry struct {
	due        uint64
	next, prev uint32 // neighbours in the list of a slot; 0 is none
	generation uint32 // of the present or, in a free place, of the next handle
	place      uint32 // where the entry is: a place of the structure's own, or one of those below
}

const (
	placeFree     = math.MaxUint32     // in the list of free places, or retired
	placeExpiring = math.MaxUint32 - 1 // its expire is running
)

// entries hands out places in the slab and takes them back. Index 0 is never
// handed out, so that 0 can mean none in every link.
type entries struct {
	slab Slab[entry]
	free uint32 // first free place, linked by next
	used uint32 // highest index ever handed out
}

// take returns a place, with the generation of its new handle set.
func (s *entries) take() (uint32, *entry) {
	if i := s.free; i != 0 {
		e := s.slab.At(i)
		s.free = e.next
		return i, e
	}
	if s.used == math.MaxUint32 {
		panic("wheel: no room for more than 4294967295 timers")
	}
	s.used++
	s.slab.Grow(s.used)
	e := s.slab.At(s.used)
	e.generation = 1
	return s.used, e
}

// give takes a place back: its handle is stale from here on. A place whose
// generations are used up is retired: it costs 24 bytes for every 2^32 timers
// that went through it, and no stale handle can ever come to life again.
func (s *entries) give(i uint32, e *entry) {
	e.place = placeFree
	if e.generation == math.MaxUint32 {
		return
	}
	e.generation++
	e.next = s.free
	s.free = i
}

// find returns the entry that h names, or nil if the handle is stale.
func (s *entries) find(h Handle) *entry {
	i := h.Index()
	if i-1 >= s.used { // 0 wraps around
		return nil
	}
	e := s.slab.At(i)
	if e.generation != h.generation() || e.place == placeFree {
		return nil
	}
	return e
}
