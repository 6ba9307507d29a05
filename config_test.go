package timewheel_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func TestEachFieldOfAConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		cfg  timewheel.Config
		want string
	}{
		{timewheel.Config{Tick: time.Microsecond - 1}, "Config.Tick is 999ns"},
		{timewheel.Config{Tick: time.Hour + 1}, "Config.Tick is 1h0m0.000000001s"},
		{timewheel.Config{Run: timewheel.RunPool + 1}, "Config.Run is 3"},
		{timewheel.Config{Run: 255}, "Config.Run is 255"},
		{timewheel.Config{Workers: -1, Run: timewheel.RunPool}, "Config.Workers is -1"},
		{timewheel.Config{Workers: 1}, "Config.Workers is 1"},
		{timewheel.Config{Workers: 1, Run: timewheel.RunInline}, "Config.Workers is 1"},
		{timewheel.Config{MaxPending: -1}, "Config.MaxPending is -1"},
		{timewheel.Config{MaxPending: math.MinInt}, "Config.MaxPending is -"},
		{timewheel.Config{Shards: -1}, "Config.Shards is -1"},
		{timewheel.Config{Shards: 3}, "Config.Shards is 3"},
		{timewheel.Config{Shards: 512}, "Config.Shards is 512"},
		{timewheel.Config{Shards: math.MinInt}, "Config.Shards is -"},
		{timewheel.Config{Scheme: 99}, "Config.Scheme is 99"},
		{timewheel.Config{Scheme: timewheel.Heap, Geometry: timewheel.Geometry{Slots: 64}}, "a heap has no slots"},
		{timewheel.Config{Scheme: timewheel.List, Geometry: timewheel.Geometry{Levels: 1}}, "a list has no slots"},
	} {
		err := c.cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: Validate() = %v, want the one fault %q", c.cfg, err, c.want)
		}
	}
}

func TestEachGeometryIsChecked(t *testing.T) {
	for scheme, most := range map[timewheel.Scheme]int{
		timewheel.Hierarchical: 64,
		timewheel.Hashed:       1 << 20,
		timewheel.Ticking:      256,
		timewheel.DelayQueue:   1024,
	} {
		for slots, good := range map[int]bool{
			math.MinInt: false, -1: false, 0: true, 1: false, 2: true, 3: false, 63: false, 64: true, 65: false,
			most: true, most - 1: false, 2 * most: false, math.MaxInt: false,
		} {
			err := (timewheel.Config{Scheme: scheme, Geometry: timewheel.Geometry{Slots: slots}}).Validate()
			if (err == nil) != good {
				t.Errorf("%v with %d slots: %v", scheme, slots, err)
			}
		}
		for _, levels := range []int{-1, math.MinInt, math.MaxInt} {
			if err := (timewheel.Config{Scheme: scheme, Geometry: timewheel.Geometry{Levels: levels}}).Validate(); err == nil {
				t.Errorf("%v takes %d levels", scheme, levels)
			}
		}
	}
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	cfg := timewheel.Config{Tick: -1, Run: 9, Workers: -1, MaxPending: -1, Shards: 7, Scheme: 77}
	err := cfg.Validate()
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, field := range []string{"Tick", "Run", "Workers", "MaxPending", "Shards", "Scheme"} {
		if !strings.Contains(err.Error(), "Config."+field) {
			t.Errorf("nothing is said of %s in:\n%v", field, err)
		}
	}
}

func TestBoundsOfAConfigAreGood(t *testing.T) {
	for _, cfg := range []timewheel.Config{
		{},
		{Tick: time.Microsecond, Shards: 1, MaxPending: 1},
		{Tick: time.Hour, Shards: 256, MaxPending: math.MaxInt},
		{Run: timewheel.RunPool, Workers: 1},
		{Run: timewheel.RunPool, Workers: math.MaxInt},
		{Run: timewheel.RunInline, Precise: true},
	} {
		inBubble(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
			r := newRecord()
			w.AfterFunc(time.Hour, r.run)
			time.Sleep(2 * time.Hour)
			r.mustBe(t, "1h0m0s")
		})
	}
}

// Any tick in range, even one that divides nothing, fires at its next multiple.
func TestTicksOfAllSizes(t *testing.T) {
	for _, tick := range []time.Duration{
		time.Microsecond, 1001, 7777, 333 * time.Microsecond, time.Millisecond, 999_999_937,
		time.Second, time.Minute, 59*time.Minute + 1, time.Hour,
	} {
		inBubble(t, timewheel.Config{Tick: tick}, func(t *testing.T, w *timewheel.Wheel) {
			start := time.Now()
			for _, d := range []time.Duration{1, tick - 1, tick, tick + 1, 63 * tick, 64 * tick, 65*tick - 1, 4097 * tick} {
				for range 2 {
					var at time.Duration
					want := (time.Since(start) + d + tick - 1) / tick * tick
					w.AfterFunc(d, func() { at = time.Since(start) })
					time.Sleep(want - time.Since(start))
					if received(nil, start); at != want {
						t.Errorf("tick %d: a delay of %d fired at %d, want %d", tick, d, at, want)
					}
					time.Sleep(tick / 3)
				}
			}
		})
	}
}

func TestSchemesHaveNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, scheme := range timewheel.Schemes() {
		name := scheme.String()
		if seen[name] || name == "" || name != strings.ToLower(name) {
			t.Errorf("scheme %d is called %q", scheme, name)
		}
		seen[name] = true
	}
	if timewheel.Schemes()[0] != (timewheel.Config{}).Scheme {
		t.Error("the first scheme is not the default")
	}
	if got := timewheel.Scheme(200).String(); got != "Scheme(200)" {
		t.Errorf("an unknown scheme is called %q", got)
	}
}

// The options that only the real clock knows, on the real clock.
func TestPreciseAndSuspendAwareWheels(t *testing.T) {
	for _, cfg := range []timewheel.Config{
		{Precise: true, Tick: time.Microsecond},
		{CountSuspend: true},
		{Precise: true, CountSuspend: true, Run: timewheel.RunInline},
		{Precise: true, Run: timewheel.RunPool},
	} {
		if cfg.Validate() != nil {
			continue // CountSuspend is for Linux only
		}
		w := timewheel.New(cfg)
		const n = 50
		early := make(chan time.Duration, n)
		for i := range time.Duration(n) {
			start, d := time.Now(), i*400*time.Microsecond
			w.AfterFunc(d, func() { early <- d - time.Since(start) })
		}
		far := w.AfterFunc(time.Hour, mustNotRun(t))
		for range n {
			select {
			case d := <-early:
				if d > 0 {
					t.Errorf("%+v: %v early", cfg, d)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("%+v: timers got lost", cfg)
			}
		}
		w.Pause()
		w.Resume()
		if !far.Reset(time.Hour) || !far.Stop() {
			t.Errorf("%+v: Reset or Stop returned false", cfg)
		}
		stop(t, w)
	}
}
