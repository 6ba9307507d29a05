package main

import (
	"slices"
	"time"
)

// expectation is what must be seen of a timer, given what its calls reported.
type expectation struct {
	least, most int
	// notBefore are the earliest instants of the first fire, the second, …; sorted.
	notBefore []time.Duration
}

// expects returns what must be seen of the timer.
//
// Which due a fire is for can't be told from outside, where there may be two;
// but of two fires the later one can't be before the later due.
func (m *target[H]) expects(is traits) expectation {
	once := func(due time.Duration) expectation { return expectation{1, 1, []time.Duration{due}} }
	switch {
	case m.meddling == leave:
		return once(m.due)
	case m.meddling == stop && is.mute:
		return expectation{0, 1, []time.Duration{m.due}}
	case m.meddling == stop && m.said:
		return expectation{0, 0, nil}
	case m.meddling == stop:
		return once(m.due)
	case is.mute:
		return once(min(m.due, m.resets))
	case m.said:
		return once(m.resets)
	case is.rearms:
		return expectation{2, 2, []time.Duration{min(m.due, m.resets), max(m.due, m.resets)}}
	default:
		return once(m.due)
	}
}

// verdict counts the timers of which something else was seen.
func (s *stressed[H]) verdict(is traits) figures {
	f := figures{"early": 0, "lost": 0, "doubled": 0}
	if !is.mute {
		f["after_stop"] = 0
	}
	for i := range s.timers {
		for _, fault := range s.timers[i].faults(is) {
			f[fault]++
		}
	}
	return f
}

// faults returns the names of what the timer has done wrong.
func (m *target[H]) faults(is traits) []string {
	want, fires := m.expects(is), int(m.fires.Load())
	var faults []string
	switch {
	case fires > 0 && want.most == 0:
		return []string{"after_stop"}
	case fires < want.least:
		faults = append(faults, "lost")
	case fires > want.most:
		faults = append(faults, "doubled")
	}
	if m.early(want) {
		faults = append(faults, "early")
	}
	return faults
}

// early reports whether a fire came before the instant that it may come at.
func (m *target[H]) early(want expectation) bool {
	var fired []time.Duration
	for k := range min(int(m.fires.Load()), len(m.fired)) {
		fired = append(fired, time.Duration(m.fired[k].Load()))
	}
	slices.Sort(fired)
	for k := range min(len(fired), len(want.notBefore)) {
		if fired[k] < want.notBefore[k] {
			return true
		}
	}
	return false
}
