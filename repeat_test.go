package timewheel_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/clock"
)

// record notes when something happens, counted from its making.
type record struct {
	start time.Time

	mu sync.Mutex
	at []time.Duration // guarded by mu
}

func newRecord() *record { return &record{start: time.Now()} }

// note notes the present and returns how many there are now.
func (r *record) note() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = append(r.at, time.Since(r.start))
	return len(r.at)
}

// run is note for who needs no number.
func (r *record) run() { r.note() }

// mustBe waits until the bubble is at rest and compares: "1s 2.5s".
func (r *record) mustBe(t *testing.T, want string) {
	t.Helper()
	if got := r.String(); got != want {
		t.Errorf("happened at [%s], want [%s]", got, want)
	}
}

func (r *record) String() string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	words := make([]string, len(r.at))
	for i, at := range r.at {
		words[i] = at.String()
	}
	return strings.Join(words, " ")
}

// own is a timer that its own function uses; the zero Timer until it is known.
type own struct {
	timer atomic.Pointer[timewheel.Timer]
}

func (o *own) is(timer timewheel.Timer) { o.timer.Store(&timer) }

func (o *own) get() timewheel.Timer {
	if timer := o.timer.Load(); timer != nil {
		return *timer
	}
	return timewheel.Timer{}
}

// runs are all ways to run callbacks.
var runs = map[string]timewheel.Run{
	"goroutine": timewheel.RunGoroutine,
	"inline":    timewheel.RunInline,
	"pool":      timewheel.RunPool,
}

// inEveryRun runs a test in a bubble for each way to run callbacks.
func inEveryRun(t *testing.T, cfg timewheel.Config, test func(t *testing.T, w *timewheel.Wheel)) {
	t.Helper()
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			cfg := cfg
			cfg.Run = run
			inBubble(t, cfg, test)
		})
	}
}

func TestEveryKeepsItsPhase(t *testing.T) {
	for _, c := range []struct {
		tick, interval time.Duration
		want           string
	}{
		{time.Millisecond, time.Second, "1s 2s 3s 4s"},
		{0, 250 * time.Microsecond, "300µs 500µs 800µs 1ms"},
		{time.Millisecond, 700 * time.Microsecond, "1ms 2ms 3ms 4ms"},
		{time.Second, 2500 * time.Millisecond, "3s 5s 8s 10s"},
		{time.Second, 1, "1s 2s 3s 4s"},
		{time.Hour, 90 * time.Minute, "2h0m0s 3h0m0s 5h0m0s 6h0m0s"},
		{time.Microsecond, 24 * time.Hour, "24h0m0s 48h0m0s 72h0m0s 96h0m0s"},
	} {
		inBubble(t, timewheel.Config{Tick: c.tick}, func(t *testing.T, w *timewheel.Wheel) {
			r := newRecord()
			var timer own
			timer.is(w.Every(c.interval, func() {
				if r.note() == 4 {
					timer.get().Stop()
				}
			}))
			time.Sleep(100 * 24 * time.Hour)
			t.Logf("tick %v, interval %v", c.tick, c.interval)
			r.mustBe(t, c.want)
		})
	}
}

func TestRepeatEndsAfterItsTimes(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		timer := w.Repeat(time.Second, 3, r.run)
		time.Sleep(2500 * time.Millisecond)
		if n := w.Len(); n != 1 {
			t.Errorf("Len is %d before the last time, want 1", n)
		}
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 2s 3s")
		if _, ok := timer.Due(); ok || timer.Stop() || timer.Reset(0) || w.Len() != 0 {
			t.Error("a timer that has had its times is not over")
		}
	})
}

func TestRepeatZeroTimesSetsNothing(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		timer := w.Repeat(time.Second, 0, mustNotRun(t))
		if !errors.Is(timer.Err(), timewheel.ErrTimes) || w.Len() != 0 || w.Stats().Set != 0 {
			t.Error("something was set")
		}
		time.Sleep(time.Minute)
	})
}

