package timewheel_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/clock"
)

// Stopping timers gives memory back in chunks; the timer that was stopped last may
// have lain in such a chunk.
func TestStopOfManyTimersGivesTheirMemoryBack(t *testing.T) {
	for _, order := range []string{"forward", "backward"} {
		for _, at := range []bool{false, true} {
			w := timewheel.New(timewheel.Config{Shards: 1})
			timers := make([]timewheel.Timer, 5000)
			for i := range timers {
				if timers[i] = w.AfterFunc(time.Hour, nothing); at {
					timers[i].Stop()
					timers[i] = w.At(time.Now().Add(time.Hour), nothing)
				}
			}
			if order == "backward" {
				slices.Reverse(timers)
			}
			stopAll(t, timers)
			stop(t, w)
		}
	}
}

func stopAll(t *testing.T, timers []timewheel.Timer) {
	t.Helper()
	for i, timer := range timers {
		func() {
			defer func() {
				if value := recover(); value != nil {
					t.Fatalf("Stop of timer %d panicked: %v", i, value)
				}
			}()
			if !timer.Stop() {
				t.Errorf("Stop of timer %d returned false", i)
			}
		}()
	}
}

// A callback may end its goroutine; with RunInline that must not be the end of
// the driver.
func TestGoexitInACallbackEndsNothingElse(t *testing.T) {
	for _, run := range []timewheel.Run{timewheel.RunGoroutine, timewheel.RunInline, timewheel.RunPool} {
		w := timewheel.New(timewheel.Config{Run: run, Shards: 1})
		var ran atomic.Int64
		done := make(chan struct{})
		w.Pause()
		w.AfterFunc(0, runtime.Goexit)
		w.AfterFunc(0, func() { ran.Add(1) }) // of the same batch
		w.Resume()
		w.AfterFunc(20*time.Millisecond, func() { close(done) })
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			t.Errorf("Run %d: nothing fires any more after a callback has called runtime.Goexit", run)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if _, err := w.Stop(ctx); err != nil {
			t.Errorf("Run %d: Stop: %v", run, err)
		}
		cancel()
		if ran.Load() != 1 {
			t.Errorf("Run %d: the timer beside it ran %d times", run, ran.Load())
		}
	}
}

// Shift runs one missed time at once: that is what its comment says.
func TestShiftRunsOneMissedTimeAtOnce(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.Repeat(time.Second, 4, func() {
			if r.note() == 1 {
				time.Sleep(2500 * time.Millisecond)
			}
		}, timewheel.OnMissed(timewheel.Shift))
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 3.5s 4.5s 5.5s")
	})
}

// once is a rule with a single occurrence.
type once time.Time

func (o once) Next(t time.Time) time.Time {
	if time.Time(o).After(t) {
		return time.Time(o)
	}
	return time.Time{}
}

// A Reset during the last occurrence of a rule sets one more time, and does not
// make the rule start anew from the year 1.
func TestAnEndedRuleThatIsResetBeginsNotAnew(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		var timer own
		timer.is(w.Schedule(once(r.start.Add(time.Hour)), func() {
			switch n := r.note(); {
			case n == 1:
				timer.get().Reset(time.Minute)
			case n > 9:
				timer.get().Stop()
			}
		}, timewheel.OnMissed(timewheel.Burst)))
		time.Sleep(10 * time.Hour)
		r.mustBe(t, "1h0m0s 1h1m0s")
		if n := w.Len(); n != 0 {
			t.Errorf("%d timers are left", n)
		}
	})
}

// hasty is a clock that is set, and tells so, right after its first reading.
type hasty struct {
	clock.Fake
	step  time.Duration
	armed atomic.Bool
	heard atomic.Bool
}

func (h *hasty) Now() time.Time {
	now := h.Fake.Now()
	if h.armed.Swap(false) {
		h.Step(h.step)
		for range 20_000 { // whoever follows the clock may wait for us: give up some time
			if h.heard.Load() {
				break
			}
			runtime.Gosched()
		}
	}
	return now
}

