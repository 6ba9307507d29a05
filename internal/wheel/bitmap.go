package wheel

import "math/bits"

const (
	wordBits = 6
	wordMask = 1<<wordBits - 1
)

// bitmap is a set of small numbers that finds its next member in a few steps,
// however far away that is: a bit of a layer says that a word of the layer below
// has a bit.
//
//	layer 1             1 0 0 1        a bit a word of layer 0
//	layer 0    0110…0  0…0  0…0  1…0   a bit a number
type bitmap struct {
	layers [][]uint64
}

// newBitmap makes room for the numbers below n, which is not 0.
func newBitmap(n int) bitmap {
	var b bitmap
	for {
		n = (n + wordMask) >> wordBits
		b.layers = append(b.layers, make([]uint64, n))
		if n == 1 {
			return b
		}
	}
}

func (b *bitmap) set(number uint32) {
	for _, layer := range b.layers {
		word := &layer[number>>wordBits]
		was := *word
		*word |= 1 << (number & wordMask)
		if was != 0 {
			return
		}
		number >>= wordBits
	}
}

func (b *bitmap) unset(number uint32) {
	for _, layer := range b.layers {
		word := &layer[number>>wordBits]
		*word &^= 1 << (number & wordMask)
		if *word != 0 {
			return
		}
		number >>= wordBits
	}
}

// next returns the least member that is from or more.
func (b *bitmap) next(from uint32) (number uint32, ok bool) {
	for l, layer := range b.layers {
		word := from >> wordBits
		if int(word) < len(layer) {
			if rest := layer[word] >> (from & wordMask); rest != 0 {
				return b.least(l, from+uint32(bits.TrailingZeros64(rest))), true
			}
		}
		from = word + 1
	}
	return 0, false
}

// least goes down from a bit of layer l to the least member below it.
func (b *bitmap) least(l int, number uint32) uint32 {
	for l--; l >= 0; l-- {
		number = number<<wordBits | uint32(bits.TrailingZeros64(b.layers[l][number]))
	}
	return number
}

// nextInTurn returns how many steps there are from number to the next member of
// the turn of size numbers, a power of two, that begins at base: 0 if number is
// one. Behind the last number of the turn comes its first.
func (b *bitmap) nextInTurn(base, size, number uint32) (steps uint32, ok bool) {
	found, ok := b.next(base + number)
	if !ok || found-base >= size {
		found, ok = b.next(base)
	}
	if !ok || found-base >= size {
		return 0, false
	}
	return (found - base - number) & (size - 1), true
}
