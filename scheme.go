package timewheel

import (
	"fmt"

	"github.com/timewheel-dev/timewheel/internal/wheel"
)

// Scheme is the structure that a [Wheel] keeps its timers in. All of them do the
// same and never fire early; they differ in what that costs. Unless you want to
// compare them, leave it at [Hierarchical].
// docs/concepts/timing-wheels.md explains each, and `timewheel bench schemes`
// measures them.
type Scheme uint8

const (
	// Hierarchical is a wheel of wheels that jumps from one occupied slot to the next
	// by a bitmap for each level:
	//
	//	level 0   · · ● · ·   slots of 1 tick
	//	level 1   · · · ● ·   slots of 64 ticks
	//	level 2   ● · · · ·   slots of 4,096 ticks …
	//
	// Start, stop and reset: O(1). Idle: nothing. A jump of any length: O(levels).
	// Geometry.Slots: a power of two from 2 to 64, by default 64.
	Hierarchical Scheme = iota

	// Hashed is one ring; a timer waits as many rounds as its delay has turns (Varghese
	// and Lauck's scheme 6, Netty):
	//
	//	  ╭─ 7 ─ 0 ─ 1 ─╮
	//	  6      ▼      2   slot = due mod slots
	//	  ╰─ 5 ─ 4 ─ 3 ─╯
	//
	// Start, stop: O(1). It wakes for every occupied slot in every turn, and looks at
	// each of its timers, n/slots on average, though none may be due.
	// Geometry.Slots: a power of two from 2 to 1,048,576, by default 512.
	Hashed

	// Ticking is a hierarchy that goes through every tick, and cascades when a level
	// has turned (scheme 7, the Linux of old):
	//
	//	level 0   · · · ▶ ● · ·     the hand moves a slot each tick,
	//	level 1   · ▶ · · ● · ·     this one when level 0 has turned,
	//	level 2   ▶ · ● · · · ·     this one when level 1 has …
	//
	// Start: O(levels). Stop: O(1). While a timer is set it wakes at every tick, idle
	// or not. A jump costs a step for each slot, not for each tick. What is beyond
	// the last level waits there for another turn.
	// Geometry.Slots: a power of two from 2 to 256, by default 64; Geometry.Levels:
	// from 1 to 8, by default 5.
	Ticking

	// DelayQueue is a hierarchy whose non-empty slots lie in a heap, which says when
	// to wake; levels are made when a timer first needs them (Kafka):
	//
	//	heap      [level 0, slot 7] ─▶ [level 1, slot 3] ─▶ [level 2, slot 1]
	//	               ● ●                  ●                    ● ● ●
	//
	// Start: O(1), and O(log slots) when the slot was empty; stop the same when it is
	// empty then. Idle: nothing. Geometry.Slots: a power of two from 2 to 1,024, by
	// default 64; Geometry.Levels: the most there may be, by default as many as needed;
	// what is beyond the last lies in a heap of its own.
	DelayQueue

	// Heap is a binary heap of timers:
	//
	//	        3
	//	    7       4       each is due no later than the two below it
	//	  9   8   6   5
	//
	// Start, stop, reset and each expiry: O(log n). Idle: nothing; it knows the earliest
	// due exactly.
	Heap

	// List is an unordered list:
	//
	//	7 ─ 3 ─ 9 ─ 4
	//
	// Start and stop: O(1). Each wake-up and each expiry looks at every timer, and so
	// does [Wheel.Stop] for each timer that is left. For some dozens of timers; and it
	// is obviously right.
	List
)

var schemeNames = [...]string{"hierarchical", "hashed", "ticking", "delayqueue", "heap", "list"}

// String returns the name of the scheme in lower case.
func (s Scheme) String() string {
	if int(s) < len(schemeNames) {
		return schemeNames[s]
	}
	return fmt.Sprintf("Scheme(%d)", uint8(s))
}

// Schemes returns all schemes, the default first.
func Schemes() []Scheme {
	return []Scheme{Hierarchical, Hashed, Ticking, DelayQueue, Heap, List}
}

// Geometry is the shape of a scheme's wheels. A zero field means the scheme's
// default; each [Scheme] says what it takes.
type Geometry struct {
	Slots  int // on one level
	Levels int
}

// check says what is wrong with a scheme or its geometry, or nothing.
func (s Scheme) check(g Geometry) error {
	shape := wheel.Geometry(g)
	switch s {
	case Hierarchical:
		return shape.CheckHierarchical()
	case Hashed:
		return shape.CheckHashed()
	case Ticking:
		return shape.CheckTicking()
	case DelayQueue:
		return shape.CheckDelayQueue()
	case Heap, List:
		if g != (Geometry{}) {
			return fmt.Errorf("a %s has no slots and no levels: leave both 0", s)
		}
		return nil
	}
	return nil // Validate knows the schemes
}

// build returns an empty structure at tick 0.
func (s Scheme) build(g Geometry) wheel.Timers {
	shape := wheel.Geometry(g)
	switch s {
	case Hashed:
		return wheel.NewHashed(shape, 0)
	case Ticking:
		return wheel.NewTicking(shape, 0)
	case DelayQueue:
		return wheel.NewDelayQueue(shape, 0)
	case Heap:
		return wheel.NewHeap(0)
	case List:
		return wheel.NewList(0)
	default:
		return wheel.NewHierarchical(shape, 0)
	}
}