func TestMissedTimes(t *testing.T) {
	const slow = 2500 * time.Millisecond
	for _, c := range []struct {
		name   string
		missed timewheel.Missed
		long   int // the runs that take slow
		want   string
	}{
		{"skip, one slow run", timewheel.Skip, 1, "1s 4s 5s 6s 7s"},
		{"skip, all slow", timewheel.Skip, 99, "1s 4s 7s 10s 13s"},
		{"burst, one slow run", timewheel.Burst, 1, "1s 3.5s 3.5s 4s 5s"},
		{"burst, two slow runs", timewheel.Burst, 2, "1s 3.5s 6s 6s 6s"},
		{"burst, all slow", timewheel.Burst, 99, "1s 3.5s 6s 8.5s 11s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				w.Repeat(time.Second, 5, func() {
					if r.note() <= c.long {
						time.Sleep(slow)
					}
				}, timewheel.OnMissed(c.missed))
				time.Sleep(time.Minute)
				r.mustBe(t, c.want)
			})
		})
	}
}

func TestRunsOfOneTimerNeverOverlap(t *testing.T) {
	for _, missed := range []timewheel.Missed{timewheel.Skip, timewheel.Shift, timewheel.Burst} {
		inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
			inside, runs := 0, 0 // the race detector watches too
			w.Repeat(time.Second, 20, func() {
				if inside++; inside > 1 {
					t.Error("two runs at a time")
				}
				runs++
				time.Sleep(time.Duration(runs%4) * time.Second)
				inside--
			}, timewheel.OnMissed(missed))
			time.Sleep(time.Hour)
			synctest.Wait()
			if runs != 20 {
				t.Errorf("Missed(%d): ran %d times, want 20", missed, runs)
			}
		})
	}
}

func TestAnchorSetsThePhase(t *testing.T) {
	for _, c := range []struct {
		name   string
		anchor time.Duration // from now
		want   string
	}{
		{"past", -20 * time.Minute, "40m0s 1h40m0s 2h40m0s"},
		{"long past", -1000*time.Hour - time.Minute, "59m0s 1h59m0s 2h59m0s"},
		{"now", 0, "1h0m0s 2h0m0s 3h0m0s"},
		{"in a moment", 1, "100µs 1h0m0.0001s 2h0m0.0001s"},
		{"within the interval", 5 * time.Minute, "5m0s 1h5m0s 2h5m0s"},
		{"beyond the interval", 5*time.Hour + 30*time.Minute, "30m0s 1h30m0s 2h30m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				w.Repeat(time.Hour, 3, r.run, timewheel.Anchor(time.Now().Add(c.anchor)))
				time.Sleep(4 * time.Hour)
				r.mustBe(t, c.want)
			})
		})
	}
}

func TestAnAnchoredTimerKeepsItsPhaseOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecord()
		for _, up := range []time.Duration{150 * time.Minute, time.Minute, 17 * time.Minute, 200 * time.Minute} {
			w := timewheel.New(timewheel.Config{})
			w.Every(time.Hour, r.run, timewheel.Anchor(r.start.Add(-25*time.Minute)))
			time.Sleep(up)
			stop(t, w)
		}
		r.mustBe(t, "35m0s 1h35m0s 2h35m0s 3h35m0s 4h35m0s 5h35m0s")
	})
}

func TestStopOfARepeatingTimer(t *testing.T) {
	for _, c := range []struct {
		name string
		at   time.Duration
		want string
	}{
		{"while it waits", 1500 * time.Millisecond, "1s"},
		{"while it runs", 2100 * time.Millisecond, "1s 2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				timer := w.Every(time.Second, func() {
					r.note()
					time.Sleep(200 * time.Millisecond)
				})
				time.Sleep(c.at)
				if !timer.Stop() {
					t.Error("Stop returned false")
				}
				if _, due := timer.Due(); due || timer.Stop() || timer.Reset(0) || w.Len() != 0 {
					t.Error("it is not over")
				}
				time.Sleep(time.Minute)
				r.mustBe(t, c.want)
			})
		})
	}
}

