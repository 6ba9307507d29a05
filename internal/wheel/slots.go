package wheel

import "math/bits"

// slot is a list of entries, linked through their indices; 0 is none.
type slot struct{ head, tail uint32 }

// Slots are numbered through all levels: the level, then six bits of digit.
const (
	digitBits = 6
	digitMask = 1<<digitBits - 1
)

func slotNumber(level uint, digit uint64) uint32 { return uint32(level<<digitBits) | uint32(digit) }

// slots is the lists of a hierarchy with their bitmaps, and one list more: that
// of the late, which is no part of the hierarchy. Its number is the first one of
// a level beyond the last, so that putting in and taking out know no exception.
type slots struct {
	lists     []slot
	occupied  [tickBits + 1]uint64 // by level, a bit a slot
	levels    uint64               // a bit a level that has a bit in occupied
	hierarchy uint64               // the bits in levels of the true levels
	late      uint32               // the number of that list
}

func newSlots(levels uint) slots {
	late := slotNumber(levels, 0)
	return slots{
		lists:     make([]slot, late+1),
		hierarchy: 1<<levels - 1,
		late:      late,
	}
}

// push puts the entry at the end of the list with that number.
func (s *slots) push(all *entries, number, i uint32, e *entry) {
	list := &s.lists[number]
	e.place, e.next, e.prev = number, 0, list.tail
	if list.tail != 0 {
		all.slab.At(list.tail).next = i
	} else {
		list.head = i
		s.mark(number)
	}
	list.tail = i
}

// remove takes the entry out of its list, the one with that number. It returns
// true if that is empty now.
func (s *slots) remove(all *entries, number uint32, e *entry) (emptied bool) {
	list := &s.lists[number]
	if e.prev != 0 {
		all.slab.At(e.prev).next = e.next
	} else {
		list.head = e.next
	}
	if e.next != 0 {
		all.slab.At(e.next).prev = e.prev
		return false
	}
	list.tail = e.prev
	if e.prev != 0 {
		return false
	}
	s.unmark(number)
	return true
}

// empty forgets the entries of the list with that number.
func (s *slots) empty(number uint32) {
	s.lists[number] = slot{}
	s.unmark(number)
}

// clear forgets the entries of all lists.
func (s *slots) clear() {
	clear(s.lists)
	s.occupied, s.levels = [tickBits + 1]uint64{}, 0
}

func (s *slots) mark(number uint32) {
	level := number >> digitBits
	s.occupied[level] |= 1 << (number & digitMask)
	s.levels |= 1 << level
}

func (s *slots) unmark(number uint32) {
	level := number >> digitBits
	s.occupied[level] &^= 1 << (number & digitMask)
	if s.occupied[level] == 0 {
		s.levels &^= 1 << level
	}
}

// first returns the lowest occupied slot of the lowest occupied level.
func (s *slots) first() (level uint, digit uint64, ok bool) {
	levels := s.levels & s.hierarchy
	if levels == 0 {
		return 0, 0, false
	}
	level = uint(bits.TrailingZeros64(levels))
	return level, uint64(bits.TrailingZeros64(s.occupied[level])), true
}
