package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestABitmapFindsTheNextMember(t *testing.T) {
	for _, n := range []int{2, 63, 64, 65, 4096, 4097, 1 << 20} {
		b := newBitmap(n)
		random := rand.New(rand.NewPCG(1, uint64(n)))
		members := map[uint32]bool{}
		for range 300 {
			number := random.Uint32N(uint32(n))
			if members[number] = random.IntN(3) > 0; members[number] {
				b.set(number)
			} else {
				b.unset(number)
			}
		}
		if err := b.verify(n, func(number uint32) bool { return members[number] }); err != nil {
			t.Fatalf("%d numbers: %v", n, err)
		}
		checkNextMembers(t, &b, n, members)
	}
}

func checkNextMembers(t *testing.T, b *bitmap, n int, members map[uint32]bool) {
	t.Helper()
	var sorted []uint32
	for number, is := range members {
		if is {
			sorted = append(sorted, number)
		}
	}
	slices.Sort(sorted)
	from := uint32(0)
	for _, number := range sorted {
		for _, from := range []uint32{from, (from + number) / 2, number} {
			if got, ok := b.next(from); !ok || got != number {
				t.Fatalf("%d numbers: next(%d) = %d, %t, want %d", n, from, got, ok, number)
			}
		}
		from = number + 1
	}
	if got, ok := b.next(from); ok {
		t.Fatalf("%d numbers: next(%d) = %d, but there is none", n, from, got)
	}
}

func TestATurnOfABitmapBeginsAnew(t *testing.T) {
	b := newBitmap(64)
	b.set(3)  // before the turn from 16 to 31
	b.set(40) // behind it
	if steps, ok := b.nextInTurn(16, 16, 5); ok {
		t.Fatalf("%d steps to a member of an empty turn", steps)
	}
	b.set(16 + 5)
	for number := range uint32(16) {
		want := (5 - number) & 15
		if steps, ok := b.nextInTurn(16, 16, number); !ok || steps != want {
			t.Fatalf("from %d: %d steps, %t, want %d", number, steps, ok, want)
		}
	}
}

func TestAPileGivesWhatIsEarliest(t *testing.T) {
	positions := make([]uint32, 500)
	p := pile{position: func(number uint32) *uint32 { return &positions[number] }}
	random := rand.New(rand.NewPCG(9, 9))
	ticks := map[uint32]uint64{}
	for range 20_000 {
		number := random.Uint32N(500)
		if _, in := ticks[number]; in {
			p.remove(positions[number])
			delete(ticks, number)
		} else {
			ticks[number] = random.Uint64N(300)
			p.push(number, ticks[number])
		}
		if err := p.verify(); err != nil || len(p.items) != len(ticks) {
			t.Fatalf("%d items, want %d; verify: %v", len(p.items), len(ticks), err)
		}
		if first, ok := p.top(); ok && ticks[first.number] != first.tick {
			t.Fatalf("%d is on top with tick %d, want %d", first.number, first.tick, ticks[first.number])
		}
	}
}

func TestAnEmptyPileLetsGoOfItsPeak(t *testing.T) {
	positions := make([]uint32, 4*pileKept)
	p := pile{position: func(number uint32) *uint32 { return &positions[number] }}
	for number := range uint32(len(positions)) {
		p.push(number, 7)
	}
	for range positions {
		p.remove(0)
	}
	if got := cap(p.items); got > pileKept {
		t.Fatalf("an empty pile keeps room for %d", got)
	}
}
