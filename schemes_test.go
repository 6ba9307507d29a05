package timewheel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// geometries are the shapes that each scheme is tested in: its default, the
// smallest, and one between.
var geometries = map[timewheel.Scheme][]timewheel.Geometry{
	timewheel.Hierarchical: {{}, {Slots: 2}, {Slots: 8}},
	timewheel.Hashed:       {{}, {Slots: 2}, {Slots: 16}},
	timewheel.Ticking:      {{}, {Slots: 2}, {Slots: 8}},
	timewheel.DelayQueue:   {{}, {Slots: 2}, {Slots: 16}},
	timewheel.Heap:         {{}},
	timewheel.List:         {{}},
}

// sleepers are the schemes that don't wake while nothing is due; with the others a
// long span of a bubble's time takes long.
var sleepers = []timewheel.Scheme{timewheel.Hierarchical, timewheel.DelayQueue, timewheel.Heap, timewheel.List}

// inEveryScheme runs a test in a bubble for each scheme and geometry.
func inEveryScheme(t *testing.T, cfg timewheel.Config, test func(t *testing.T, w *timewheel.Wheel)) {
	t.Helper()
	inSchemes(t, timewheel.Schemes(), cfg, test)
}

func inSchemes(t *testing.T, schemes []timewheel.Scheme, cfg timewheel.Config, test func(t *testing.T, w *timewheel.Wheel)) {
	t.Helper()
	for _, scheme := range schemes {
		for _, geometry := range geometries[scheme] {
			t.Run(fmt.Sprintf("%v/slots=%d", scheme, geometry.Slots), func(t *testing.T) {
				cfg := cfg
				cfg.Scheme, cfg.Geometry = scheme, geometry
				inBubble(t, cfg, test)
			})
		}
	}
}

func TestEverySchemeHasGeometries(t *testing.T) {
	for _, scheme := range timewheel.Schemes() {
		if len(geometries[scheme]) == 0 {
			t.Errorf("%v is not tested", scheme)
		}
	}
}

// tickAfter returns the first whole tick at or after an instant.
func tickAfter(at, tick time.Duration) time.Duration { return (at + tick - 1) / tick * tick }

// Each timer fires in its tick, to the nanosecond: not before its delay has passed
// and not a tick later.
func TestSchemesFireInTheTick(t *testing.T) {
	const tick = time.Millisecond
	inEveryScheme(t, timewheel.Config{Tick: tick}, func(t *testing.T, w *timewheel.Wheel) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		start := time.Now()
		var f fired
		const n = 1000
		for range n {
			time.Sleep(time.Duration(random.Int64N(int64(tick))))
			d := time.Duration(random.Int64N(int64(time.Second))) >> random.IntN(30)
			want := tickAfter(time.Since(start)+d, tick)
			w.AfterFunc(d, func() {
				f.note()
				if at := time.Since(start); at != want && d > 0 {
					t.Errorf("seed %d: a delay of %v fired at %v, want %v", seed, d, at, want)
				}
			})
		}
		time.Sleep(time.Second)
		if got := f.times(); got != n {
			t.Errorf("seed %d: %d of %d fired", seed, got, n)
		}
	})
}

// Every slot and level edge of the small geometries, and one tick beside it.
func TestSchemesAtTheEdgesOfTheirLevels(t *testing.T) {
	const tick = time.Second
	inEveryScheme(t, timewheel.Config{Tick: tick, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		var ticks []time.Duration
		for shift := range 13 {
			for beside := time.Duration(-1); beside <= 1; beside++ {
				ticks = append(ticks, 1<<shift+beside)
			}
		}
		for _, offset := range []time.Duration{0, 1, 63, 64, 65, 511, 4095} {
			time.Sleep(offset * tick)
			start := time.Now()
			var f fired
			for _, n := range ticks {
				w.AfterFunc(n*tick, func() {
					f.note()
					if at := time.Since(start); at != n*tick {
						t.Errorf("offset %d: %d ticks fired after %v", offset, n, at)
					}
				})
			}
			time.Sleep(1 << 13 * tick)
			if got := f.times(); got != len(ticks) {
				t.Errorf("offset %d: %d of %d fired", offset, got, len(ticks))
			}
		}
	})
}

