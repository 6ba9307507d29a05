package wheel

// Handle names one timer: the index of its entry in the low 32 bits, above it
// the generation of that index in 31 bits, and a mark in the highest. No two
// timers of one structure ever share a handle. The zero Handle names none.
type Handle uint64

const (
	markBit       = 1 << 31 // in the upper half of a handle, and in entry.generation
	maxGeneration = markBit - 1
)

func makeHandle(index, generation uint32) Handle {
	return Handle(generation)<<32 | Handle(index)
}

// Index returns the place of the entry, from 1 on. It is the handle's alone
// until the timer is gone; then a new timer may take it. Indices are dense: they
// never exceed the largest number of timers that were ever live at once, plus
// one for every 2^31 times that a place was used.
func (h Handle) Index() uint32 { return uint32(h) }

// Marked reports whether the timer was marked; see [Timers.Mark].
func (h Handle) Marked() bool { return h>>32&markBit != 0 }

func (h Handle) generation() uint32 { return uint32(h >> 32) }