func TestStopOfARepeatingTimerFromInside(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		var timer own
		timer.is(w.Every(time.Second, func() {
			if r.note() < 3 {
				return
			}
			if !timer.get().Stop() || timer.get().Stop() || timer.get().Reset(0) {
				t.Error("the first Stop must return true, what follows false")
			}
			w.Every(time.Hour, nothing) // takes the place
		}))
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 2s 3s")
		if n := w.Len(); n != 1 {
			t.Errorf("Len is %d, want the one that took the place", n)
		}
	})
}

func TestResetOfARepeatingTimer(t *testing.T) {
	for _, c := range []struct {
		name  string
		at, d time.Duration
		want  string
	}{
		{"while it waits, later", 1500 * time.Millisecond, 3 * time.Second, "1s 4.5s 5.5s"},
		{"while it waits, earlier", 1500 * time.Millisecond, 100 * time.Millisecond, "1s 1.6s 2.6s"},
		{"while it waits, now", 1500 * time.Millisecond, 0, "1s 1.5s 2.5s"},
		{"while it waits, negative", 1500 * time.Millisecond, math.MinInt64, "1s 1.5s 2.5s"},
		{"while it runs, later", 1100 * time.Millisecond, 3 * time.Second, "1s 4.1s 5.1s"},
		{"while it runs, earlier than its end", 1100 * time.Millisecond, 10 * time.Millisecond, "1s 1.2s 2.11s"},
		{"while it runs, now", 1100 * time.Millisecond, 0, "1s 1.2s 2.1s"},
		{"while it runs, never", 1100 * time.Millisecond, math.MaxInt64, "1s"},
		{"while it waits, never", 1500 * time.Millisecond, math.MaxInt64, "1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				timer := w.Every(time.Second, func() {
					r.note()
					time.Sleep(200 * time.Millisecond)
				})
				time.Sleep(c.at)
				if !timer.Reset(c.d) {
					t.Error("Reset returned false")
				}
				time.Sleep(5500*time.Millisecond - c.at)
				if got := r.String(); !strings.HasPrefix(got, c.want) {
					t.Errorf("ran at [%s], want [%s …]", got, c.want)
				}
				if !timer.Stop() {
					t.Error("it is over")
				}
			})
		})
	}
}

func TestResetOfARepeatingTimerFromInside(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		var timer own
		timer.is(w.Repeat(time.Second, 4, func() {
			if r.note() == 2 {
				timer.get().Reset(time.Hour)
				timer.get().Reset(5 * time.Second) // the last one counts
			}
		}))
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 2s 7s 8s")
	})
}

func TestDueOfARepeatingTimer(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		start := time.Now()
		timer := w.Every(time.Second, func() { time.Sleep(100 * time.Millisecond) })
		time.Sleep(500 * time.Millisecond)
		for _, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
			if due, ok := timer.Due(); !ok || due.Sub(start) != want {
				t.Errorf("Due is %v and %t, want %v", due.Sub(start), ok, want)
			}
			time.Sleep(550 * time.Millisecond)
			if _, ok := timer.Due(); ok {
				t.Error("a timer whose function runs is due")
			}
			time.Sleep(450 * time.Millisecond)
		}
	})
}

func TestRepeatingTimersRefuseNonsense(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		for want, call := range map[string]func(){
			"timewheel: the interval is 0s; it must be positive":   func() { w.Every(0, nothing) },
			"timewheel: the interval is -1ns; it must be positive": func() { w.Repeat(-1, 0, nothing) },
			"timewheel: the rule is nil":                           func() { w.Schedule(nil, nothing) },
			"timewheel: there is no Missed(3)":                     func() { timewheel.OnMissed(3) },
			"timewheel: the function to call is nil":               func() { w.Every(time.Second, nil) },
			"timewheel: the function to call is nil ":              func() { w.Schedule(once(time.Now()), nil) },
		} {
			mustPanic(t, strings.TrimSpace(want), call)
		}
		if w.Len() != 0 {
			t.Error("something was set")
		}
	})
}

