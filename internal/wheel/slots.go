package wheel

import "math/bits"

// Slots are numbered through all levels: the level, then six bits of digit.
const (
	digitBits = 6
	digitMask = 1<<digitBits - 1
)

func slotNumber(level uint, digit uint64) uint32 { return uint32(level<<digitBits) | uint32(digit) }

// spot says where an entry lies: the number of a slot, and above it a stamp that
// tells this stay from those before. 31 bits. Stamps come round; see the geometry
// page for why that does no harm.
const (
	numberBits = 13
	numberMask = 1<<numberBits - 1
	stampStep  = 1 << numberBits
)

// ref stands in a slot for an entry: its index in the low half, above it the
// spot that it had when it was put there. If that is not its spot any more, the
// ref is stale and means nothing.
type ref uint64

func makeRef(index, spot uint32) ref { return ref(spot)<<32 | ref(index) }

func (r ref) index() uint32 { return uint32(r) }
func (r ref) spot() uint32  { return uint32(r >> 32) }

// block is a piece of a slot, of 256 bytes. The garbage collector looks at no
// more than its next.
type block struct {
	next       *block
	read, fill uint32 // its refs are those from read to before fill
	refs       [blockSize]ref
}

const (
	blockSize  = 30
	mostSpares = 64
)

// slot is a queue of refs in blocks, none of which is empty.
//
//	head                          tail
//	┌────────────┐  ┌─────────┐   ┌────────────┐
//	│    ●●●●●●●●│─▶│●●●●●●●●●│─▶ │●●●●        │
//	└────────────┘  └─────────┘   └────────────┘
//	     ▲ read                        ▲ fill
type slot struct {
	head, tail *block
	count      int
}

// first returns the first ref of a slot that has one.
func (s *slot) first() ref { return s.head.refs[s.head.read] }

// slots is the slots of a hierarchy with their bitmaps, and one more, the last:
// that of the late, which is no part of the hierarchy and in no bitmap.
type slots struct {
	all      []slot
	occupied [tickBits]uint64 // by level, a bit a slot
	levels   uint64           // a bit a level that has a bit in occupied
	late     uint32           // the number of that slot
	refs     int              // in all slots

	spare  *block // blocks to use again, linked by next
	spares int
}

func newSlots(levels uint) slots {
	late := slotNumber(levels, 0)
	return slots{all: make([]slot, late+1), late: late}
}

// push puts a ref at the end of the slot with that number.
func (s *slots) push(number uint32, r ref) {
	slot := &s.all[number]
	if slot.count == 0 || slot.tail.fill == blockSize {
		s.extend(slot, number)
	}
	slot.tail.refs[slot.tail.fill] = r
	slot.tail.fill++
	slot.count++
	s.refs++
}

// pop takes the first ref out of a slot that has one.
func (s *slots) pop(number uint32) ref {
	slot := &s.all[number]
	r := slot.first()
	slot.head.read++
	slot.count--
	s.refs--
	if used := slot.head; used.read == used.fill {
		slot.head = used.next
		s.keep(used)
	}
	if slot.count == 0 {
		slot.head, slot.tail = nil, nil
		s.vacate(number)
	}
	return r
}

// extend gives the slot an empty block at its end, for a ref to come.
func (s *slots) extend(slot *slot, number uint32) {
	b := s.spare
	if b != nil {
		s.spare = b.next
		b.next, b.read, b.fill = nil, 0, 0
		s.spares--
	} else {
		b = new(block)
	}
	if slot.count == 0 {
		slot.head = b
		s.occupy(number)
	} else {
		slot.tail.next = b
	}
	slot.tail = b
}

// keep keeps a few empty blocks; the rest is for the garbage collector.
func (s *slots) keep(b *block) {
	if s.spares < mostSpares {
		b.next = s.spare
		s.spare = b
		s.spares++
	}
}

// appendLate moves all refs of the late to the end of the slot with that number, in
// one step. They keep their spots.
func (s *slots) appendLate(number uint32) {
	late, to := &s.all[s.late], &s.all[number]
	if late.count == 0 {
		return
	}
	if to.count == 0 {
		to.head = late.head
		s.occupy(number)
	} else {
		to.tail.next = late.head
	}
	to.tail = late.tail
	to.count += late.count
	*late = slot{}
}

// clear forgets all refs.
func (s *slots) clear() {
	clear(s.all)
	s.occupied, s.levels, s.refs = [tickBits]uint64{}, 0, 0
}

func (s *slots) occupy(number uint32) {
	if number == s.late {
		return
	}
	level := number >> digitBits
	s.occupied[level] |= 1 << (number & digitMask)
	s.levels |= 1 << level
}

func (s *slots) vacate(number uint32) {
	if number == s.late {
		return
	}
	level := number >> digitBits
	s.occupied[level] &^= 1 << (number & digitMask)
	if s.occupied[level] == 0 {
		s.levels &^= 1 << level
	}
}

// first returns the number of the lowest occupied slot of the lowest occupied
// level.
func (s *slots) first() (number uint32, ok bool) {
	if s.levels == 0 {
		return 0, false
	}
	level := uint(bits.TrailingZeros64(s.levels))
	return slotNumber(level, uint64(bits.TrailingZeros64(s.occupied[level]))), true
}

// after returns the next slot that is not empty, round and round, that of the
// late being the last. There must be one.
func (s *slots) after(number uint32) uint32 {
	if number != s.late {
		if next, ok := s.afterInTurn(number + 1); ok {
			return next
		}
		if s.all[s.late].count != 0 {
			return s.late
		}
	}
	if next, ok := s.first(); ok {
		return next
	}
	return s.late
}

// afterInTurn returns the first occupied slot of the hierarchy from that number on.
func (s *slots) afterInTurn(number uint32) (next uint32, ok bool) {
	if number >= s.late {
		return 0, false
	}
	level := uint(number >> digitBits)
	if rest := s.occupied[level] >> (number & digitMask); rest != 0 {
		return number + uint32(bits.TrailingZeros64(rest)), true
	}
	levels := s.levels >> (level + 1) << (level + 1)
	if levels == 0 {
		return 0, false
	}
	level = uint(bits.TrailingZeros64(levels))
	return slotNumber(level, uint64(bits.TrailingZeros64(s.occupied[level]))), true
}
