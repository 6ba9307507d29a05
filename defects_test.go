package timewheel_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/clock"
)

// Twenty things that timer wheels are known to get wrong, a test for each. Most
// are proved at more length elsewhere; these fail by themselves if the defect is
// brought back.

// Time is counted in whole nanoseconds: no tick is too short, no quotient off.
func TestDefect01(t *testing.T) {
	for _, tick := range []time.Duration{time.Microsecond, 100 * time.Microsecond, 100 * time.Millisecond, 999 * time.Millisecond} {
		inSchemes(t, sleepers, timewheel.Config{Tick: tick}, func(t *testing.T, w *timewheel.Wheel) {
			for _, n := range []time.Duration{1, 3, 7, 19, 29, 30, 57} { // 0.3 / 0.1 is not 3 in floating point
				r := newRecord()
				w.AfterFunc(n*tick, r.run)
				time.Sleep(n * tick)
				r.mustBe(t, (n * tick).String())
			}
		})
	}
}

// A due instant is rounded up: never early, by whatever the delay and the phase of
// the tick.
func TestDefect02(t *testing.T) {
	const tick = time.Millisecond
	inEveryScheme(t, timewheel.Config{Tick: tick}, func(t *testing.T, w *timewheel.Wheel) {
		for _, phase := range []time.Duration{0, 1, tick / 2, tick - 1} {
			for _, d := range []time.Duration{1, tick - 1, tick, tick + 1, 19*tick - 1, 64 * tick, 64*tick + 1, 150 * tick} {
				time.Sleep(tick - time.Duration(time.Now().UnixNano())%tick + phase)
				start, ran := time.Now(), false
				w.AfterFunc(d, func() {
					ran = true
					if took := time.Since(start); took < d || took >= d+tick {
						t.Errorf("phase %v: a delay of %v took %v", phase, d, took)
					}
				})
				time.Sleep(d + tick)
				if synctest.Wait(); !ran {
					t.Errorf("phase %v: a delay of %v did not fire", phase, d)
				}
			}
		}
	})
}

// A timer that sets itself anew, for at once or for one turn, runs once each time
// and never keeps the others waiting.
func TestDefect03(t *testing.T) {
	for _, d := range []time.Duration{0, 2 * time.Millisecond, 16 * time.Millisecond, 64 * time.Millisecond, 512 * time.Millisecond} {
		cfg := timewheel.Config{Tick: time.Millisecond, Shards: 1, Run: timewheel.RunInline}
		inEveryScheme(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
			const times = 1000
			r, again := newRecord(), 0
			var self func()
			self = func() {
				if again++; again < times {
					w.AfterFunc(d, self)
				}
				if want := d * time.Duration(again); time.Since(r.start) != want {
					t.Errorf("time %d came at %v, want %v", again, time.Since(r.start), want)
				}
				if again == 10 {
					w.AfterFunc(0, func() {
						if r.note(); again > 11 {
							t.Errorf("a timer for at once had to wait for %d runs of another", again)
						}
					})
				}
			}
			w.AfterFunc(d, self)
			time.Sleep(d*times + time.Millisecond)
			r.mustBe(t, (10 * d).String())
			if again != times {
				t.Errorf("it ran %d times, want %d", again, times)
			}
		})
	}
}

// Filing a timer anew takes no lock twice: a wheel of two slots with many adders
// never stands still.
func TestDefect04(t *testing.T) {
	w := timewheel.New(timewheel.Config{Tick: time.Microsecond, Geometry: timewheel.Geometry{Slots: 2}, Shards: 1})
	const adders, each = 32, 300
	var fired, adding sync.WaitGroup
	fired.Add(adders * each)
	for seed := range uint64(adders) {
		adding.Go(func() {
			random := rand.New(rand.NewPCG(seed, 4))
			for range each {
				w.AfterFunc(time.Duration(random.Int64N(int64(2*time.Millisecond))), fired.Done)
			}
		})
	}
	mustEnd(t, "setting timers", adding.Wait)
	mustEnd(t, "firing timers", fired.Wait)
	stop(t, w)
}

// mustEnd fails the test if wait does not return.
func mustEnd(t *testing.T, what string, wait func()) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s has not ended after 20 s", what)
	}
}