// mustPanic fails the test unless call panics with a string that begins so.
func mustPanic(t *testing.T, prefix string, call func()) {
	t.Helper()
	defer func() {
		if got, _ := recover().(string); !strings.HasPrefix(got, prefix) {
			t.Errorf("panicked with %q, want %q", got, prefix)
		}
	}()
	call()
}

func TestRepeatingTimersAreHandedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{})
		r := newRecord()
		w.Every(3*time.Hour, r.run)
		w.Schedule(once(r.start.Add(2*time.Hour)), r.run)
		w.Every(time.Second, func() { time.Sleep(5 * time.Minute) })
		time.Sleep(time.Minute)
		pending, err := w.Stop(t.Context())
		if err != nil || len(pending) != 2 {
			t.Fatalf("%d handed back and %v, want the 2 whose function does not run", len(pending), err)
		}
		for i, want := range []time.Duration{2 * time.Hour, 3 * time.Hour} {
			if got := pending[i].Due.Sub(r.start); got != want {
				t.Errorf("timer %d was due after %v, want %v", i, got, want)
			}
			pending[i].Func()
		}
		r.mustBe(t, "5m1s 5m1s")
		for _, timer := range []timewheel.Timer{w.Every(time.Second, nothing), w.Schedule(hourly, nothing), w.Repeat(1, 1, nothing)} {
			if !errors.Is(timer.Err(), timewheel.ErrStopped) {
				t.Errorf("Err on a stopped wheel is %v", timer.Err())
			}
		}
		time.Sleep(time.Hour)
		r.mustBe(t, "5m1s 5m1s")
	})
}

// ruleFunc is a function as a rule.
type ruleFunc func(t time.Time) time.Time

func (f ruleFunc) Next(t time.Time) time.Time { return f(t) }

// hourly has an occurrence at every full hour.
var hourly = ruleFunc(func(t time.Time) time.Time { return t.Truncate(time.Hour).Add(time.Hour) })

func TestScheduleFollowsItsRule(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		time.Sleep(20 * time.Minute)
		timer := w.Schedule(hourly, func() {
			if r.note() == 2 {
				time.Sleep(150 * time.Minute) // from 2:00 to 4:30
			}
		})
		if due, ok := timer.Due(); !ok || due.Sub(r.start) != time.Hour {
			t.Errorf("Due is %v, %t, want the first occurrence", due, ok)
		}
		time.Sleep(5*time.Hour + 50*time.Minute)
		r.mustBe(t, "1h0m0s 2h0m0s 5h0m0s 6h0m0s")
	})
}

func TestScheduleBurstRunsEachMissedOccurrence(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.Schedule(hourly, func() {
			if r.note() == 1 {
				time.Sleep(150 * time.Minute)
			}
		}, timewheel.OnMissed(timewheel.Burst))
		time.Sleep(4*time.Hour + 30*time.Minute)
		r.mustBe(t, "1h0m0s 3h30m0s 3h30m0s 4h0m0s")
	})
}

func TestARuleThatEnds(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // that of a bubble
	for name, c := range map[string]struct {
		rule ruleFunc
		want string
	}{
		"zero at once":    {func(time.Time) time.Time { return time.Time{} }, ""},
		"past at once":    {func(t time.Time) time.Time { return t.Add(-time.Hour) }, ""},
		"present at once": {func(t time.Time) time.Time { return t }, ""},
		"zero later": {func(t time.Time) time.Time {
			if t.Sub(start) > 90*time.Minute {
				return time.Time{}
			}
			return hourly(t)
		}, "1h0m0s 2h0m0s"},
		"past later": {func(time.Time) time.Time { return start.Add(time.Hour) }, "1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				timer := w.Schedule(c.rule, r.run)
				if c.want == "" && !errors.Is(timer.Err(), timewheel.ErrNoOccurrence) {
					t.Error("a rule without an occurrence has a timer")
				}
				time.Sleep(24 * time.Hour)
				r.mustBe(t, c.want)
				if w.Len() != 0 || timer.Stop() || timer.Reset(0) {
					t.Error("the timer of a rule that has ended is not over")
				}
			})
		})
	}
}