func TestSchemesFireInOrder(t *testing.T) {
	cfg := timewheel.Config{Tick: time.Millisecond, Shards: 1, Run: timewheel.RunInline}
	inEveryScheme(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		var order []time.Duration
		const n = 2000
		set := func(from, to int64) {
			for range n {
				d := time.Duration(from+random.Int64N(to-from)) * time.Millisecond
				due := tickAfter(time.Duration(time.Now().UnixNano())+d, time.Millisecond)
				w.AfterFunc(d, func() { order = append(order, due) })
			}
		}
		set(1, 1000)
		w.AfterFunc(500*time.Millisecond, func() {
			set(600, 1500)
			time.Sleep(300 * time.Millisecond) // the rest comes in one advance
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(order) != 2*n || !slices.IsSorted(order) {
			t.Errorf("seed %d: %d of %d fired, in order: %t", seed, len(order), 2*n, slices.IsSorted(order))
		}
	})
}

// Timers are set, stopped and reset at random against a plain account of what must
// become of each.
func TestSchemesStopAndReset(t *testing.T) {
	const tick = time.Millisecond
	inEveryScheme(t, timewheel.Config{Tick: tick}, func(t *testing.T, w *timewheel.Wheel) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		start := time.Now()
		type one struct {
			timer timewheel.Timer
			due   time.Duration // at this tick; -1 if stopped
			ran   bool
		}
		var all []*one
		for range 3000 {
			d := time.Duration(random.Int64N(int64(200*time.Millisecond))) + 1
			due := tickAfter(time.Since(start)+d, tick)
			switch {
			case len(all) < 20 || random.IntN(3) == 0:
				o := &one{due: due}
				o.timer = w.AfterFunc(d, func() {
					if at := time.Since(start); at != o.due || o.ran {
						t.Errorf("seed %d: fired at %v, want %v; before: %t", seed, at, o.due, o.ran)
					}
					o.ran = true
				})
				all = append(all, o)
			case random.IntN(2) == 0:
				o := all[len(all)-1-random.IntN(20)]
				was, over := o.due, o.ran || o.due < 0
				o.due = due // first, since the function reads it
				ok := o.timer.Reset(d)
				if ok == over {
					t.Errorf("seed %d: Reset returned %t", seed, ok)
				}
				if !ok {
					o.due = was
				}
			default:
				o := all[len(all)-1-random.IntN(20)]
				over := o.ran || o.due < 0
				if ok := o.timer.Stop(); ok == over {
					t.Errorf("seed %d: Stop returned %t", seed, ok)
				} else if ok {
					o.due = -1
				}
			}
			time.Sleep(time.Duration(random.Int64N(int64(tick))))
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for _, o := range all {
			if o.ran == (o.due < 0) {
				t.Errorf("seed %d: due %v, ran: %t", seed, o.due, o.ran)
			}
		}
		if n := w.Len(); n != 0 {
			t.Errorf("seed %d: Len is %d at the end", seed, n)
		}
	})
}

// uptime is how many ticks the wheels of the next test have lived through.
const uptime = 200_000_000

// After 200 million ticks, with a timer far beyond them alive all the time, timers
// are as punctual as on the first day. A paused wheel does not wake, so that even
// a scheme that ticks goes through them in one advance.
func TestSchemesAfterALongUptime(t *testing.T) {
	const tick = time.Microsecond
	inEveryScheme(t, timewheel.Config{Tick: tick, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		far := w.AfterFunc(1<<40*tick, mustNotRun(t))
		w.Pause()
		time.Sleep(uptime * tick)
		w.Resume()
		synctest.Wait()
		for _, n := range []time.Duration{1, 2, 3, 63, 64, 65, 511, 512, 4095, 4096, 4097, 20_000} {
			r := newRecord()
			w.AfterFunc(n*tick, r.run)
			time.Sleep((n + 100) * tick)
			r.mustBe(t, (n * tick).String())
		}
		if !far.Stop() {
			t.Error("the far timer was gone")
		}
	})
}

// The same without a pause, where the driver sleeps from one timer to the next.
func TestSchemesThatSleepThroughALongUptime(t *testing.T) {
	const tick = time.Microsecond
	inSchemes(t, sleepers, timewheel.Config{Tick: tick}, func(t *testing.T, w *timewheel.Wheel) {
		far := w.AfterFunc(1<<45*tick, mustNotRun(t))
		for range 10 {
			time.Sleep(uptime / 10 * tick)
			r := newRecord()
			w.AfterFunc(5*tick, r.run)
			w.AfterFunc(70_000*tick, r.run)
			time.Sleep(80_000 * tick)
			r.mustBe(t, "5µs 70ms")
		}
		if !far.Stop() {
			t.Error("the far timer was gone")
		}
	})
}

func TestSchemesTakeAnyDelay(t *testing.T) {
	inEveryScheme(t, timewheel.Config{Tick: time.Hour}, func(t *testing.T, w *timewheel.Wheel) {
		time.Sleep(10*time.Hour + 1)
		var f fired
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			w.AfterFunc(d, f.note)
		}
		if n := f.times(); n != 3 {
			t.Errorf("%d of 3 fired at once", n)
		}
		w.AfterFunc(1, f.note)
		huge := []timewheel.Timer{
			w.AfterFunc(math.MaxInt64, mustNotRun(t)),
			w.AfterFunc(math.MaxInt64-1, mustNotRun(t)),
			w.AfterFunc(math.MaxInt64-10*time.Hour-1, mustNotRun(t)),
			w.At(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), mustNotRun(t)),
			w.AfterFunc(50*365*24*time.Hour, f.note),
		}
		time.Sleep(time.Hour)
		if n := f.times(); n != 4 {
			t.Errorf("%d of 4 fired within an hour", n)
		}
		if !huge[4].Reset(math.MaxInt64) {
			t.Error("Reset to a huge delay returned false")
		}
		time.Sleep(2 * 365 * 24 * time.Hour)
		synctest.Wait()
		for i, timer := range huge {
			if due, ok := timer.Due(); !ok || due.Before(time.Now()) {
				t.Errorf("huge delay %d is due at %v, %t", i, due, ok)
			}
			if !timer.Stop() {
				t.Errorf("huge delay %d has fired", i)
			}
		}
	})
}

