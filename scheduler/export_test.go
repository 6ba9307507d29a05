package scheduler

import "time"

// UseZones has schedules worked out with other zone data than the program's. It
// is to be called before there are any.
func (s *Scheduler) UseZones(version string, load func(name string) (*time.Location, error)) {
	s.rules = newRules()
	s.rules.version, s.rules.load = version, load
}
