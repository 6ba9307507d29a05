package wheel

import (
	"fmt"
	"math/bits"
)

const (
	defaultHashedSlots = 512
	maxHashedSlots     = 1 << 20

	maxTickingSlots      = 256
	defaultTickingLevels = 5
	maxTickingLevels     = 8 // of 256 slots: 64 bits

	maxDelayQueueSlots = 1024
)

// CheckHashed says what is wrong with the geometry of a [Hashed]: Slots is a
// power of two from 2 to 1048576, by default 512; it has one level, so Levels
// must be 0 or 1.
func (g Geometry) CheckHashed() error {
	if badSlots(g.Slots, maxHashedSlots) {
		return fmt.Errorf("slots is %d; a hashed wheel takes a power of two from 2 to %d, or 0 for %d", g.Slots, maxHashedSlots, defaultHashedSlots)
	}
	if g.Levels != 0 && g.Levels != 1 {
		return fmt.Errorf("levels is %d; a hashed wheel has one level: leave it 0 or say 1", g.Levels)
	}
	return nil
}

// CheckTicking says what is wrong with the geometry of a [Ticking]: Slots, on
// each level, is a power of two from 2 to 256, by default 64; Levels is from 1 to
// 8, by default 5. So the reach, which is Slots to the power of Levels, is never
// more than the 2^64 ticks that there are.
func (g Geometry) CheckTicking() error {
	if badSlots(g.Slots, maxTickingSlots) {
		return fmt.Errorf("slots is %d; a ticking wheel takes a power of two from 2 to %d, or 0 for %d", g.Slots, maxTickingSlots, defaultSlots)
	}
	if g.Levels < 0 || g.Levels > maxTickingLevels {
		return fmt.Errorf("levels is %d; a ticking wheel takes 1 to %d, or 0 for %d", g.Levels, maxTickingLevels, defaultTickingLevels)
	}
	return nil
}

// CheckDelayQueue says what is wrong with the geometry of a [DelayQueue]: Slots,
// on each level, is a power of two from 2 to 1024, by default 64; Levels is the
// most levels that it makes, up to 64, and 0 for as many as the timers need.
func (g Geometry) CheckDelayQueue() error {
	if badSlots(g.Slots, maxDelayQueueSlots) {
		return fmt.Errorf("slots is %d; a delay queue takes a power of two from 2 to %d, or 0 for %d", g.Slots, maxDelayQueueSlots, defaultSlots)
	}
	if g.Levels < 0 || g.Levels > tickBits {
		return fmt.Errorf("levels is %d; a delay queue takes 1 to %d, or 0 for as many as needed", g.Levels, tickBits)
	}
	return nil
}

// badSlots reports whether slots is neither 0 nor a power of two from 2 to most.
func badSlots(slots, most int) bool {
	return slots != 0 && (slots < 2 || slots > most || bits.OnesCount(uint(slots)) != 1)
}

// slotBitsOr returns the number of bits of a tick that a level stands for, with
// so many slots by default.
func (g Geometry) slotBitsOr(slots int) uint {
	if g.Slots != 0 {
		slots = g.Slots
	}
	return uint(bits.TrailingZeros(uint(slots)))
}

// must panics if a geometry does not fit.
func must(err error) {
	if err != nil {
		panic("wheel: " + err.Error())
	}
}
