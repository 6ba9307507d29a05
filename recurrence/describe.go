package recurrence

import (
	"fmt"
	"strings"
	"time"
)

// Describe says in English what a rule does: when it has occurrences, in which
// zone, what the day rule makes of two day fields, and what happens when the
// clocks change. The words are for people and may change. A rule that is not of
// this package tells itself if it has a String method.
func Describe(r Rule) string {
	switch r := r.(type) {
	case interface{ describe() string }:
		return r.describe()
	case fmt.Stringer:
		return r.String()
	}
	return fmt.Sprintf("as a %T says", r)
}

func (r *IntervalRule) describe() string {
	return "every " + durationInWords(r.every) + ", counted from " + stamp(r.anchor)
}

func (r *InstantsRule) describe() string {
	const most = 4
	n := len(r.instants)
	if n == 0 {
		return "never"
	}
	if n > most {
		return fmt.Sprintf("at %d instants from %s to %s", n, stamp(r.instants[0]), stamp(r.instants[n-1]))
	}
	words := make([]string, n)
	for i, t := range r.instants {
		words[i] = stamp(t)
	}
	return "at " + enumerate(words)
}

func (u unionRule) describe() string {
	if len(u) == 0 {
		return "never"
	}
	words := make([]string, len(u))
	for i, r := range u {
		words[i] = Describe(r)
	}
	return strings.Join(words, "; and also ")
}

func (e *exceptRule) describe() string {
	if len(e.days.entries) == 0 {
		return Describe(e.rule)
	}
	where := "each one's time zone"
	if e.zone != nil {
		where = e.zone.String()
	}
	return Describe(e.rule) + "; except on " + e.days.describe() + ", by the calendar of " + where
}

func (b *boundRule) describe() string {
	text := Describe(b.rule)
	if !b.start.IsZero() {
		text += "; not before " + stamp(b.start)
	}
	if !b.end.IsZero() {
		text += "; before " + stamp(b.end)
	}
	return text
}

func (t *timesRule) describe() string {
	return fmt.Sprintf("%s; the first %s from %s on", Describe(t.rule), count(t.n, "time"), stamp(t.start))
}

// describe names the entries of the set as they were written.
func (d *Days) describe() string {
	const most = 8
	words := make([]string, 0, most)
	for i, e := range d.entries {
		if i == most-1 && len(d.entries) > most {
			words = append(words, count(len(d.entries)-i, "other entry"))
			break
		}
		words = append(words, e.describe())
	}
	return enumerate(words)
}

func (e dayEntry) describe() string {
	if e.kind == weekdayEntry {
		return e.weekday.String() + "s"
	}
	layout := time.DateOnly
	if e.kind == yearlyEntry {
		layout = "2 January"
	}
	text := e.first.Format(layout)
	if !e.last.Equal(e.first) {
		text += " to " + e.last.Format(layout)
	}
	return text
}