// A timer whose tick passes between the reading of the clock and the setting is
// not lost, and not a turn late: here ticks are shorter than that takes.
func TestDefect05(t *testing.T) {
	for scheme, slots := range map[timewheel.Scheme]int{timewheel.Hierarchical: 64, timewheel.Hashed: 1 << 20, timewheel.DelayQueue: 1024} {
		w := timewheel.New(timewheel.Config{Scheme: scheme, Geometry: timewheel.Geometry{Slots: slots}, Tick: time.Microsecond})
		const adders, each = 4, 3000
		var fired, adding sync.WaitGroup
		fired.Add(adders * each)
		for range adders {
			adding.Go(func() {
				for i := range time.Duration(each) {
					start, d := time.Now(), i%4*time.Microsecond
					w.AfterFunc(d, func() {
						if took := time.Since(start); took < d {
							t.Errorf("%v: %v early", scheme, d-took)
						}
						fired.Done()
					})
				}
			})
		}
		adding.Wait()
		mustEnd(t, scheme.String(), fired.Wait)
		stop(t, w)
	}
}

// No delay and no interval overflows: none that is shorter than a tick, none that
// reaches beyond the end of time.
func TestDefect06(t *testing.T) {
	inSchemes(t, sleepers, timewheel.Config{Tick: time.Second}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.Repeat(1, 5, r.run)
		far := w.AfterFunc(math.MaxInt64, mustNotRun(t))
		w.Every(math.MaxInt64, mustNotRun(t))
		w.Repeat(math.MaxInt64-1, 3, mustNotRun(t), timewheel.Anchor(time.Now().Add(-time.Hour)))
		beyond := w.AfterFunc(1<<26*time.Second, mustNotRun(t)) // beyond four levels of 64
		time.Sleep(5 * time.Second)
		r.mustBe(t, "1s 2s 3s 4s 5s")
		w.AfterFunc(math.MinInt64, r.run)
		w.AfterFunc(-1, r.run)
		w.At(time.Time{}, r.run)
		r.mustBe(t, "1s 2s 3s 4s 5s 5s 5s 5s")
		time.Sleep(1<<26*time.Second - 5*time.Second - 1)
		if !far.Reset(math.MaxInt64) || !far.Stop() || !beyond.Stop() {
			t.Error("a timer fired that was far away")
		}
	})
}

// A timer beyond the horizon of the lower levels blocks nothing, however often
// these turn.
func TestDefect07(t *testing.T) {
	const tick = time.Microsecond
	inSchemes(t, sleepers, timewheel.Config{Tick: tick, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		far := w.AfterFunc(1<<50*tick, mustNotRun(t))
		for range 200 { // over level after level, off their edges
			time.Sleep(1 << 23 * tick)
			r := newRecord()
			w.AfterFunc(10*tick, r.run)
			time.Sleep(10 * tick)
			r.mustBe(t, "10µs")
		}
		if !far.Stop() {
			t.Error("the far timer is gone")
		}
	})
}

// Ticks are counted from the clock: what the driver sleeps through shifts nothing
// that comes after.
func TestDefect08(t *testing.T) {
	cfg := timewheel.Config{Tick: time.Millisecond, Run: timewheel.RunInline, Shards: 1}
	inEveryScheme(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.AfterFunc(5*time.Second, r.run)
		every := w.Every(time.Second, r.run)
		w.AfterFunc(time.Millisecond, func() { time.Sleep(2500 * time.Millisecond) }) // 2,500 ticks go by
		time.Sleep(4500 * time.Millisecond)
		every.Stop()
		time.Sleep(time.Minute)
		r.mustBe(t, "2.501s 3s 4s 5s")
	})
}

// Delays and intervals go by the monotonic clock: setting the wall clock moves
// nothing.
func TestDefect09(t *testing.T) {
	wall := new(clock.Fake)
	inSchemes(t, sleepers, timewheel.Config{Clock: wall}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.AfterFunc(time.Hour, r.run)
		w.Repeat(40*time.Minute, 2, r.run)
		w.At(wall.Now().Add(1000*time.Hour), nothing) // so that the clock is followed
		for _, step := range []time.Duration{100 * time.Hour, -300 * time.Hour, 17} {
			time.Sleep(10 * time.Minute)
			wall.Step(step)
		}
		w.AfterFunc(time.Hour, r.run)
		time.Sleep(2 * time.Hour)
		r.mustBe(t, "40m0s 1h0m0s 1h20m0s 1h30m0s")
	})
}

