package wheel

import (
	"encoding/binary"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// drawn takes decisions from rapid, which shrinks them when a test fails.
type drawn struct{ *rapid.T }

func (d drawn) upTo(n uint64) uint64 { return rapid.Uint64Range(0, n).Draw(d.T, "choice") }

// Any walk of operations, of callbacks that operate too included, agrees with
// the model at every step.
func TestRandomWalksAgreeWithTheModel(t *testing.T) {
	walkers := maps.Clone(structures)
	walkers["hierarchical-in-pieces"] = inPieces
	for name, build := range walkers {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := drawn{t}
				start := rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "start")
				m := newModel(t, build(start))
				for range rapid.IntRange(1, 80).Draw(t, "steps") {
					m.step(c)
				}
				m.drain()
			})
		})
	}
}

// inPieces returns a wheel that cascades one entry a call, so that a short walk
// meets half cascaded slots.
func inPieces(start uint64) verifier {
	w := NewHierarchical(Geometry{Slots: 8}, start)
	w.piece = 1
	return w
}

// bytes takes decisions from a fuzzer's input; when that has run out, all are 0.
type bytes struct{ rest []byte }

func (b *bytes) upTo(n uint64) uint64 {
	width := 1
	if n > 255 {
		width = 8
	}
	if len(b.rest) < width {
		b.rest = nil
		return 0
	}
	var word [8]byte
	copy(word[:], b.rest[:width])
	b.rest = b.rest[width:]
	choice := binary.LittleEndian.Uint64(word[:])
	if n+1 == 0 {
		return choice
	}
	return choice % (n + 1)
}

// The wheel agrees with the model on whatever walk a fuzzer finds.
func FuzzHierarchical(f *testing.F) {
	f.Add(uint8(0), uint64(0), []byte{0, 1, 1, 70, 0, 2, 3, 5, 0, 5, 2})
	f.Add(uint8(2), uint64(1)<<63-1, []byte{1, 1, 2, 1, 2, 1, 5, 0, 7, 0, 6, 3, 1, 9, 0, 0, 1})
	f.Add(uint8(1), ^uint64(0)-3, []byte{0, 0, 0, 0, 1, 4, 63, 8, 1, 2, 1, 5, 5, 1, 5})
	f.Fuzz(func(t *testing.T, slotBits uint8, start uint64, walk []byte) {
		w := NewHierarchical(Geometry{Slots: 1 << (1 + slotBits%6)}, start)
		w.piece = 1 + int(slotBits)/6
		m := newModel(t, w)
		c := &bytes{walk}
		for range 200 {
			if len(c.rest) == 0 {
				break
			}
			m.step(c)
		}
		m.drain()
	})
}
