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

// inPieces is structures that do one thing a call at most, beside what they
// expire, so that a short walk meets half done work.
var inPieces = map[string]func(start uint64) verifier{
	"hierarchical-in-pieces": func(start uint64) verifier {
		w := NewHierarchical(Geometry{Slots: 8}, start)
		w.piece = 1
		return w
	},
}

// Any walk of operations, of callbacks that operate too included, agrees with
// the model at every step.
func TestRandomWalksAgreeWithTheModel(t *testing.T) {
	walkers := maps.Clone(structures)
	maps.Copy(walkers, inPieces)
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

// fuzzWalks lets the fuzzer choose a geometry, by a number that build makes sense
// of, a start and a walk. Structure and model must agree on it.
func fuzzWalks(f *testing.F, build func(geometry int, start uint64) verifier) {
	f.Helper()
	f.Add(uint8(0), uint64(0), []byte{0, 1, 1, 70, 0, 2, 3, 5, 0, 5, 2})
	f.Add(uint8(2), uint64(1)<<63-1, []byte{1, 1, 2, 1, 2, 1, 5, 0, 7, 0, 6, 3, 1, 9, 0, 0, 1})
	f.Add(uint8(1), ^uint64(0)-3, []byte{0, 0, 0, 0, 1, 4, 63, 8, 1, 2, 1, 5, 5, 1, 5})
	f.Add(uint8(77), uint64(1)<<32-2, []byte{0, 1, 9, 0, 2, 0, 31, 0, 1, 200, 7, 1, 2, 40, 1, 3, 5, 2, 2, 0})
	f.Fuzz(func(t *testing.T, geometry uint8, start uint64, walk []byte) {
		m := newModel(t, build(int(geometry), start))
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

func FuzzHierarchical(f *testing.F) {
	fuzzWalks(f, func(geometry int, start uint64) verifier {
		shapes := hierarchies()
		w := NewHierarchical(shapes[geometry%len(shapes)], start)
		w.piece = 1 + geometry/len(shapes)
		return w
	})
}

func FuzzHashed(f *testing.F) {
	fuzzWalks(f, func(geometry int, start uint64) verifier {
		w := NewHashed(Geometry{Slots: 2 << (geometry % 7)}, start)
		w.piece = 1 + geometry/7
		return w
	})
}

func FuzzTicking(f *testing.F) {
	fuzzWalks(f, func(geometry int, start uint64) verifier {
		w := NewTicking(Geometry{Slots: 2 << (geometry % 4), Levels: 1 + geometry/4%8}, start)
		w.piece = 1 + geometry/32
		return w
	})
}

func FuzzDelayQueue(f *testing.F) {
	fuzzWalks(f, func(geometry int, start uint64) verifier {
		w := NewDelayQueue(Geometry{Slots: 2 << (geometry % 4), Levels: geometry / 4 % 8}, start)
		w.piece = 1 + geometry/32
		return w
	})
}
