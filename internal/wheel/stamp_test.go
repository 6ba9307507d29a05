package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// With stamps that wrap at every put, many references match falsely, yet what
// expires agrees with the list.
func TestStampsThatComeRoundDoNoHarm(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		a, b := NewHierarchical(Geometry{Slots: []int{2, 8, 64}[seed%3]}, 0), NewList(0)
		type pair struct{ a, b Handle }
		var live []pair
		name := map[Handle]int{}
		nameB := map[Handle]int{}
		n, now, target := 0, uint64(0), 3000
		for step := range 150_000 {
			if random.IntN(2) == 0 {
				a.stamp = 0
			}
			if step%5000 == 0 {
				target = []int{0, 300, 3000, 12000}[random.IntN(4)]
			}
			span := uint64(1) << random.IntN(14)
			due := now + random.Uint64N(span)
			pick := func() int { return random.IntN(len(live)) }
			switch k := random.IntN(10); {
			case len(live) == 0 || len(live) < target && k < 8:
				p := pair{a.Add(due), b.Add(due)}
				n++
				name[p.a], nameB[p.b] = n, n
				live = append(live, p)
			case k < 5 || len(live) > target && k < 8:
				i := pick()
				p := live[i]
				if x, y := a.Cancel(p.a), b.Cancel(p.b); x != y {
					t.Fatalf("seed %d step %d: Cancel %t, %t", seed, step, x, y)
				}
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
			case k < 9:
				p := live[pick()]
				if x, y := a.Reset(p.a, due), b.Reset(p.b, due); x != y {
					t.Fatalf("seed %d step %d: Reset %t, %t", seed, step, x, y)
				}
			default:
				now += random.Uint64N(40)
				var xs, ys []int
				for more := true; more; {
					if more = a.Advance(now, 100, func(h Handle) { xs = append(xs, name[h]) }); len(xs) > 1<<20 {
						t.Fatal("endless")
					}
				}
				b.Advance(now, 0, func(h Handle) { ys = append(ys, nameB[h]) })
				slices.Sort(xs)
				slices.Sort(ys)
				if !slices.Equal(xs, ys) {
					t.Fatalf("seed %d step %d: expired %v, want %v", seed, step, xs, ys)
				}
				live = slices.DeleteFunc(live, func(p pair) bool { _, ok := b.Due(p.b); return !ok })
			}
			if a.Len() != b.Len() {
				t.Fatalf("seed %d step %d: Len %d, %d", seed, step, a.Len(), b.Len())
			}
			if x, ok := a.Next(); ok {
				if y, _ := b.Next(); x > y {
					t.Fatalf("seed %d step %d: Next %d, but due %d", seed, step, x, y)
				}
			}
		}
		if err := a.verifyPlaces(a.live); err != nil {
			t.Fatal(err)
		}
	}
}
