package task_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/task"
)

// noon is a whole number of microseconds.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

const noonInstant = task.Instant(1_777_636_800_000_000)

func TestRounding(t *testing.T) {
	for _, tc := range []struct {
		name        string
		t           time.Time
		floor, ceil task.Instant
	}{
		{"on the microsecond", noon, noonInstant, noonInstant},
		{"one nanosecond after", noon.Add(1), noonInstant, noonInstant + 1},
		{"one nanosecond before", noon.Add(-1), noonInstant - 1, noonInstant},
		{"999 after", noon.Add(999), noonInstant, noonInstant + 1},
		{"1000 after", noon.Add(1000), noonInstant + 1, noonInstant + 1},
		{"1001 after", noon.Add(1001), noonInstant + 1, noonInstant + 2},
		{"over the second", noon.Add(999_999_999), noonInstant + 999_999, noonInstant + 1_000_000},
		{"in another zone", noon.Add(1).In(time.FixedZone("", 3600)), noonInstant, noonInstant + 1},

		{"the epoch", time.Unix(0, 0), 0, 0},
		{"one nanosecond after the epoch", time.Unix(0, 1), 0, 1},
		{"one nanosecond before the epoch", time.Unix(0, -1), -1, 0},
		{"one microsecond before the epoch", time.Unix(0, -1000), -1, -1},
		{"1001 ns before the epoch", time.Unix(0, -1001), -2, -1},
		{"the zero Time", time.Time{}, -62_135_596_800_000_000, -62_135_596_800_000_000},

		{"the last second of 9999", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), task.MaxInstant, task.MaxInstant},
		{"a nanosecond more", time.Date(9999, 12, 31, 23, 59, 59, 1, time.UTC), task.MaxInstant, task.MaxInstant + 1},
	} {
		if floor, ceil := task.FloorInstant(tc.t), task.CeilInstant(tc.t); floor != tc.floor || ceil != tc.ceil {
			t.Errorf("%s: floor %d, ceil %d, want %d, %d", tc.name, floor, ceil, tc.floor, tc.ceil)
		}
	}
}

// TestInstantsBeyondTheRange are held within it, on their side: the far future
// must not turn into the past.
func TestInstantsBeyondTheRange(t *testing.T) {
	for _, year := range []int{10_000, 292_000, 294_247, 300_000, 1_000_000, 1_000_000_000} {
		if at := task.CeilInstant(time.Date(year, 1, 1, 0, 0, 0, 999, time.UTC)); at <= task.MaxInstant {
			t.Errorf("year %d: %d, which is before the year 10000", year, at)
		}
		if at := task.FloorInstant(time.Date(-year, 1, 1, 0, 0, 0, 999, time.UTC)); at >= 0 {
			t.Errorf("year %d: %d, which is after the epoch", -year, at)
		}
	}
}

func TestTimeUndoesRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := task.Instant(rapid.Int64Range(-62_135_596_800_000_000, int64(task.MaxInstant)).
			Filter(func(i int64) bool { return i != 0 }). // which is none
			Draw(t, "instant"))
		at := i.Time()
		if at.Location() != time.UTC {
			t.Fatalf("%d is in %s", i, at.Location())
		}
		if floor, ceil := task.FloorInstant(at), task.CeilInstant(at); floor != i || ceil != i {
			t.Fatalf("%d is %s, which is %d or %d", i, at, floor, ceil)
		}
	})
}

func TestNoInstantIsNoTime(t *testing.T) {
	if at := task.Instant(0).Time(); !at.IsZero() {
		t.Errorf("%s", at)
	}
}

// TestFloorAndCeilEnclose any time with nanoseconds.
func TestFloorAndCeilEnclose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sec := rapid.Int64Range(-62_135_596_800, 253_402_300_799).Draw(t, "seconds")
		at := time.Unix(sec, rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		floor, ceil := time.UnixMicro(int64(task.FloorInstant(at))), time.UnixMicro(int64(task.CeilInstant(at)))
		if floor.After(at) || ceil.Before(at) || at.Sub(floor) >= time.Microsecond || ceil.Sub(at) >= time.Microsecond {
			t.Fatalf("%s is between %s and %s", at, floor, ceil)
		}
	})
}

