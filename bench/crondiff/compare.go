package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// difference is an answer of a rival that is not ours.
type difference struct {
	Rival  string
	Trial  trial
	After  int64 // the instant asked about; all instants are Unix seconds
	Ours   int64
	Theirs int64 // none if Fault is set
	Fault  string
}

// The faults that are no answer. Errors of a rival are faults in its own words.
const (
	faultNone  = "no occurrence"
	faultStuck = "does not return"
)

// comparison is what came of one trial.
type comparison struct {
	Compared    int // answers
	Refused     bool
	Differences []difference
}

// compare asks a rival and us about the same instants. Each next one is the
// earlier answer, so that what either invents is asked about as well. It tells
// watch what it is about to ask.
func compare(r rival, t trial, watch func(difference)) (comparison, error) {
	zone := mustLoad(t.Zone)
	theirs, err := r.open(t.Expr, zone)
	if errors.Is(err, errRefused) {
		return comparison{Refused: true}, nil
	} else if err != nil {
		return comparison{}, err
	}
	ours, err := recurrence.Cron(t.Expr.String(), recurrence.In(zone))
	if err != nil {
		return comparison{}, fmt.Errorf("%s: %w", t.Expr, err)
	}
	var c comparison
	after := time.Unix(t.After, 0).In(zone)
	for range occurrencesPerTrial {
		d := difference{Rival: r.name, Trial: t, After: after.Unix()}
		at := ours.Next(after)
		d.Ours = at.Unix()
		d.Fault = faultStuck
		watch(d)
		d.Theirs, d.Fault = ask(theirs, after)
		c.Compared++
		if d.Fault != "" || d.Theirs != d.Ours {
			c.Differences = append(c.Differences, d)
		}
		if d.Fault == "" && d.Theirs > d.After && d.Theirs < d.Ours {
			at = time.Unix(d.Theirs, 0).In(zone)
		}
		after = at
	}
	return c, nil
}

// ask returns the answer, or why there is none.
func ask(theirs next, after time.Time) (at int64, fault string) {
	defer func() {
		if p := recover(); p != nil {
			at, fault = 0, fmt.Sprintf("panic: %v", p)
		}
	}()
	t, err := theirs(after)
	switch {
	case err != nil:
		return 0, err.Error()
	case t.IsZero():
		return 0, faultNone
	default:
		return t.Unix(), ""
	}
}
