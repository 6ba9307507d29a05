//go:build !linux

package timewheel

import "time"

const countsSuspend = false

func newAlarm(w *Wheel) alarm { return newSoftAlarm(w.now) }

func bootClock() func() time.Duration { return nil }
