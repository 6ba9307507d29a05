package wheel

const (
	chunkBits = 9

	// ChunkSize is how many indices a [Slab] makes room for at a time, and how many
	// [Timers.OnRelease] gives back.
	ChunkSize = 1 << chunkBits
)

// Slab is an array that grows in chunks: growing never moves or copies what is
// there, so pointers into it stay good, and no single Add pays for all that came
// before. If T holds no pointers, the garbage collector does not look inside.
//
// An owner of timers keeps what belongs to them in a Slab, at [Handle.Index].
// The zero Slab is empty.
type Slab[T any] struct {
	chunks []*[ChunkSize]T
}

// At returns the place of index i. It panics if there is no room for i.
func (s *Slab[T]) At(i uint32) *T {
	return &s.chunks[i>>chunkBits][i&(ChunkSize-1)]
}

// Set makes room for index i if there is none, and stores v there.
func (s *Slab[T]) Set(i uint32, v T) {
	if c := int(i >> chunkBits); c >= len(s.chunks) || s.chunks[c] == nil {
		s.grow(c)
	}
	*s.At(i) = v
}

// grow makes room for the indices of one chunk, all zero.
func (s *Slab[T]) grow(chunk int) {
	for chunk >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	s.chunks[chunk] = new([ChunkSize]T)
}

// Drop lets go of the chunk that index i lies in.
func (s *Slab[T]) Drop(i uint32) {
	if c := int(i >> chunkBits); c < len(s.chunks) {
		s.chunks[c] = nil
	}
}

// Zero makes the place of index i zero, if there is room for i.
func (s *Slab[T]) Zero(i uint32) {
	if c := int(i >> chunkBits); c < len(s.chunks) && s.chunks[c] != nil {
		var zero T
		*s.At(i) = zero
	}
}

// Each calls do with every place there is room for.
func (s *Slab[T]) Each(do func(*T)) {
	for _, chunk := range s.chunks {
		for i := 0; chunk != nil && i < ChunkSize; i++ {
			do(&chunk[i])
		}
	}
}
