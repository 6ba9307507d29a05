package timewheel

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestDueRoundsUpAndPresentRoundsDown(t *testing.T) {
	ms := newTicks(time.Millisecond)
	for _, c := range []struct {
		at           time.Duration
		due, present uint64
	}{
		{0, 0, 0},
		{1, 1, 0},
		{time.Millisecond - 1, 1, 0},
		{time.Millisecond, 1, 1},
		{time.Millisecond + 1, 2, 1},
		{forever - 1, 9223372036855, 9223372036854},
		{forever, 9223372036855, 9223372036854},
	} {
		if got := ms.due(c.at); got != c.due {
			t.Errorf("due(%d) = %d, want %d", c.at, got, c.due)
		}
		if got := ms.present(c.at); got != c.present {
			t.Errorf("present(%d) = %d, want %d", c.at, got, c.present)
		}
	}
}

func TestATickThatIsDueHasBegunNoEarlier(t *testing.T) {
	for _, size := range []time.Duration{time.Microsecond, 333 * time.Microsecond, time.Millisecond, time.Hour} {
		tk := newTicks(size)
		for _, at := range []time.Duration{0, 1, size - 1, size, size + 1, 1000*size - 1, 1000 * size, forever / 3, forever - 1} {
			if begin := tk.begin(tk.due(at)); begin < at {
				t.Errorf("tick %v: due at %d, but its tick begins at %d", size, at, begin)
			}
			if begin := tk.begin(tk.present(at)); begin > at {
				t.Errorf("tick %v: at %d, but its tick begins at %d", size, at, begin)
			}
		}
	}
}

func TestAfterKnowsNoOverflow(t *testing.T) {
	ms := newTicks(time.Millisecond)
	last := ms.due(forever)
	for _, c := range []struct {
		now, d time.Duration
		want   uint64
	}{
		{5500 * time.Microsecond, 0, 5},
		{5500 * time.Microsecond, -1, 5},
		{5500 * time.Microsecond, math.MinInt64, 5},
		{5500 * time.Microsecond, 1, 6},
		{5500 * time.Microsecond, 500 * time.Microsecond, 6},
		{5500 * time.Microsecond, 500*time.Microsecond + 1, 7},
		{5500 * time.Microsecond, forever, last},
		{0, forever, last},
		{forever, forever, last},
		{forever, 1, last},
	} {
		if got := ms.after(c.now, c.d); got != c.want {
			t.Errorf("after(%d, %d) = %d, want %d", c.now, c.d, got, c.want)
		}
	}
	if got := ms.begin(math.MaxUint64); got != forever {
		t.Errorf("begin of the last tick = %d, want forever", got)
	}
}

// TestTheDivisionIsExact for every size of a tick that may be configured, right
// beside every multiple and far out.
func TestTheDivisionIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		size := minTick + time.Duration(random.Int64N(int64(maxTick-minTick)>>random.IntN(32)+1))
		tk := newTicks(size)
		tick := random.Uint64N(uint64(forever)/tk.size+1) >> random.IntN(63)
		at := time.Duration(tick * tk.size)
		for _, at := range []time.Duration{at, at + 1, at - 1, at + size - 1, forever, forever - size, time.Duration(random.Int64())} {
			if at < 0 {
				continue
			}
			if got, want := tk.present(at), uint64(at)/tk.size; got != want {
				t.Fatalf("present(%d) with ticks of %d = %d, want %d", at, size, got, want)
			}
			if got, want := tk.due(at), (uint64(at)+tk.size-1)/tk.size; got != want {
				t.Fatalf("due(%d) with ticks of %d = %d, want %d", at, size, got, want)
			}
		}
	}
}
