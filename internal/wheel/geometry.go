package wheel

import (
	"fmt"
	"math/bits"
)

const (
	defaultSlotBits = 6
	maxSlotBits     = digitBits // a level's bitmap is one uint64
	tickBits        = 64
)

// Geometry is the shape of a hierarchy. The zero Geometry is the right one for
// all but tests, which take small levels so that they can try every edge.
type Geometry struct {
	// SlotBits is the number of bits of the tick that one level stands for, so a
	// level has 1 << SlotBits slots. From 1 to 6; 0 means 6, which is 64 slots.
	// There are always as many levels as 64 bits need.
	SlotBits int
}

// shape is a geometry made ready for use.
type shape struct {
	slotBits uint
	slotMask uint64
	levels   uint
	// levelOf is the level of the highest differing digit, by the length in bits of
	// the difference. A table, since a division would cost more than all the rest.
	levelOf [tickBits + 1]uint8
}

func (g Geometry) shape() shape {
	b := g.SlotBits
	if b == 0 {
		b = defaultSlotBits
	}
	if b < 1 || b > maxSlotBits {
		panic(fmt.Sprintf("wheel: Geometry.SlotBits is %d; it must be from 1 to %d, or 0 for %d", g.SlotBits, maxSlotBits, defaultSlotBits))
	}
	s := shape{slotBits: uint(b), slotMask: 1<<b - 1, levels: uint((tickBits + b - 1) / b)}
	for length := 1; length <= tickBits; length++ {
		s.levelOf[length] = uint8((length - 1) / b)
	}
	return s
}

// slotOf returns the number of the slot of the tick due as seen from the tick
// cursor.
func (s *shape) slotOf(due, cursor uint64) uint32 {
	level := uint(s.levelOf[bits.Len64(due^cursor)])
	digit := due >> (level * s.slotBits & (tickBits - 1)) & s.slotMask
	return slotNumber(level, digit)
}

// startOf returns the first tick of the slot with that digit on that level, in
// the turn of the level in which the tick cursor lies.
func (s *shape) startOf(level uint, digit, cursor uint64) uint64 {
	shift := level * s.slotBits & (tickBits - 1)
	return (cursor>>shift&^s.slotMask | digit) << shift
}
