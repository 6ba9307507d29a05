package wheel

import "math/bits"

// Slots are numbered through all levels: the level, then six bits of digit.
const (
	digitBits = 6
	digitMask = 1<<digitBits - 1
)

func slotNumber(level uint, digit uint64) uint32 { return uint32(level<<digitBits) | uint32(digit) }

// place says where an entry lies: the number of a slot, and above it a stamp that
// tells this stay from those before. 31 bits.
const (
	numberBits = 13
	numberMask = 1<<numberBits - 1
	stampStep  = 1 << numberBits
)

// ref stands in a slot for an entry: its index in the low half, above it the
// place that it had when it was put there. If that is not its place any more, the
// ref is stale and means nothing.
type ref uint64

func makeRef(index, place uint32) ref { return ref(place)<<32 | ref(index) }

func (r ref) index() uint32 { return uint32(r) }
func (r ref) place() uint32 { return uint32(r >> 32) }

// block is a piece of a slot, of 256 bytes. The garbage collector looks at no
// more than its next.
type block struct {
	next *block
	refs [blockSize]ref
}

const (
	blockSize  = 31
	mostSpares = 64
)

// slot is a queue of refs.
//
//	head                          tail
//	┌────────────┐  ┌─────────┐   ┌────────────┐
//	│    ●●●●●●●●│─▶│●●●●●●●●●│─▶ │●●●●        │
//	└────────────┘  └─────────┘   └────────────┘
//	     ▲ read                        ▲ fill
type slot struct {
	head, tail *block
	count      uint32
	read, fill uint8
}

// slots is the slots of a hierarchy with their bitmaps, and one more: that of
// the late, which is no part of the hierarchy. Its number is the first one of a
// level beyond the last, so that putting in and taking out know no exception.
type slots struct {
	all       []slot
	occupied  [tickBits + 1]uint64 // by level, a bit a slot
	levels    uint64               // a bit a level that has a bit in occupied
	hierarchy uint64               // the bits in levels of the true levels
	late      uint32               // the number of that slot
	refs      int                  // in all slots

	spare  *block // blocks to use again, linked by next
	spares int
}

func newSlots(levels uint) slots {
	late := slotNumber(levels, 0)
	return slots{
		all:       make([]slot, late+1),
		hierarchy: 1<<levels - 1,
		late:      late,
	}
}

// push puts a ref at the end of the slot with that number.
func (s *slots) push(number uint32, r ref) {
	slot := &s.all[number]
	if slot.count == 0 || slot.fill == blockSize {
		s.extend(slot, number)
	}
	slot.tail.refs[slot.fill] = r
	slot.fill++
	slot.count++
	s.refs++
}

// first returns the first ref of a slot that has one.
func (s *slot) first() ref { return s.head.refs[s.read] }

// pop takes the first ref out of a slot that has one.
func (s *slots) pop(number uint32) ref {
	slot := &s.all[number]
	r := slot.first()
	slot.read++
	slot.count--
	s.refs--
	switch {
	case slot.count == 0:
		s.recycle(slot.head)
		slot.head, slot.tail = nil, nil
		s.unmark(number)
	case slot.read == blockSize:
		used := slot.head
		slot.head, slot.read = used.next, 0
		s.recycle(used)
	}
	return r
}

// extend gives the slot an empty block at its end.
func (s *slots) extend(slot *slot, number uint32) {
	b := s.spare
	if b != nil {
		s.spare, b.next = b.next, nil
		s.spares--
	} else {
		b = new(block)
	}
	if slot.count == 0 {
		slot.head, slot.read = b, 0
		s.mark(number)
	} else {
		slot.tail.next = b
	}
	slot.tail, slot.fill = b, 0
}

// recycle keeps a few empty blocks; the rest is for the garbage collector.
func (s *slots) recycle(b *block) {
	if s.spares < mostSpares {
		b.next = s.spare
		s.spare = b
		s.spares++
	}
}

// clear forgets all refs.
func (s *slots) clear() {
	clear(s.all)
	s.occupied, s.levels, s.refs = [tickBits + 1]uint64{}, 0, 0
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
