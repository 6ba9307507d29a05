package main

import "time"

// std is package time, the baseline.
type std struct{}

func packageTime() rival {
	return rival{
		name:    baseline,
		measure: measurements(traits{rearms: true}, func() timers[*time.Timer] { return std{} }),
	}
}

func (std) AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }
func (std) Stop(t *time.Timer) bool                         { return t.Stop() }
func (std) Reset(t *time.Timer, d time.Duration) bool       { return t.Reset(d) }
