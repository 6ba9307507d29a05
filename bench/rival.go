package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// timers is what a rival must be able to do to be measured. H is its handle of
// one timer, held by the caller as its users would hold it.
type timers[H any] interface {
	// AfterFunc calls f when d has passed; a d of zero or less means at once.
	AfterFunc(d time.Duration, f func()) H
	// Stop takes the timer out, and reports whether it came in time.
	Stop(h H) bool
	// Reset moves the timer to d from now, and reports whether it came in time.
	Reset(h H, d time.Duration) bool
}

// traits are what the workloads must know of a rival to judge it fairly.
type traits struct {
	// mute: its Stop and Reset do not tell whether they came in time.
	mute bool
	// rearms: its Reset sets a timer that has fired once more.
	rearms bool
}

// rival is one kind of timers that is measured.
type rival struct {
	name string
	// variant: differs from another rival in how callbacks run, and in nothing
	// else, so it is measured only where timers fire.
	variant bool
	// measure holds the workloads, by name, as they are for this rival.
	measure map[string]func(plan) figures
}

// baseline is the rival that ratios are to.
const baseline = "time"

// rivals are all that can be measured, in the order of the table's columns.
func rivals() []rival {
	return slices.Concat(ours(), []rival{packageTime(), goZero(), plainHeap()})
}

// measurements makes the workloads of one rival, whose timers open makes.
func measurements[H any](is traits, open func() timers[H]) map[string]func(plan) figures {
	return map[string]func(plan) figures{
		"addcancel":    func(p plan) figures { return addCancel(open(), p) },
		"cancelrandom": func(p plan) figures { return cancelRandom(open(), p) },
		"resetrandom":  func(p plan) figures { return resetRandom(open(), p) },
		"memory":       func(p plan) figures { return memory(open(), p) },
		"gc":           func(p plan) figures { return collect(open(), p) },
		"burst":        func(p plan) figures { return burst(open(), p) },
		"lateness":     func(p plan) figures { return lateness(open(), p) },
		"idle":         func(p plan) figures { return idle(open(), p) },
		"stress":       func(p plan) figures { return stress(open(), is, p) },
	}
}

// named returns those of all whose names stand in the list, separated by
// commas, in the order of all; an empty list means all of them.
func named[T any](what string, all []T, name func(T) string, list string) ([]T, error) {
	if list == "" {
		return all, nil
	}
	wanted := strings.Split(list, ",")
	known := make([]string, 0, len(all))
	var chosen []T
	for _, one := range all {
		known = append(known, name(one))
		if slices.Contains(wanted, name(one)) {
			chosen = append(chosen, one)
		}
	}
	for _, w := range wanted {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("there is no %s %q; take some of %s", what, w, strings.Join(known, ","))
		}
	}
	return chosen, nil
}

func rivalsNamed(list string) ([]rival, error) {
	return named("rival", rivals(), func(r rival) string { return r.name }, list)
}
