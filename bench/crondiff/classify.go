package main

import "time"

// class names what a difference is about.
type class string

// The classes. A gap is what clocks skip, an overlap what they show twice.
const (
	oursWrong      class = "ours is wrong"
	classStuck     class = "never returns"
	classBack      class = "goes back"
	classGivesUp   class = "gives up: far"
	classFails     class = "gives up: near"
	classAnd       class = "and of the day fields"
	gapDropped     class = "gap: dropped"
	gapLate        class = "gap: late"
	gapEarly       class = "gap: before it"
	gapInvented    class = "gap: invented"
	gapLost        class = "gap: loses others"
	overlapTwice   class = "overlap: twice"
	overlapSecond  class = "overlap: loses the second pass"
	overlapFirst   class = "overlap: loses the first pass"
	overlapLost    class = "overlap: loses others"
	overlapInvents class = "overlap: invented"
	laterLost      class = "days later: lost"
	laterInvents   class = "days later: invented"
	classLost      class = "lost"
	classInvented  class = "invented"
)

// nearby is how far from a change of the clocks a difference is taken to be of it.
const nearby = 36 * time.Hour

// farAway is what a rival may be excused for not searching.
const farAway = 4 * 365 * 24 * time.Hour

// classify says what a difference is about.
func classify(d difference) class {
	zone := mustLoad(d.Trial.Zone)
	after, ours, theirs := time.Unix(d.After, 0).In(zone), time.Unix(d.Ours, 0).In(zone), time.Unix(d.Theirs, 0).In(zone)
	e := d.Trial.Expr
	switch {
	case !judge(e, after, ours.Add(time.Minute)).Equal(ours):
		return oursWrong
	case d.Fault == faultStuck:
		return classStuck
	case d.Fault != "" && ours.Sub(after) > farAway:
		return classGivesUp
	case d.Fault != "":
		return classFails
	case !theirs.After(after):
		return classBack
	case d.Rival == gronxName && e.starSteps() && theirs.After(ours) && !e.matchesBoth(wallOf(ours)) && e.matchesBoth(wallOf(theirs)):
		return classAnd
	case theirs.After(ours):
		return pastChange(classifyLost(e, ours, theirs), after, theirs)
	default:
		return pastChange(classifyInvented(e, theirs), after, theirs)
	}
}

// pastChange tells apart what happens on plain days and what happens days after a
// change, when the search for an answer went over it.
func pastChange(of class, after, theirs time.Time) class {
	change, _ := changeIn(after.Add(-24*time.Hour), theirs, after)
	switch {
	case change.IsZero():
		return of
	case of == classLost:
		return laterLost
	case of == classInvented:
		return laterInvents
	default:
		return of
	}
}

// classifyLost is about an occurrence that a rival does not have: its answer is a
// later one.
func classifyLost(e expression, ours, theirs time.Time) class {
	change, grew := changeNear(ours)
	switch {
	case change.IsZero():
		return classLost
	case grew && ours.Equal(change) && !e.matches(wallOf(ours)):
		if e.matches(wallOf(theirs)) {
			return gapDropped
		}
		return gapLate
	case grew:
		return gapLost
	case passOf(ours) == 2:
		return overlapSecond
	case passOf(ours) == 1:
		return overlapFirst
	default:
		return overlapLost
	}
}

// classifyInvented is about an occurrence that only a rival has.
func classifyInvented(e expression, theirs time.Time) class {
	change, grew := changeNear(theirs)
	switch {
	case change.IsZero():
		return classInvented
	case grew && theirs.Before(change):
		return gapEarly
	case grew:
		return gapInvented
	case e.matches(wallOf(theirs)) && passOf(theirs) == 2:
		return overlapTwice
	default:
		return overlapInvents
	}
}

// changeNear returns the change of the offset that is nearest to an instant, if it
// is nearby, and whether clocks went forward.
func changeNear(t time.Time) (change time.Time, grew bool) {
	return changeIn(t.Add(-nearby), t.Add(nearby), t)
}

// changeIn returns the change of the offset in (from, to] that is nearest to t. It
// looks at the offset of every hour, and where that changes at every minute.
func changeIn(from, to, t time.Time) (change time.Time, grew bool) {
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		_, before := at.Zone()
		_, after := at.Add(time.Hour).Zone()
		if before == after {
			continue
		}
		found := at
		for _, offset := found.Zone(); offset == before; _, offset = found.Zone() {
			found = found.Add(time.Minute).Truncate(time.Minute)
		}
		if change.IsZero() || found.Sub(t).Abs() < change.Sub(t).Abs() {
			change, grew = found, after > before
		}
	}
	return change, grew
}

// passOf returns 1 or 2 for an instant whose wall time is shown twice, and 0 for
// all others.
func passOf(t time.Time) int {
	change, grew := changeNear(t)
	if change.IsZero() || grew {
		return 0
	}
	_, before := change.Add(-time.Second).Zone()
	_, after := change.Zone()
	twice := time.Duration(before-after) * time.Second
	switch since := t.Sub(change); {
	case since >= 0 && since < twice:
		return 2
	case since < 0 && since >= -twice:
		return 1
	default:
		return 0
	}
}
