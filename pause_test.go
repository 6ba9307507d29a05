package timewheel_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/clock"
)

func TestPauseHoldsTimersUntilResume(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.AfterFunc(time.Second, r.run)
		w.AfterFunc(3*time.Second, r.run)
		time.Sleep(2 * time.Second)
		w.Pause()
		w.Pause() // twice is once
		w.AfterFunc(0, r.run)
		w.AfterFunc(time.Second, r.run)
		w.AfterFunc(20*time.Second, r.run)
		if n := w.Len(); n != 4 {
			t.Errorf("Len of a paused wheel is %d, want 4", n)
		}
		time.Sleep(10 * time.Second)
		r.mustBe(t, "1s")
		w.Resume()
		w.Resume()
		r.mustBe(t, "1s 12s 12s 12s")
		time.Sleep(time.Hour)
		r.mustBe(t, "1s 12s 12s 12s 22s")
	})
}

func TestTimersMayBeStoppedAndResetWhilePaused(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		stopped, later, sooner := w.AfterFunc(time.Second, mustNotRun(t)), w.AfterFunc(time.Second, r.run), w.AfterFunc(time.Hour, r.run)
		w.Pause()
		time.Sleep(time.Minute) // all but the last are due
		if !stopped.Stop() || !later.Reset(time.Minute) || !sooner.Reset(time.Second) {
			t.Error("Stop or Reset of a timer that has not fired returned false")
		}
		if _, due := later.Due(); !due {
			t.Error("a timer of a paused wheel is not due")
		}
		time.Sleep(10 * time.Second)
		w.Resume()
		time.Sleep(time.Hour)
		r.mustBe(t, "1m10s 2m0s")
	})
}

func TestAWheelThatIsPausedBeforeItsFirstTimer(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.Pause()
		w.AfterFunc(time.Second, r.run)
		w.AfterFunc(time.Minute, r.run)
		time.Sleep(10 * time.Second)
		r.mustBe(t, "")
		w.Resume()
		time.Sleep(time.Hour)
		r.mustBe(t, "10s 1m0s")
	})
}

func TestRepeatingTimersAfterAPause(t *testing.T) {
	for _, c := range []struct {
		missed timewheel.Missed
		want   string
	}{
		{timewheel.Skip, "1s 5.5s 6s 7s"},
		{timewheel.Shift, "1s 5.5s 6.5s 7.5s"},
		{timewheel.Burst, "1s 5.5s 5.5s 5.5s 5.5s 6s 7s"},
	} {
		inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
			r := newRecord()
			timer := w.Every(time.Second, r.run, timewheel.OnMissed(c.missed))
			time.Sleep(1500 * time.Millisecond)
			w.Pause()
			time.Sleep(4 * time.Second)
			w.Resume()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			timer.Stop()
			r.mustBe(t, c.want)
		})
	}
}

// Nobody lives through an empty or a crowded year tick by tick.
func TestAYearOfPause(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunInline}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		timer := w.Every(time.Millisecond, r.run)
		ticker := w.NewTicker(time.Microsecond)
		w.Pause()
		time.Sleep(365 * 24 * time.Hour)
		w.Resume()
		r.mustBe(t, "8760h0m0s")
		timer.Stop()
		mustReceive(t, ticker.C, r.start, 8760*time.Hour)
	})
}

func TestStopOfAPausedWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		w.AfterFunc(time.Second, mustNotRun(t))
		w.Every(time.Hour, mustNotRun(t))
		w.Pause()
		time.Sleep(time.Minute)
		pending, err := w.Stop(t.Context())
		if err != nil || len(pending) != 2 {
			t.Errorf("Stop handed back %d timers and %v, want those that are due and those that are not", len(pending), err)
		}
		w.Resume()
		w.Pause()
		w.Resume()
		time.Sleep(2 * time.Hour)
	})
}