// Timers that are handed back are all there, whatever the structure and however
// far they lie.
func TestSchemesHandEverythingBack(t *testing.T) {
	for _, scheme := range timewheel.Schemes() {
		for _, geometry := range geometries[scheme] {
			synctest.Test(t, func(t *testing.T) {
				w := timewheel.New(timewheel.Config{Scheme: scheme, Geometry: geometry, Tick: time.Second})
				random := rand.New(rand.NewPCG(5, 6))
				time.Sleep(100 * time.Second)
				const n = 1000
				for range n {
					w.AfterFunc(time.Duration(random.Int64())>>random.IntN(30)+time.Second, mustNotRun(t))
				}
				pending, err := w.Stop(t.Context())
				sorted := slices.IsSortedFunc(pending, func(a, b timewheel.Pending) int { return a.Due.Compare(b.Due) })
				if err != nil || len(pending) != n || !sorted {
					t.Errorf("%v %+v: handed back %d of %d, in order: %t, error: %v", scheme, geometry, len(pending), n, sorted, err)
				}
			})
		}
	}
}

// Repeating timers ask a structure to set the very timer that expires.
func TestSchemesRepeat(t *testing.T) {
	inEveryScheme(t, timewheel.Config{Tick: time.Second}, func(t *testing.T, w *timewheel.Wheel) {
		for _, n := range []time.Duration{1, 2, 3, 8, 16, 64, 100} {
			r := newRecord()
			want := ""
			for i := range time.Duration(5) {
				want += (n * (i + 1) * time.Second).String() + " "
			}
			w.Repeat(n*time.Second, 5, r.run)
			time.Sleep(10 * n * time.Second)
			r.mustBe(t, want[:len(want)-1])
		}
	})
}

// On the real clock, from many goroutines.
func TestSchemesUnderStress(t *testing.T) {
	const adders, each = 4, 1500
	for _, scheme := range timewheel.Schemes() {
		for _, geometry := range geometries[scheme] {
			for _, tick := range []time.Duration{50 * time.Microsecond, 5 * time.Millisecond} {
				seed := rand.Uint64()
				name := fmt.Sprintf("%v/slots=%d/tick=%v/seed=%d", scheme, geometry.Slots, tick, seed)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					stress(t, timewheel.Config{Scheme: scheme, Geometry: geometry, Tick: tick}, seed, adders, each)
				})
			}
		}
	}
}
