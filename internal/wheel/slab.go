package wheel

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
)

// Slab is an array that grows in chunks: growing never moves or copies what is
// there, so pointers into it stay good, and no single Add pays for all that came
// before. If T holds no pointers, the garbage collector does not look inside.
//
// An owner of timers keeps what belongs to them in a Slab, at [Handle.Index].
// The zero Slab is empty.
type Slab[T any] struct {
	chunks []*[chunkSize]T
}

// At returns the place of index i. It panics if i was never within Grow.
func (s *Slab[T]) At(i uint32) *T {
	return &s.chunks[i>>chunkBits][i&(chunkSize-1)]
}

// Grow makes room for index i and all below it. New places are zero.
func (s *Slab[T]) Grow(i uint32) {
	for int(i>>chunkBits) >= len(s.chunks) {
		s.chunks = append(s.chunks, new([chunkSize]T))
	}
}

// Set grows the slab as needed and stores v at index i.
func (s *Slab[T]) Set(i uint32, v T) {
	if int(i>>chunkBits) >= len(s.chunks) {
		s.Grow(i)
	}
	*s.At(i) = v
}