func TestPauseFromInsideACallback(t *testing.T) {
	inEveryRun(t, timewheel.Config{Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.AfterFunc(time.Second, func() {
			w.Pause()
			r.note()
		})
		w.AfterFunc(2*time.Second, r.run)
		time.AfterFunc(10*time.Second, w.Resume)
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 10s")
	})
}

func TestTheWallClockMayBeSetDuringAPause(t *testing.T) {
	wall := new(clock.Fake)
	inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.At(wall.Now().Add(time.Hour), r.run)
		w.At(wall.Now().Add(10*time.Hour), r.run)
		w.Schedule(hourly, r.run)
		w.Pause()
		time.Sleep(90 * time.Minute)
		r.mustBe(t, "")
		wall.Step(-time.Hour) // it shows 0:30, nothing is due any more
		w.Resume()
		r.mustBe(t, "")
		time.Sleep(30 * time.Minute)
		r.mustBe(t, "2h0m0s 2h0m0s")
		w.Pause()
		wall.Step(9 * time.Hour)
		w.Resume()
		time.Sleep(30 * time.Minute)
		r.mustBe(t, "2h0m0s 2h0m0s 2h0m0s 2h0m0s")
	})
}

// Pauses from everywhere while timers come and go: none is lost.
func TestPausesLoseNoTimer(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		var f fired
		const n = 2000
		for i := range n {
			go func() {
				time.Sleep(time.Duration(i%100) * time.Millisecond)
				w.AfterFunc(time.Duration(i%37)*time.Millisecond, f.note)
			}()
		}
		for range 100 {
			w.Pause()
			time.Sleep(700 * time.Microsecond)
			w.Resume()
			time.Sleep(500 * time.Microsecond)
		}
		time.Sleep(time.Second)
		if got := f.times(); got != n {
			t.Errorf("%d of %d fired", got, n)
		}
	})
}

// No timer that comes due after Pause has returned fires before Resume.
func TestNothingThatComesDueInAPauseFires(t *testing.T) {
	w := timewheel.New(timewheel.Config{Run: timewheel.RunInline, Tick: time.Microsecond, Shards: 8})
	start := time.Now()
	var pausedAt, worst atomic.Int64
	var bad atomic.Int64
	pausedAt.Store(1 << 62)
	enough := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-enough:
				return
			default:
			}
			if w.Len() > 2000 {
				continue
			}
			due := time.Since(start) + 20*time.Microsecond
			w.AfterFunc(20*time.Microsecond, func() {
				if p := pausedAt.Load(); int64(due) > p {
					bad.Add(1)
					worst.Store(max(worst.Load(), int64(due)-p))
				}
			})
		}
	}()
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		w.Pause()
		pausedAt.Store(int64(time.Since(start)))
		time.Sleep(100 * time.Microsecond)
		pausedAt.Store(1 << 62)
		w.Resume()
		time.Sleep(50 * time.Microsecond)
	}
	close(enough)
	<-done
	stop(t, w)
	if n := bad.Load(); n > 0 {
		t.Errorf("%d timers that came due after Pause had returned fired before Resume; the worst was due %v after", n, time.Duration(worst.Load()))
	}
}

// A Pause in a callback lets the rest of the batch run, and nothing else.
func TestPauseStopsTheOtherShards(t *testing.T) {
	w := timewheel.New(timewheel.Config{Run: timewheel.RunInline, Shards: 8, Tick: 50 * time.Millisecond})
	var after atomic.Int64
	var paused atomic.Bool
	done := make(chan bool)
	for range 8 {
		go func() {
			for range 200 {
				w.AfterFunc(60*time.Millisecond, func() {
					if paused.Load() {
						after.Add(1)
						return
					}
					w.Pause()
					paused.Store(true)
				})
			}
			done <- true
		}()
	}
	for range 8 {
		<-done
	}
	time.Sleep(200 * time.Millisecond)
	if n := after.Load(); n > 255 { // the rest of one batch may
		t.Errorf("%d timers fired after Pause had returned, from other shards and batches too", n)
	}
	w.Resume()
	stop(t, w)
}
