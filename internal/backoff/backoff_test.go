package backoff_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/internal/backoff"
)

const (
	middle  = 0.5             // the r that leaves a delay unjittered, below the cap
	almost1 = 1 - 1.0/(1<<53) // the largest r below 1
	forever = time.Duration(math.MaxInt64)
)

func TestDelay(t *testing.T) {
	plain := backoff.Policy{Min: time.Second, Max: time.Minute}
	fifth := backoff.Policy{Min: 10 * time.Second, Max: time.Hour, Jitter: 0.2}
	for _, tc := range []struct {
		name    string
		policy  backoff.Policy
		attempt int
		r       float64
		want    time.Duration
	}{
		{"the first delay is Min", plain, 1, middle, time.Second},
		{"each further attempt doubles it", plain, 4, middle, 8 * time.Second},
		{"the last step below the cap", plain, 6, middle, 32 * time.Second},
		{"the first step above the cap", plain, 7, middle, time.Minute},
		{"attempt 63 shifts the sign bit", plain, 63, middle, time.Minute},
		{"attempt 64 shifts everything out", plain, 64, middle, time.Minute},
		{"attempt 65 shifts past the word", plain, 65, middle, time.Minute},
		{"the largest attempt", plain, math.MaxInt, middle, time.Minute},
		{"attempt 0 counts as the first", plain, 0, middle, time.Second},
		{"the smallest attempt counts as the first", plain, math.MinInt, middle, time.Second},
		{"without jitter, r changes nothing", plain, 3, 0.9, 4 * time.Second},

		{"jitter, shortest", fifth, 1, 0, 8 * time.Second},
		{"jitter, middle", fifth, 1, middle, 10 * time.Second},
		{"jitter, three quarters", fifth, 1, 0.75, 11 * time.Second},
		{"jitter is proportional", fifth, 2, 0, 16 * time.Second},
		{"jitter at the cap, shortest", fifth, 100, 0, 48 * time.Minute},
		{"jitter at the cap spreads below it alone", fifth, 100, middle, 54 * time.Minute},
		{"full jitter reaches down to nothing", backoff.Policy{Min: time.Second, Max: time.Minute, Jitter: 1}, 1, 0, 0},

		{"the zero policy never waits", backoff.Policy{}, 9, middle, 0},
		{"Min of zero stays zero", backoff.Policy{Max: time.Hour, Jitter: 1}, math.MaxInt, almost1, 0},
		{"a negative Min counts as zero", backoff.Policy{Min: -1, Max: time.Hour}, 9, middle, 0},
		{"a negative Max counts as zero", backoff.Policy{Min: time.Second, Max: -1}, 9, middle, 0},
		{"Max below Min wins", backoff.Policy{Min: time.Hour, Max: time.Second}, 1, middle, time.Second},
		{"jitter above 1 counts as 1", backoff.Policy{Min: time.Second, Max: time.Minute, Jitter: 7}, 1, 0, 0},
		{"negative jitter counts as 0", backoff.Policy{Min: time.Second, Max: time.Minute, Jitter: -1}, 1, 0, time.Second},
		{"jitter that is not a number counts as 0", backoff.Policy{Min: time.Second, Max: time.Minute, Jitter: math.NaN()}, 1, 0, time.Second},
		{"r that is not a number gives the shortest", fifth, 1, math.NaN(), 8 * time.Second},
		{"r above 1 gives the longest", fifth, 1, 2, 12 * time.Second},

		{"the longest of all", backoff.Policy{Min: forever, Max: forever, Jitter: 1}, math.MaxInt, 1, forever},
		{"the shortest of the longest", backoff.Policy{Min: forever, Max: forever, Jitter: 1}, math.MaxInt, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := backoff.Delay(tc.policy, tc.attempt, tc.r); got != tc.want {
				t.Errorf("Delay(%+v, %d, %v) = %v, want %v", tc.policy, tc.attempt, tc.r, got, tc.want)
			}
		})
	}
}

// anyPolicy draws policies a user may configure, and the nonsense besides.
func anyPolicy() *rapid.Generator[backoff.Policy] {
	return rapid.Custom(func(t *rapid.T) backoff.Policy {
		return backoff.Policy{
			Min:    time.Duration(rapid.Int64().Draw(t, "min")),
			Max:    time.Duration(rapid.Int64().Draw(t, "max")),
			Jitter: rapid.Float64().Draw(t, "jitter"),
		}
	})
}

func TestDelayStaysWithinZeroAndMax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy().Draw(t, "policy")
		attempt := rapid.Int().Draw(t, "attempt")
		r := rapid.Float64().Draw(t, "r")
		got := backoff.Delay(p, attempt, r)
		if got < 0 || got > max(p.Max, 0) {
			t.Fatalf("Delay(%+v, %d, %v) = %d, outside 0 and Max", p, attempt, r, got)
		}
	})
}

// TestDelayNeverShrinks keeps to delays that a float64 holds exactly, about a
// hundred days, and leaves two nanoseconds to its rounding.
func TestDelayNeverShrinks(t *testing.T) {
	const exact, rounding = 1 << 53, 2
	rapid.Check(t, func(t *rapid.T) {
		p := backoff.Policy{
			Min:    time.Duration(rapid.Int64Range(0, exact).Draw(t, "min")),
			Max:    time.Duration(rapid.Int64Range(0, exact).Draw(t, "max")),
			Jitter: rapid.Float64Range(0, 1).Draw(t, "jitter"),
		}
		a, b := ordered(rapid.Int(), t, "attempt")
		r, s := ordered(rapid.Float64Range(0, almost1), t, "r")
		if x, y := backoff.Delay(p, a, r), backoff.Delay(p, b, r); x > y+rounding {
			t.Errorf("attempt %d waits %v, the later attempt %d only %v", a, x, b, y)
		}
		if x, y := backoff.Delay(p, a, r), backoff.Delay(p, a, s); x > y+rounding {
			t.Errorf("r = %v waits %v, the greater %v only %v", r, x, s, y)
		}
	})
}

// TestDelayAgreesWithPlainArithmetic compares with the formula as one would
// write it on paper, where numbers are too small to overflow or to round.
func TestDelayAgreesWithPlainArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lowest := rapid.Int64Range(1, 1_000_000).Draw(t, "min")
		highest := rapid.Int64Range(lowest, 1<<40).Draw(t, "max")
		percent := rapid.Int64Range(0, 100).Draw(t, "jitter")
		attempt := rapid.IntRange(1, 20).Draw(t, "attempt")
		r := rapid.Float64Range(0, almost1).Draw(t, "r")

		base := min(float64(lowest)*math.Pow(2, float64(attempt-1)), float64(highest))
		j := float64(percent) / 100
		from, to := base*(1-j), min(base*(1+j), float64(highest))
		want := from + r*(to-from)

		p := backoff.Policy{Min: time.Duration(lowest), Max: time.Duration(highest), Jitter: j}
		if got := float64(backoff.Delay(p, attempt, r)); math.Abs(got-want) > 3 {
			t.Fatalf("Delay(%+v, %d, %v) = %v ns, want %v", p, attempt, r, got, want)
		}
	})
}

func ordered[V int | float64](g *rapid.Generator[V], t *rapid.T, label string) (less, greater V) {
	a, b := g.Draw(t, label), g.Draw(t, label)
	return min(a, b), max(a, b)
}
