package wheel

// Timers is what every structure of this package offers. None of it may be
// called from two goroutines at once.
type Timers interface {
	// Add sets a timer for the tick due. A due at or before Now counts as Now;
	// such a timer expires at the next Advance.
	//
	// An advance that has returned more = true is not over, and one whose expire
	// is running neither: a timer that is added meanwhile with a due at or before
	// Now belongs to the advance after it. So a timer that sets itself anew for
	// "at once" can't keep an advance from ending.
	Add(due uint64) Handle

	// Cancel takes the timer out. It returns false, and does nothing, if the
	// timer has expired or was cancelled before.
	Cancel(h Handle) bool

	// Reset moves the timer to another tick, by the rules of Add, and keeps its
	// handle. It returns false, and does nothing, where Cancel would; with one
	// exception: expire may Reset the very timer that is expiring. That sets it
	// again under the same handle, which is how a timer repeats.
	Reset(h Handle, due uint64) bool

	// Mark returns a new handle of the timer, one that is [Handle.Marked]; the
	// old handle is stale. The structure does nothing with the mark: it lets an owner
	// tell two kinds of timers apart without a look into its memory. It returns 0
	// where Cancel would return false.
	Mark(h Handle) Handle

	// Due returns the tick at which the timer counts as due. It is false if there
	// is no such timer any more; expire may still ask it of the timer that is
	// expiring.
	Due(h Handle) (tick uint64, ok bool)

	// Next returns a tick at which Advance should be called: at the latest the
	// earliest due of all. It may be earlier; the structure says by how much and
	// how often. It is false if there is no timer.
	Next() (tick uint64, ok bool)

	// Advance sets Now and expires what is due at or before it, in the order of
	// the due ticks; timers of one tick come in any order. An earlier now than
	// Now is a no-op.
	//
	// With limit > 0 at most that many expire in one call, and more tells that the
	// advance is not over: call again with the same now, or a later one. With
	// limit ≤ 0 all expire and more is false.
	//
	// While expire runs, the handle still owns its index, and its timer counts as
	// expired. expire may call Add, Cancel, Reset and all that reads; it
	// must not call Advance or Clear, which would panic, and must not panic.
	Advance(now uint64, limit int, expire func(h Handle)) (more bool)

	// Clear drops all timers, so that all handles are stale, and sets Now, also to
	// an earlier tick.
	Clear(now uint64)

	// OnRelease sets a function to be called, from inside any method, when the
	// indices from index on, [ChunkSize] of them, name no timers any more and the
	// structure has let go of their memory: the owner may do so too, by [Slab.Drop].
	// A later timer may have such an index again.
	OnRelease(release func(index uint32))

	// Now returns the tick that Advance, Clear or the constructor was last told.
	Now() uint64

	// Len returns the number of timers that are set. The one that is expiring is
	// not among them.
	Len() int
}
