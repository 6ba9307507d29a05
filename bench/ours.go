package main

import (
	"time"

	"github.com/timewheel-dev/timewheel"
)

// wheelTimers is the wheel of this repository.
type wheelTimers struct{ wheel *timewheel.Wheel }

// ours returns the wheel as it is by default, with a goroutine for each callback,
// and its variants.
func ours() []rival {
	return []rival{
		wheelWith("timewheel", timewheel.Config{}),
		asVariant(wheelWith("timewheel-inline", timewheel.Config{Run: timewheel.RunInline})),
		asVariant(wheelWith("timewheel-pool", timewheel.Config{Run: timewheel.RunPool})),
		asVariant(wheelWith("timewheel-inline-1ms", timewheel.Config{Run: timewheel.RunInline, Tick: time.Millisecond})),
	}
}

func wheelWith(name string, cfg timewheel.Config) rival {
	return rival{name: name, measure: measurements(traits{}, func() timers[timewheel.Timer] {
		return wheelTimers{timewheel.New(cfg)}
	})}
}

func asVariant(r rival) rival {
	r.variant = true
	return r
}

func (w wheelTimers) AfterFunc(d time.Duration, f func()) timewheel.Timer {
	return w.wheel.AfterFunc(d, f)
}

func (wheelTimers) Stop(t timewheel.Timer) bool { return t.Stop() }

func (wheelTimers) Reset(t timewheel.Timer, d time.Duration) bool { return t.Reset(d) }