// Nothing blocks or panics, whatever the order: before the first timer, after
// Stop, twice, and from inside a callback.
func TestDefect10(t *testing.T) {
	inEveryRun(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		w.Resume()
		w.Pause()
		w.Resume()
		timer := w.AfterFunc(time.Second, func() {
			if _, err := w.Stop(context.Background()); !errors.Is(err, timewheel.ErrInsideCallback) {
				t.Errorf("Stop from inside a callback returned %v", err)
			}
		})
		time.Sleep(time.Minute)
		for range 2 {
			if pending, err := w.Stop(t.Context()); err != nil || len(pending) != 0 {
				t.Errorf("Stop of a stopped wheel returned %d timers and %v", len(pending), err)
			}
			w.Pause()
			w.Resume()
		}
		for _, late := range []timewheel.Timer{w.AfterFunc(0, nothing), w.At(time.Now(), nothing), w.Every(1, nothing)} {
			if !errors.Is(late.Err(), timewheel.ErrStopped) {
				t.Errorf("a timer of a stopped wheel has the error %v", late.Err())
			}
		}
		if timer.Stop() || timer.Reset(0) || w.Len() != 0 || !errors.Is(w.NewTimer(0).Err(), timewheel.ErrStopped) {
			t.Error("a stopped wheel has timers")
		}
		if err := w.Sleep(t.Context(), time.Second); !errors.Is(err, timewheel.ErrStopped) {
			t.Errorf("Sleep on a stopped wheel returned %v", err)
		}
	})
}

// A key is one timer: setting it again replaces it, and what has fired or was
// drained leaves no trace.
func TestDefect11(t *testing.T) {
	inBubble(t, timewheel.Config{}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{Default: func(string) { r.note() }})
		set := func(d time.Duration) {
			if err := k.Delay(d, "key", nil); err != nil {
				t.Errorf("Delay: %v", err)
			}
		}
		for range 3 {
			set(time.Minute)
		}
		if k.Len() != 1 || w.Len() != 1 {
			t.Errorf("%d keys and %d timers, want 1 and 1", k.Len(), w.Len())
		}
		set(time.Second)
		time.Sleep(2 * time.Second)
		if synctest.Wait(); k.Has("key") || k.Cancel("key") || k.Move("key", 0) || k.Len() != 0 {
			t.Error("the key of a timer that has fired is still there")
		}
		set(time.Hour)
		k.Drain()
		set(time.Minute) // not longer than what was drained
		time.Sleep(2 * time.Hour)
		r.mustBe(t, "1s 1m2s")

		var only sync.WaitGroup // replaced from everywhere, one is left
		for range 50 {
			only.Go(func() { set(time.Second) })
		}
		only.Wait()
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 1m2s 2h0m3s")
	})
}

// A handle whose timer is over never touches the next tenant of its place.
func TestDefect12(t *testing.T) {
	inEveryScheme(t, timewheel.Config{Tick: time.Second, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		var stale []timewheel.Timer
		for i := range 50 {
			timer := w.AfterFunc(time.Second, nothing)
			if i%2 == 0 {
				timer.Stop()
			}
			time.Sleep(time.Second)
			synctest.Wait()
			stale = append(stale, timer)
		}
		var f fired
		tenant := w.AfterFunc(time.Minute, f.note)
		every := w.Every(time.Minute, f.note)
		for _, timer := range stale {
			if _, ok := timer.Due(); ok || timer.Stop() || timer.Reset(0) {
				t.Fatal("a timer that is over could be stopped or reset")
			}
		}
		time.Sleep(time.Minute)
		if n := f.times(); n != 2 || tenant.Stop() || !every.Stop() {
			t.Errorf("%d of 2 tenants fired", n)
		}
	})
}

// Whatever is moved to now runs once; what Stop took out never; and no count is
// counted twice.
func TestDefect13(t *testing.T) {
	inEveryScheme(t, timewheel.Config{Tick: time.Millisecond, MaxPending: 3}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		moved := w.AfterFunc(time.Second, r.run)
		time.Sleep(10 * time.Millisecond)
		for range 3 {
			moved.Reset(0)
		}
		r.mustBe(t, "10ms")
		if moved.Reset(0) {
			t.Error("Reset of what has run returned true")
		}
		stopped := w.AfterFunc(time.Millisecond, mustNotRun(t))
		time.Sleep(time.Millisecond - 1)
		if !stopped.Stop() || stopped.Stop() {
			t.Error("the first Stop must return true, the second false")
		}
		time.Sleep(time.Minute)
		r.mustBe(t, "10ms")
		if got := room(w); got != 3 || w.Len() != 0 {
			t.Errorf("room for %d of 3, Len is %d", got, w.Len())
		}
	})
}

