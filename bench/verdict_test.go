package main

import (
	"slices"
	"testing"
	"time"
)

// outcome is a timer that is due at 100 and fired at these instants.
func outcome(m meddling, said bool, fired ...time.Duration) *target[int] {
	timer := &target[int]{due: 100, meddling: m, said: said, resets: 200}
	for i, at := range fired {
		timer.fires.Add(1)
		if i < len(timer.fired) {
			timer.fired[i].Store(int64(at))
		}
	}
	return timer
}

// Whatever a rival does wrong must be found, and nothing else: an oracle that
// sees nothing would praise all of them.
func TestFaults(t *testing.T) {
	plain, mute, rearms := traits{}, traits{mute: true}, traits{rearms: true}
	for _, c := range []struct {
		what  string
		timer *target[int]
		is    traits
		want  []string
	}{
		{"in time", outcome(leave, false, 100), plain, nil},
		{"a nanosecond early", outcome(leave, false, 99), plain, []string{"early"}},
		{"never", outcome(leave, false), plain, []string{"lost"}},
		{"twice", outcome(leave, false, 100, 101), plain, []string{"doubled"}},
		{"three times, early", outcome(leave, false, 101, 99, 102), plain, []string{"doubled", "early"}},

		{"stopped", outcome(stop, true), plain, nil},
		{"stopped, fired all the same", outcome(stop, true, 100), plain, []string{"after_stop"}},
		{"stopped too late", outcome(stop, false, 100), plain, nil},
		{"not stopped, but never fired", outcome(stop, false), plain, []string{"lost"}},
		{"stopped in silence", outcome(stop, true), mute, nil},
		{"stopped too late, in silence", outcome(stop, true, 100), mute, nil},
		{"stopped in silence, early", outcome(stop, true, 99), mute, []string{"early"}},

		{"reset", outcome(reset, true, 200), plain, nil},
		{"reset, fired for the old due", outcome(reset, true, 100), plain, []string{"early"}},
		{"reset, fired for both", outcome(reset, true, 100, 200), plain, []string{"doubled", "early"}},
		{"reset and lost", outcome(reset, true), plain, []string{"lost"}},
		{"reset too late", outcome(reset, false, 100), plain, nil},
		{"reset too late, fired twice", outcome(reset, false, 100, 200), plain, []string{"doubled"}},
		{"reset too late, rearmed", outcome(reset, false, 100, 200), rearms, nil},
		{"rearmed, noted in another order", outcome(reset, false, 200, 100), rearms, nil},
		{"rearmed, the second early", outcome(reset, false, 100, 199), rearms, []string{"early"}},
		{"rearmed and lost", outcome(reset, false, 100), rearms, []string{"lost"}},
		{"reset in silence, either due", outcome(reset, true, 100), mute, nil},
		{"reset in silence, fired for both", outcome(reset, true, 100, 200), mute, []string{"doubled"}},
	} {
		if got := c.timer.faults(c.is); !slices.Equal(got, c.want) {
			t.Errorf("%s: faults are %q, want %q", c.what, got, c.want)
		}
	}
}