func TestAdd(t *testing.T) {
	const most = time.Duration(math.MaxInt64)
	for _, tc := range []struct {
		name string
		i    task.Instant
		d    time.Duration
		want task.Instant
	}{
		{"nothing", noonInstant, 0, noonInstant},
		{"a microsecond", noonInstant, time.Microsecond, noonInstant + 1},
		{"a nanosecond, rounded up", noonInstant, 1, noonInstant + 1},
		{"999 ns, rounded up", noonInstant, 999, noonInstant + 1},
		{"1001 ns, rounded up", noonInstant, 1001, noonInstant + 2},
		{"back a nanosecond, rounded up", noonInstant, -1, noonInstant},
		{"back 1000 ns", noonInstant, -1000, noonInstant - 1},
		{"back 1001 ns, rounded up", noonInstant, -1001, noonInstant - 1},
		{"back to the epoch, which would be none", 1000, -time.Millisecond, 1},
		{"back beyond the epoch", 1000, -time.Second, 1},
		{"from none", 0, 0, 1},
		{"292 years", noonInstant, most, noonInstant + math.MaxInt64/1000 + 1},
		{"to the end", task.MaxInstant - 1, time.Microsecond, task.MaxInstant},
		{"a nanosecond beyond the end", task.MaxInstant, 1, task.MaxInstant},
		{"292 years beyond the end", task.MaxInstant, most, task.MaxInstant},
		{"from beyond all", math.MaxInt64, most, task.MaxInstant},
		{"from before all", math.MinInt64, math.MinInt64, 1},
		{"from before all, forward", math.MinInt64, most, 1},
	} {
		if got := tc.i.Add(tc.d); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// TestAddAgreesWithBigNumbers, and TestSubDoes, at all int64 there are.
func TestAddAgreesWithBigNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, d := anyInstant().Draw(t, "i"), anyDuration().Draw(t, "d")
		ns := new(big.Int).Mul(big.NewInt(int64(i)), big.NewInt(1000))
		ns.Add(ns, big.NewInt(int64(d)))
		us, rest := new(big.Int).DivMod(ns, big.NewInt(1000), new(big.Int)) // rounds down
		if rest.Sign() != 0 {
			us.Add(us, big.NewInt(1))
		}
		if got, want := i.Add(d), clamp(us, 1, int64(task.MaxInstant)); int64(got) != want {
			t.Fatalf("%d + %d ns = %d, want %d", i, d, got, want)
		}
	})
}

func TestSubAgreesWithBigNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, j := anyInstant().Draw(t, "i"), anyInstant().Draw(t, "j")
		ns := new(big.Int).Sub(big.NewInt(int64(i)), big.NewInt(int64(j)))
		ns.Mul(ns, big.NewInt(1000))
		if got, want := i.Sub(j), clamp(ns, math.MinInt64, math.MaxInt64); int64(got) != want {
			t.Fatalf("%d − %d = %d, want %d", i, j, got, want)
		}
	})
}

func TestSub(t *testing.T) {
	const limit = math.MaxInt64 / 1000
	for _, tc := range []struct {
		name string
		i, j task.Instant
		want time.Duration
	}{
		{"equal", noonInstant, noonInstant, 0},
		{"after", noonInstant + 1, noonInstant, time.Microsecond},
		{"before", noonInstant, noonInstant + 1, -time.Microsecond},
		{"the longest", limit, 0, limit * 1000},
		{"longer", limit + 1, 0, math.MaxInt64},
		{"the longest back", 0, limit, -limit * 1000},
		{"longer back", 0, limit + 1, math.MinInt64},
		{"all of time", math.MaxInt64, math.MinInt64, math.MaxInt64},
		{"all of time back", math.MinInt64, math.MaxInt64, math.MinInt64},
	} {
		if got := tc.i.Sub(tc.j); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

func clamp(n *big.Int, low, high int64) int64 {
	switch {
	case n.Cmp(big.NewInt(low)) < 0:
		return low
	case n.Cmp(big.NewInt(high)) > 0:
		return high
	}
	return n.Int64()
}