func (h *hasty) WatchSteps(ctx context.Context, stepped func()) {
	h.Fake.WatchSteps(ctx, func() {
		stepped()
		h.heard.Store(true)
	})
}

// A step between At's look at the clock and the setting of the timer is heard of.
func TestNoStepOfTheClockIsMissedWhileATimerIsSet(t *testing.T) {
	wall := &hasty{step: time.Hour}
	inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		w.At(wall.Now().Add(100*time.Hour), nothing)
		synctest.Wait() // the clock is being watched
		due := wall.Now().Add(2 * time.Hour)
		wall.armed.Store(true)
		w.At(due, f.note)
		time.Sleep(time.Hour + time.Millisecond)
		if n := f.times(); n != 1 {
			t.Errorf("fired %d times by the time the wall clock showed 1 ms more than its instant", n)
		}
	})
}

// slow is a clock that takes its time.
type slow struct{ clock.Fake }

func (s *slow) Now() time.Time {
	time.Sleep(10 * time.Millisecond)
	return s.Fake.Now()
}

func TestAnAnchoredTimerIsNeverEarly(t *testing.T) {
	wall := &slow{}
	inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		anchor := time.Now()
		time.Sleep(time.Minute)
		var early time.Duration
		w.Repeat(time.Hour, 1, func() { early = time.Until(anchor.Add(time.Hour)) }, timewheel.Anchor(anchor))
		time.Sleep(2 * time.Hour)
		if synctest.Wait(); early > 0 {
			t.Errorf("%v early", early)
		}
	})
}

// A repeating timer whose run waits for a worker is one timer, not two.
func TestMaxPendingCountsARepeatingTimerOnce(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunPool, Workers: 1, MaxPending: 2}, func(t *testing.T, w *timewheel.Wheel) {
		w.AfterFunc(time.Second, func() { time.Sleep(time.Hour) })
		every := w.Every(2*time.Second, nothing)
		time.Sleep(3 * time.Second)
		synctest.Wait() // the repeating one waits for the worker
		if got := w.Stats(); got.Live != 1 || got.Queued != 1 {
			t.Fatalf("%d live and %d queued, want 1 and 1", got.Live, got.Queued)
		}
		if err := w.AfterFunc(time.Hour, nothing).Err(); err != nil {
			t.Errorf("a second timer beside a repeating one: %v", err)
		}
		every.Stop()
		time.Sleep(2 * time.Hour)
	})
}

// What was never set can't be kept from being received.
func TestStopOfARefusedChannelTimerIsFalse(t *testing.T) {
	inBubble(t, timewheel.Config{MaxPending: 1}, func(t *testing.T, w *timewheel.Wheel) {
		full := w.AfterFunc(time.Hour, nothing)
		timer := w.NewTimer(time.Second)
		if timer.Stop() {
			t.Error("Stop of a timer that a full wheel refused returned true")
		}
		for range 2 {
			if !timer.Reset(time.Second) {
				continue
			}
			t.Error("Reset of a timer that a full wheel refused returned true")
		}
		full.Stop()
		if timer.Reset(time.Second) {
			t.Error("Reset that set a refused timer returned true")
		}
		if !timer.Stop() {
			t.Error("Stop of a timer that was set in the end returned false")
		}
	})
}

// A stopped wheel's alarm is closed, its descriptor may be another wheel's.
func TestPauseAndResumeAfterStopTouchNoOtherWheel(t *testing.T) {
	for _, precise := range []bool{false, true} {
		gone := timewheel.New(timewheel.Config{Precise: precise})
		gone.AfterFunc(time.Hour, nothing)
		time.Sleep(5 * time.Millisecond)
		stop(t, gone)
		w := timewheel.New(timewheel.Config{})
		w.AfterFunc(time.Hour, nothing)
		time.Sleep(20 * time.Millisecond)
		before := w.Stats().Wakes
		for range 20 {
			gone.Pause()
			gone.Resume()
			time.Sleep(time.Millisecond)
		}
		if woke := w.Stats().Wakes - before; woke != 0 {
			t.Errorf("Precise %t: Pause and Resume of a stopped wheel woke another one %d times", precise, woke)
		}
		stop(t, w)
	}
}

