package main

import (
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/collection"
)

const (
	goZeroTick = time.Millisecond
	// goZeroSlots makes a turn of its one wheel 65 s long. It counts turns down for
	// what lies further ahead, at every timer of a slot whenever the slot comes by.
	goZeroSlots = 1 << 16
)

// goZeroTimers is go-zero's core/collection.TimingWheel. Its timers have keys; a
// number makes one. The handle is the number in the interface that its methods
// take, so that it is put there once and not anew at each call.
type goZeroTimers struct {
	wheel *collection.TimingWheel
	last  atomic.Uint64 // the last key given out
}

func goZero() rival {
	return rival{name: "go-zero", measure: measurements(traits{mute: true}, func() timers[any] { return newGoZeroTimers() })}
}

func newGoZeroTimers() *goZeroTimers {
	wheel, err := collection.NewTimingWheel(goZeroTick, goZeroSlots, func(_, value any) { value.(func())() })
	must(err)
	return &goZeroTimers{wheel: wheel}
}

func (t *goZeroTimers) AfterFunc(d time.Duration, f func()) any {
	key := any(t.last.Add(1))
	must(t.wheel.SetTimer(key, f, max(d, 1))) // it takes no delay of zero or less
	return key
}

func (t *goZeroTimers) Stop(key any) bool {
	must(t.wheel.RemoveTimer(key))
	return true
}

func (t *goZeroTimers) Reset(key any, d time.Duration) bool {
	must(t.wheel.MoveTimer(key, max(d, 1)))
	return true
}
