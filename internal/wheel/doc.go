// Package wheel holds the structures that keep timers in the order in which
// they fall due: the hierarchical timing wheel, beside it the wheels that others
// build (a hashed ring, a hierarchy that ticks, a hierarchy driven by a queue of its slots), and a heap
// and a list as baseline and oracle. All offer [Timers], and pass one suite.
//
// It owns which entry expires at which tick, and in what order. It refuses to
// know what a tick is worth (package time), who waits for it (context) and who
// else is here (sync): ticks are plain uint64, and a structure has one owner
// that locks where it must.
//
// The hierarchy, here with a start at tick 0 and 64 slots a level:
//
//	level 0  │0│1│2│ … │63│           a slot spans 1 tick
//	level 1  │0│1│2│ … │63│           a slot spans 64 ticks
//	level 2  │0│1│2│ … │63│           a slot spans 4096 ticks
//	  ⋮
//	level 10 │0│1│ … │15│             a slot spans 2^60 ticks
//
//	due 4200 = 1·4096 + 1·64 + 40     seen from tick 0 → level 2, slot 1
//	                                  seen from tick 4096 → level 1, slot 1
//	                                  seen from tick 4160 → level 0, slot 40
//
// An entry lies on the level of the highest digit (to base 64) in which its due
// tick and the present differ, in the slot of that digit. When the present
// enters a slot of a level above 0, its entries cascade: they are filed anew, on
// a lower level. Eleven levels reach over the whole of uint64, so nothing ever
// lies beyond a horizon and no slot index ever wraps. One bitmap a level says
// which slots are occupied; the next one is a matter of counting trailing zeros,
// however far away it is.
//
// Entries live in a slab without pointers, 16 bytes each. A [Handle] names an
// entry by its place in the slab and by a generation, so a stale handle never
// touches the next tenant of the place. An owner keeps what belongs to a timer
// in a [Slab] of its own, at [Handle.Index]. After a peak, chunks of the slab that
// have no timer left are let go of.
//
// docs/internals/wheel-geometry.md tells more.
package wheel