// Stop hands timers back in the order in which they were due, whatever the wall
// clock shows.
func TestStopOrdersByTheTimeThatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wall := new(clock.Fake)
		wall.Step(24 * time.Hour)
		w := timewheel.New(timewheel.Config{Clock: wall})
		var ran []string
		w.AfterFunc(2*time.Hour, func() { ran = append(ran, "second") })
		w.At(wall.Now().Add(time.Hour), func() { ran = append(ran, "first") })
		w.At(wall.Now().Add(3*time.Hour), func() { ran = append(ran, "third") })
		pending, err := w.Stop(t.Context())
		if err != nil {
			t.Errorf("Stop: %v", err)
		}
		for _, p := range pending {
			p.Func()
		}
		if len(ran) != 3 || ran[0] != "first" || ran[1] != "second" || ran[2] != "third" {
			t.Errorf("handed back in the order %q", ran)
		}
	})
}

// brittle is a rule that panics when it is asked a second time.
type brittle struct{ asked int }

func (b *brittle) Next(t time.Time) time.Time {
	if b.asked++; b.asked == 2 {
		panic("no more")
	}
	return t.Add(time.Minute)
}

func TestARulePanicLeavesNoDeadTimer(t *testing.T) {
	panics := 0
	cfg := timewheel.Config{OnPanic: func(any, []byte) { panics++ }}
	inBubble(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		w.Schedule(new(brittle), f.note)
		time.Sleep(time.Hour)
		if n := f.times(); panics != 1 || n == 1 && w.Len() != 0 {
			t.Errorf("after %d panics of the rule and %d runs, %d timers are set that never fire", panics, n, w.Len())
		}
	})
}

// A callback that resets a timer to "at once" again and again must not hang the wheel.
func TestResetForAtOnceWhileABatchRuns(t *testing.T) {
	w := timewheel.New(timewheel.Config{Run: timewheel.RunInline, Shards: 1, Tick: 10 * time.Millisecond})
	over := make(chan struct{})
	var timers []timewheel.Timer
	var first atomic.Bool
	w.Pause()
	for range 300 {
		timers = append(timers, w.AfterFunc(time.Millisecond, func() {
			if first.Swap(true) {
				return
			}
			for range 1000 {
				for _, timer := range timers[256:] {
					timer.Reset(0)
				}
			}
			close(over)
		}))
	}
	time.Sleep(50 * time.Millisecond)
	w.Resume()
	select {
	case <-over:
	case <-time.After(3 * time.Second):
		t.Fatal("the wheel hangs in Reset")
	}
	stop(t, w)
}

// A function that takes a bit longer than the interval misses one time: with
// Shift that one comes at once, and the next an interval after it.
func TestShiftMovesThePhaseByAnyMiss(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.Repeat(20*time.Millisecond, 4, func() {
			if r.note() == 1 {
				time.Sleep(30 * time.Millisecond)
			}
		}, timewheel.OnMissed(timewheel.Shift))
		time.Sleep(time.Minute)
		r.mustBe(t, "20ms 50ms 70ms 90ms")
	})
}

// What is not made by its constructor says so, and does not hang.
func TestZeroValuesSayWhatTheyAre(t *testing.T) {
	for want, use := range map[string]func(){
		"timewheel: this wheel is not from New":                   func() { new(timewheel.Wheel).AfterFunc(0, nothing) },
		"timewheel: this Keyed is not from NewKeyed":              func() { new(timewheel.Keyed[string]).Has("a") },
		"timewheel: this timer is not from NewTimer or NewTicker": func() { new(timewheel.ChanTimer).Reset(0) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panicked with %v, want %q", got, want)
				}
			}()
			use()
		}()
	}
}

// Sleep on a stopped wheel says so, for how short a time ever.
func TestSleepOnAStoppedWheel(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	stop(t, w)
	for _, d := range []time.Duration{-1, 0, 1, time.Hour} {
		if err := w.Sleep(t.Context(), d); !errors.Is(err, timewheel.ErrStopped) {
			t.Errorf("Sleep(%v) = %v", d, err)
		}
	}
}
