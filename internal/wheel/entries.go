package wheel

import "math"

// entry is one timer, or a place that waits for one. It holds no pointers, and
// four of them fill a cache line.
type entry struct {
	due        uint64 // of a free place: its neighbours in the list of free places
	generation uint32 // of the present or, in a free place, of the next handle; with its mark
	spot       uint32 // where the entry lies: a number of the structure's own, or one of those below
}

// link is what some structures remember of an entry besides: its neighbours in a
// list, 0 being none, or in next its position.
type link struct{ next, prev uint32 }

const (
	// spotFree is the spot of a free place that lies nowhere. One that still lies
	// somewhere has freeBit and the spot that it has there.
	spotFree     = math.MaxUint32
	spotExpiring = freeBit - 1 // its expire is running

	freeBit = 1 << 31
)

// isFree reports whether no timer has the place.
func (e *entry) isFree() bool { return e.spot >= freeBit }

// A free place links its neighbours through the halves of due.
func (e *entry) nextFree() uint32     { return uint32(e.due) }
func (e *entry) prevFree() uint32     { return uint32(e.due >> 32) }
func (e *entry) setPrevFree(i uint32) { e.due = uint64(i)<<32 | e.due&math.MaxUint32 }
func (e *entry) setNextFree(i uint32) { e.due = e.due&^math.MaxUint32 | uint64(i) }

// entries hands out places in the slab and takes them back. Index 0 is never
// handed out, so that 0 can mean none in every link.
//
// Free places form one list, last in first out: what was used last is still in
// the processor's cache. When more than half of all places are free, chunks
// without a timer go back to the allocator, two at a time.
type entries struct {
	slab   Slab[entry]
	free   uint32   // first free place; its prevFree means nothing
	taken  int      // places that are handed out
	counts []uint16 // how many of them each chunk has; retired places count
	chunks int      // that are there
	// floors has, for each chunk that was let go of, a generation that none of its
	// handles ever reached.
	floors    map[uint32]uint32
	emptyFrom uint32 // the chunk at which to go on looking for empty ones

	linked bool // there are links
	links  Slab[link]

	release func(index uint32) // tells the owner of a chunk that is gone; or nil
}

// take returns a place, with the generation of its new handle set. If its spot is
// not spotFree, it still lies there.
func (s *entries) take() (uint32, *entry) {
	i := s.free
	if i == 0 {
		i = s.grow()
	}
	e := s.slab.At(i)
	s.free = e.nextFree()
	s.taken++
	s.counts[i>>chunkBits]++
	return i, e
}

// give takes a place back that lies in no list.
func (s *entries) give(i uint32, e *entry) {
	e.spot = spotFree
	s.recycle(i, e)
}

// recycle takes a free place back: its handle is stale from here on. A place whose
// generations are used up is retired: it costs 16 bytes for every 2^31 timers
// that went through it, and no stale handle can ever come to life again.
func (s *entries) recycle(i uint32, e *entry) {
	s.taken--
	if e.generation&maxGeneration == maxGeneration {
		return
	}
	e.generation = e.generation&maxGeneration + 1
	e.due = uint64(s.free)
	if s.free != 0 {
		s.slab.At(s.free).setPrevFree(i)
	}
	s.free = i
	c := i >> chunkBits
	s.counts[c]--
	if s.counts[c] == 0 && s.hasTooMany() {
		s.letGo(c)
		s.letGoOneMore()
	}
}

func (s *entries) hasTooMany() bool {
	return s.chunks<<chunkBits-s.taken > s.taken+2*ChunkSize
}

// letGoOneMore looks for a chunk that became empty when there were not too many
// yet. It looks at a few only, to be done soon; the next call goes on.
func (s *entries) letGoOneMore() {
	for range min(256, len(s.counts)) {
		if s.emptyFrom++; int(s.emptyFrom) >= len(s.counts) {
			s.emptyFrom = 0
		}
		if s.counts[s.emptyFrom] == 0 && s.slab.chunks[s.emptyFrom] != nil {
			if s.hasTooMany() {
				s.letGo(s.emptyFrom)
			}
			return
		}
	}
}

// grow makes a chunk of free places and returns the first.
func (s *entries) grow() uint32 {
	c, generation := uint32(len(s.slab.chunks)), uint32(1)
	for gone, floor := range s.floors {
		c, generation = gone, floor
		delete(s.floors, gone)
		break
	}
	if c == 1<<(32-chunkBits) {
		panic("wheel: no room for more than 4294967295 timers")
	}
	s.slab.grow(int(c))
	if s.linked {
		s.links.grow(int(c))
	}
	s.chunks++
	if int(c) == len(s.counts) {
		s.counts = append(s.counts, 0)
	}
	first := c << chunkBits
	for i := first + ChunkSize - 1; ; i-- {
		e := s.slab.At(i)
		e.generation, e.spot = generation, spotFree
		if i == 0 {
			return 1
		}
		e.due = uint64(s.free)
		if s.free != 0 {
			s.slab.At(s.free).setPrevFree(i)
		}
		s.free = i
		if i == first {
			return i
		}
	}
}

// letGo frees the memory of a chunk all of whose places are free. Stale handles
// stay stale: when the chunk comes back, its generations go on from the highest.
func (s *entries) letGo(c uint32) {
	floor := uint32(0)
	for i := max(1, c<<chunkBits); i>>chunkBits == c; i++ {
		e := s.slab.At(i)
		floor = max(floor, e.generation)
		s.unfree(i, e)
	}
	if s.floors == nil {
		s.floors = make(map[uint32]uint32)
	}
	s.floors[c] = floor
	s.chunks--
	s.slab.Drop(c << chunkBits)
	s.links.Drop(c << chunkBits)
	if s.release != nil {
		s.release(c << chunkBits)
	}
}

// unfree takes a place out of the list of free ones.
func (s *entries) unfree(i uint32, e *entry) {
	next := e.nextFree()
	if i == s.free {
		s.free = next
		return
	}
	prev := e.prevFree()
	s.slab.At(prev).setNextFree(next)
	if next != 0 {
		s.slab.At(next).setPrevFree(prev)
	}
}

// giveAll makes all places free, whose lists have been emptied. It costs a step for
// every place there is.
func (s *entries) giveAll() {
	for _, chunk := range s.slab.chunks {
		for i := 0; chunk != nil && i < ChunkSize; i++ {
			if e := &chunk[i]; e.isFree() {
				e.spot = spotFree
			}
		}
	}
	for c, chunk := range s.slab.chunks {
		for i := 0; chunk != nil && i < ChunkSize; i++ {
			if e := &chunk[i]; !e.isFree() {
				s.give(uint32(c<<chunkBits|i), e)
			}
		}
	}
}

// find returns the entry that h names, or nil if the handle is stale.
func (s *entries) find(h Handle) *entry {
	e := s.lookUp(h.Index())
	if e == nil || e.generation != h.generation() || e.isFree() {
		return nil
	}
	return e
}

// lookUp returns the entry of a place, or nil if that has none.
func (s *entries) lookUp(i uint32) *entry {
	c := i >> chunkBits
	if int(c) >= len(s.slab.chunks) || s.slab.chunks[c] == nil {
		return nil
	}
	return &s.slab.chunks[c][i&(ChunkSize-1)]
}