// A rule is asked with no lock held, so it may use the wheel.
func TestARuleMayUseTheWheel(t *testing.T) {
	inEveryRun(t, timewheel.Config{Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		var timer own
		timer.is(w.Schedule(ruleFunc(func(at time.Time) time.Time {
			w.AfterFunc(time.Minute, nothing)
			timer.get().Due()
			w.Len()
			if at.Sub(r.start) > 90*time.Minute {
				timer.get().Stop()
			}
			return hourly(at)
		}), r.run))
		time.Sleep(12 * time.Hour)
		r.mustBe(t, "1h0m0s 2h0m0s")
	})
}

func TestScheduleWhenTheClockIsSet(t *testing.T) {
	for _, c := range []struct {
		name   string
		missed timewheel.Missed
		after  time.Duration
		step   time.Duration
		want   string // by the monotonic clock
	}{
		{"back after an occurrence", timewheel.Skip, 90 * time.Minute, -time.Hour, "1h0m0s 3h0m0s 4h0m0s"},
		{"back before the first", timewheel.Skip, 30 * time.Minute, -time.Hour, "2h0m0s 3h0m0s 4h0m0s"},
		{"forward within the hour", timewheel.Skip, 90 * time.Minute, 10 * time.Minute, "1h0m0s 1h50m0s 2h50m0s 3h50m0s"},
		{"forward over three", timewheel.Skip, 90 * time.Minute, 3 * time.Hour, "1h0m0s 1h30m0s 2h0m0s 3h0m0s 4h0m0s"},
		{"forward over three, each run", timewheel.Burst, 90 * time.Minute, 3 * time.Hour, "1h0m0s 1h30m0s 1h30m0s 1h30m0s 2h0m0s 3h0m0s 4h0m0s"},
		{"back, each run", timewheel.Burst, 90 * time.Minute, -time.Hour, "1h0m0s 3h0m0s 4h0m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wall := new(clock.Fake)
			inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				w.Schedule(hourly, r.run, timewheel.OnMissed(c.missed))
				time.Sleep(c.after)
				wall.Step(c.step)
				time.Sleep(4*time.Hour + time.Minute - c.after)
				r.mustBe(t, c.want)
			})
		})
	}
}

// However the clock is set, no occurrence of a rule comes twice, and none before
// the clock shows it.
func TestNoOccurrenceComesTwice(t *testing.T) {
	for range 20 {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		wall := new(clock.Fake)
		inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
			var last time.Time
			runs := 0
			w.Schedule(hourly, func() {
				runs++
				hour := wall.Now().Truncate(time.Hour)
				if !hour.After(last) {
					t.Errorf("seed %d: a run in the hour of %v after one in that of %v", seed, hour, last)
				}
				last = hour
			})
			for range 200 {
				time.Sleep(time.Duration(random.Int64N(int64(3 * time.Hour))))
				wall.Step(time.Duration(random.Int64N(int64(4*time.Hour))) - 2*time.Hour)
			}
			synctest.Wait()
			if runs == 0 {
				t.Errorf("seed %d: it never ran", seed)
			}
		})
	}
}

func TestIntervalsDoNotFollowTheClock(t *testing.T) {
	wall := new(clock.Fake)
	inBubble(t, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.Every(time.Hour, r.run, timewheel.Anchor(wall.Now().Add(-30*time.Minute)))
		for _, step := range []time.Duration{-24 * time.Hour, 48 * time.Hour, time.Minute} {
			time.Sleep(time.Hour)
			wall.Step(step)
		}
		time.Sleep(time.Hour)
		r.mustBe(t, "30m0s 1h30m0s 2h30m0s 3h30m0s")
	})
}

func TestAHugeIntervalNeverComes(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		time.Sleep(time.Hour)
		timer := w.Every(math.MaxInt64, mustNotRun(t))
		time.Sleep(100 * 365 * 24 * time.Hour)
		if !timer.Stop() {
			t.Error("it was over within a century")
		}
	})
}
