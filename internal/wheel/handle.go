package wheel

// Handle names one timer: the index of its entry in the low 32 bits, the
// generation of that index in the high 32. No two timers of one structure ever
// share a handle. The zero Handle names none.
type Handle uint64

func makeHandle(index, generation uint32) Handle {
	return Handle(generation)<<32 | Handle(index)
}

// Index returns the place of the entry, from 1 on. It is the handle's alone
// until the timer is gone; then a new timer may take it. Indices are dense: they
// never exceed the largest number of timers that were ever live at once, plus
// one for every 2^32 times that a place was used.
func (h Handle) Index() uint32 { return uint32(h) }

func (h Handle) generation() uint32 { return uint32(h >> 32) }