// Callbacks run under no lock and beside each other; a panic may be caught; a pool
// bounds them.
func TestDefect14(t *testing.T) {
	var caught atomic.Int64
	cfg := timewheel.Config{Run: timewheel.RunPool, Workers: 3, Shards: 1, OnPanic: func(any, []byte) { caught.Add(1) }}
	inBubble(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		var running, most atomic.Int64
		w.AfterFunc(time.Second, func() { time.Sleep(time.Hour) }) // a slow one
		w.AfterFunc(time.Second, func() { panic("a bad one") })
		for range 100 {
			w.AfterFunc(time.Second, func() {
				most.Store(max(most.Load(), running.Add(1)))
				w.AfterFunc(time.Minute, nothing).Stop() // would deadlock under the lock
				w.Len()
				time.Sleep(time.Millisecond)
				running.Add(-1)
			})
		}
		w.AfterFunc(time.Minute, r.run)
		time.Sleep(2 * time.Minute)
		r.mustBe(t, "1m0s")
		if caught.Load() != 1 || most.Load() > 2 {
			t.Errorf("%d panics caught, %d ran at a time beside the slow one", caught.Load(), most.Load())
		}
	})
}

// What a timer that is over was to call can be collected: at its Stop, and at that
// of the wheel, though both are still referred to.
func TestDefect15(t *testing.T) {
	for _, scheme := range timewheel.Schemes() {
		w := timewheel.New(timewheel.Config{Scheme: scheme, Tick: time.Second})
		collected := make(chan struct{}, 6)
		payload := func() func() {
			p := new([1 << 16]byte)
			runtime.AddCleanup(p, func(c chan struct{}) { c <- struct{}{} }, collected)
			return func() { p[0]++ }
		}
		stopped := []timewheel.Timer{
			w.AfterFunc(time.Hour, payload()), w.At(time.Now().Add(time.Hour), payload()),
			w.Every(time.Hour, payload()),
		}
		for _, timer := range stopped {
			timer.Stop()
		}
		mustCollect(t, scheme.String()+", stopped", collected, len(stopped))
		left := []timewheel.Timer{
			w.AfterFunc(time.Hour, payload()), w.At(time.Now().Add(time.Hour), payload()),
			w.Every(time.Hour, payload()),
		}
		stop(t, w)
		mustCollect(t, scheme.String()+", wheel stopped", collected, len(left))
		runtime.KeepAlive(w)
		runtime.KeepAlive(stopped)
		runtime.KeepAlive(left)
	}
}

func mustCollect(t *testing.T, what string, collected chan struct{}, n int) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Second)
	for n > 0 {
		runtime.GC()
		select {
		case <-collected:
			n--
		default:
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d functions are still held", what, n)
			}
		}
	}
}

// An idle wheel sleeps: it wakes for what is due, not for ticks.
func TestDefect16(t *testing.T) {
	inSchemes(t, sleepers, timewheel.Config{Tick: time.Microsecond, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		w.AfterFunc(1000*time.Hour, mustNotRun(t))
		time.Sleep(999 * time.Hour)
		if synctest.Wait(); w.Stats().Wakes > 64 { // one a level at most
			t.Errorf("woke %d times in 999 hours", w.Stats().Wakes)
		}
	})
}

// A jump of a year costs a step for every timer, not for every tick.
func TestDefect17(t *testing.T) {
	for _, scheme := range sleepers {
		inBubble(t, timewheel.Config{Scheme: scheme, Tick: time.Microsecond, Run: timewheel.RunInline}, func(t *testing.T, w *timewheel.Wheel) {
			r := newRecord()
			const year = 365 * 24 * time.Hour // 31,536,000,000,000 ticks
			for range 10 {
				w.AfterFunc(year, r.run)
			}
			w.Every(time.Microsecond, r.run)
			w.Pause()
			time.Sleep(year)
			w.Resume()
			r.mustBe(t, strings.TrimSpace(strings.Repeat("8760h0m0s ", 11)))
			w.Pause() // the repeating one would go on
		})
	}
}

