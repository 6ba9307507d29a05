package wheel

// core is what the structures have in common: the entries, the present, and
// how far an advance has come.
type core struct {
	entries
	now  uint64
	live int  // timers that are set
	open bool // an advance has begun and not yet returned more = false
	busy bool // Advance is on the stack
}

// Now returns the tick that Advance, Clear or the constructor was last told.
func (c *core) Now() uint64 { return c.now }

// Len returns the number of timers that are set.
func (c *core) Len() int { return c.live }

// Due returns the tick at which the timer counts as due.
func (c *core) Due(h Handle) (tick uint64, ok bool) {
	e := c.find(h)
	if e == nil {
		return 0, false
	}
	return e.due, true
}

// Mark changes the handle of a timer; see [Timers].
func (c *core) Mark(h Handle) Handle {
	e := c.find(h)
	if e == nil {
		return 0
	}
	e.generation |= markBit
	return makeHandle(h.Index(), e.generation)
}

// OnRelease sets whom to tell of memory that is not needed any more; see
// [Timers].
func (c *core) OnRelease(release func(index uint32)) { c.release = release }

// late reports whether a timer that is set now for due has to wait for the
// advance after the one that is open.
func (c *core) late(due uint64) bool { return c.open && due <= c.now }

// expire runs the callback for an entry that is in no list any more, and frees
// its place unless the callback has set it anew.
func (c *core) expire(i uint32, e *entry, call func(Handle)) {
	e.spot = spotExpiring
	c.live--
	call(makeHandle(i, e.generation))
	if e.spot == spotExpiring {
		c.give(i, e)
	}
}

// forbidInside panics if expire calls what it must not call.
func (c *core) forbidInside(method string) {
	if c.busy {
		panic("wheel: " + method + " was called from inside expire; return first")
	}
}
