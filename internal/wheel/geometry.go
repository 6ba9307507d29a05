package wheel

import (
	"fmt"
	"math/bits"
)

const (
	defaultSlots = 64
	maxSlots     = 1 << digitBits // a level's bitmap is one uint64
	tickBits     = 64
)

// Geometry is the shape of a structure: what of it each structure heeds, and
// within which bounds, its constructor says. A zero field means the default.
type Geometry struct {
	Slots  int // on one level
	Levels int
}

// shape is the geometry of a [Hierarchical] made ready for use.
type shape struct {
	slotBits uint
	slotMask uint64
	levels   uint
	// levelOf is the level of the highest differing digit, by the length in bits of
	// the difference. A table, since a division would cost more than all the rest.
	levelOf [tickBits + 1]uint8
}

// CheckHierarchical says what is wrong with the geometry of a [Hierarchical]:
// Slots is a power of two from 2 to 64, by default 64; there are always as many
// levels as 64 bits need, so Levels must be 0.
func (g Geometry) CheckHierarchical() error {
	switch {
	case g.Slots != 0 && (g.Slots < 2 || g.Slots > maxSlots || bits.OnesCount(uint(g.Slots)) != 1):
		return fmt.Errorf("slots is %d; a hierarchical wheel takes a power of two from 2 to %d, or 0 for %d", g.Slots, maxSlots, defaultSlots)
	case g.Levels != 0:
		return fmt.Errorf("levels is %d; a hierarchical wheel has as many as the range of time needs: leave it 0", g.Levels)
	}
	return nil
}

// shape panics if the geometry does not fit; see CheckHierarchical.
func (g Geometry) shape() shape {
	if err := g.CheckHierarchical(); err != nil {
		panic("wheel: " + err.Error())
	}
	b := uint(bits.TrailingZeros(uint(g.Slots)))
	if g.Slots == 0 {
		b = digitBits
	}
	s := shape{slotBits: b, slotMask: 1<<b - 1, levels: (tickBits + b - 1) / b}
	for length := uint(1); length <= tickBits; length++ {
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

// startOf returns the first tick of the slot with that number, in the turn of its
// level in which the tick cursor lies.
func (s *shape) startOf(number uint32, cursor uint64) uint64 {
	shift := uint(number>>digitBits) * s.slotBits & (tickBits - 1)
	return (cursor>>shift&^s.slotMask | uint64(number&digitMask)) << shift
}