// A hundred thousand timers in one tick cost as much each as elsewhere, to set, to
// stop and to fire, in time and in memory.
func TestDefect18(t *testing.T) {
	const n = 100_000
	for _, scheme := range []timewheel.Scheme{timewheel.Hierarchical, timewheel.Hashed, timewheel.Ticking, timewheel.DelayQueue, timewheel.Heap} {
		w := timewheel.New(timewheel.Config{Scheme: scheme, Tick: time.Hour, Shards: 1, Run: timewheel.RunInline})
		timers := make([]timewheel.Timer, n)
		before, began := liveHeap(), time.Now()
		for i := range timers {
			timers[i] = w.AfterFunc(time.Hour, nothing)
		}
		if each := float64(liveHeap()-before) / n; each > 128 {
			t.Errorf("%v: %.0f bytes each", scheme, each)
		}
		for i := range n / 2 {
			timers[(i*7919)%n].Stop()
		}
		var fired atomic.Int64
		for range n {
			w.AfterFunc(0, func() { fired.Add(1) })
		}
		for fired.Load() < n && time.Since(began) < 20*time.Second {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > 10*time.Second { // a scan for each would take minutes
			t.Errorf("%v: %d timers of one tick took %v", scheme, n, took)
		}
		stop(t, w)
	}
}

// However many shards there are, and wherever a timer lies, the driver does not
// sleep over it.
func TestDefect19(t *testing.T) {
	const tick = time.Millisecond
	for _, shards := range []int{1, 4, 64, 256} {
		inBubble(t, timewheel.Config{Tick: tick, Shards: shards}, func(t *testing.T, w *timewheel.Wheel) {
			start := time.Now()
			var adders sync.WaitGroup
			var count atomic.Int64
			const goroutines, rounds = 64, 100
			for g := range time.Duration(goroutines) {
				adders.Go(func() {
					for round := range time.Duration(rounds) {
						time.Sleep(tick) // all wake at the instant at which the driver falls asleep
						d := (goroutines - g + round%7) * tick
						due := time.Since(start) + d
						w.AfterFunc(d, func() {
							count.Add(1)
							if at := time.Since(start); at != due {
								t.Errorf("%d shards: due %v fired at %v", shards, due, at)
							}
						})
					}
				})
			}
			adders.Wait()
			time.Sleep(2 * goroutines * tick)
			if synctest.Wait(); count.Load() != goroutines*rounds {
				t.Errorf("%d shards: %d fired, want %d", shards, count.Load(), goroutines*rounds)
			}
		})
	}
}

// A repeating timer keeps its phase through lateness and jumps, and replays missed
// times only if asked to.
func TestDefect20(t *testing.T) {
	for missed, want := range map[timewheel.Missed]string{
		timewheel.Skip:  "700ms 8h0m0.3s 8h0m0.8s 8h0m1.5s",
		timewheel.Shift: "700ms 8h0m0.3s 8h0m1s 8h0m1.7s",
	} {
		inBubble(t, timewheel.Config{Tick: 10 * time.Millisecond}, func(t *testing.T, w *timewheel.Wheel) {
			r := newRecord()
			w.Repeat(700*time.Millisecond, 4, r.run, timewheel.OnMissed(missed))
			time.Sleep(time.Second)
			w.Pause()
			time.Sleep(8*time.Hour - 700*time.Millisecond)
			w.Resume()
			time.Sleep(time.Minute)
			r.mustBe(t, want)
		})
	}
	inBubble(t, timewheel.Config{Tick: 10 * time.Millisecond}, func(t *testing.T, w *timewheel.Wheel) {
		const n, interval = 100_000, 33333 * time.Microsecond // no multiple of the tick
		start, count := time.Now(), time.Duration(0)
		w.Repeat(interval, n, func() {
			if count++; time.Since(start) != tickAfter(count*interval, 10*time.Millisecond) {
				t.Fatalf("time %d came at %v", count, time.Since(start))
			}
		})
		time.Sleep(n*interval + time.Second)
		if synctest.Wait(); count != n {
			t.Errorf("ran %d times", count)
		}
	})
}
