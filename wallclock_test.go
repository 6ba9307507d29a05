package timewheel_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/clock"
)

// atNoon makes a wheel whose clock a test can set, and a timer for an hour from
// now by that clock.
func atNoon(t *testing.T, test func(t *testing.T, w *timewheel.Wheel, wall *clock.Fake, timer timewheel.Timer, f *fired)) {
	t.Helper()
	wall := new(clock.Fake)
	inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		f := new(fired)
		timer := w.At(wall.Now().Add(time.Hour), f.note)
		synctest.Wait() // the clock is being watched
		test(t, w, wall, timer, f)
	})
}

func TestAtFiresWhenTheWallClockShowsTheInstant(t *testing.T) {
	atNoon(t, func(t *testing.T, _ *timewheel.Wheel, _ *clock.Fake, timer timewheel.Timer, f *fired) {
		time.Sleep(time.Hour - 1)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times 1 ns early", n)
		}
		time.Sleep(2 * time.Nanosecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times by 1 ns after", n)
		}
		if timer.Stop() {
			t.Error("Stop after firing returned true")
		}
	})
}

func TestAtFollowsAClockThatIsSetForward(t *testing.T) {
	atNoon(t, func(t *testing.T, _ *timewheel.Wheel, wall *clock.Fake, _ timewheel.Timer, f *fired) {
		wall.Step(59 * time.Minute)
		time.Sleep(time.Minute - 1)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times 1 ns early", n)
		}
		time.Sleep(2 * time.Nanosecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times by 1 ns after", n)
		}
	})
}

func TestAtFiresAtOnceWhenTheClockIsSetBeyondIt(t *testing.T) {
	atNoon(t, func(t *testing.T, _ *timewheel.Wheel, wall *clock.Fake, _ timewheel.Timer, f *fired) {
		wall.Step(24 * time.Hour)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times after the step, want once", n)
		}
	})
}

func TestAtFollowsAClockThatIsSetBack(t *testing.T) {
	atNoon(t, func(t *testing.T, _ *timewheel.Wheel, wall *clock.Fake, _ timewheel.Timer, f *fired) {
		time.Sleep(30 * time.Minute)
		wall.Step(-24 * time.Hour)
		time.Sleep(24*time.Hour + 30*time.Minute - 1)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times 1 ns early", n)
		}
		time.Sleep(2 * time.Nanosecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times by 1 ns after", n)
		}
	})
}

// Even where no one reports a step, a timer looks at the wall clock before it
// fires.
func TestAtLooksAtTheClockBeforeItFires(t *testing.T) {
	wall := &silent{Fake: new(clock.Fake)}
	inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		w.At(wall.Now().Add(time.Hour), f.note)
		wall.Step(-20 * time.Minute)
		time.Sleep(time.Hour + 20*time.Minute - 1)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times 1 ns early", n)
		}
		time.Sleep(2 * time.Nanosecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times by 1 ns after", n)
		}
	})
}

// silent is a clock whose steps nobody hears of.
type silent struct{ *clock.Fake }

func (silent) WatchSteps(ctx context.Context, _ func()) { <-ctx.Done() }

func TestAStoppedOrResetTimerFollowsTheClockNoMore(t *testing.T) {
	atNoon(t, func(t *testing.T, w *timewheel.Wheel, wall *clock.Fake, timer timewheel.Timer, f *fired) {
		other := w.At(wall.Now().Add(time.Hour), mustNotRun(t))
		if !timer.Reset(time.Minute) || !other.Stop() {
			t.Error("Reset or Stop returned false")
		}
		wall.Step(-24 * time.Hour)
		time.Sleep(time.Minute - 1)
		if n := f.times(); n != 0 {
			t.Errorf("fired %d times 1 ns early", n)
		}
		time.Sleep(2 * time.Nanosecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times by 1 ns after", n)
		}
		wall.Step(48 * time.Hour)
		time.Sleep(48 * time.Hour)
	})
}

func TestAtOfThePastAndOfTheFarFuture(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		for _, past := range []time.Time{{}, time.Now().Add(-1), time.Now()} {
			w.At(past, f.note)
		}
		if n := f.times(); n != 3 {
			t.Errorf("%d of 3 instants that are past fired", n)
		}
		far := w.At(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), mustNotRun(t))
		time.Sleep(100 * 365 * 24 * time.Hour)
		if !far.Stop() {
			t.Error("a timer for the year 9999 was gone after a century")
		}
	})
}

// The real clock is watched through the kernel, outside of any bubble.
func TestAtOnTheRealClock(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	due := time.Now().Add(20 * time.Millisecond).Round(0)
	early := make(chan time.Duration)
	w.At(due, func() { early <- due.Sub(time.Now().Round(0)) })
	select {
	case d := <-early:
		if d > 0 {
			t.Errorf("fired %v early", d)
		}
	case <-time.After(10 * time.Second):
		t.Error("did not fire within 10 s")
	}
	if _, err := w.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
}
