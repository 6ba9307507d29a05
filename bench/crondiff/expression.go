package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"
)

// expression is a cron expression that was made up, with what it means: whoever
// made it need not parse it.
type expression struct {
	Minute, Hour, Day, Month, Weekday field
}

// field is one field: its text and the set of its values, bit v for v.
type field struct {
	Text    string
	Set     uint64
	Star    bool // the whole field is *
	Repeats bool // it has a * or a step
	Step    bool // the whole field is */n
}

func (e expression) String() string {
	return strings.Join([]string{e.Minute.Text, e.Hour.Text, e.Day.Text, e.Month.Text, e.Weekday.Text}, " ")
}

// both reports whether both day fields name days, so that the rule about them
// matters.
func (e expression) both() bool { return !e.Day.Star && !e.Weekday.Star }

// starSteps reports whether both day fields name days, one of them as */n.
func (e expression) starSteps() bool { return e.both() && (e.Day.Step || e.Weekday.Step) }

// matches reports whether the wall clock shows a time that e names, where a day
// that either field names is enough.
func (e expression) matches(wall time.Time) bool {
	return e.matchesDate(wall) && has(e.Hour, wall.Hour()) && has(e.Minute, wall.Minute()) && wall.Second() == 0
}

func (e expression) matchesDate(wall time.Time) bool {
	day, weekday := has(e.Day, wall.Day()), has(e.Weekday, int(wall.Weekday()))
	if e.both() {
		return has(e.Month, int(wall.Month())) && (day || weekday)
	}
	return has(e.Month, int(wall.Month())) && day && weekday
}

// matchesBoth is matches where both day fields must name the day.
func (e expression) matchesBoth(wall time.Time) bool {
	return e.matches(wall) && has(e.Day, wall.Day()) && has(e.Weekday, int(wall.Weekday()))
}

// fixed reports whether e names certain times of the day: those that clocks skip
// or show twice are run once then.
func (e expression) fixed() bool { return !e.Minute.Repeats && bits.OnesCount64(e.Hour.Set) < 24 }

func has(f field, v int) bool { return f.Set>>v&1 == 1 }

// maker makes expressions up.
type maker struct{ *rand.Rand }

var (
	weekdays = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
	months   = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
)

func (m maker) expression() expression {
	e := expression{
		Minute: m.field(0, 59, nil, 15),
		Hour:   m.field(0, 23, nil, 20),
		Day:    m.field(1, 31, nil, 55),
		Month:  m.field(1, 12, months, 75),
	}
	// Both day fields at once are the exception, as they are in life.
	stars := 90
	if e.Day.Star {
		stars = 40
	}
	e.Weekday = m.field(0, 6, weekdays, stars)
	if m.IntN(3) == 0 { // the hours at which clocks change
		e.Hour = m.listed(0, 3, nil, 1)
	}
	return e
}

// field makes up a field with values from low to high; stars of a hundred are *.
// Names are written instead of numbers: dialects agree on them.
func (m maker) field(low, high int, names []string, stars int) field {
	switch roll := m.IntN(100); {
	case roll < stars:
		return field{Text: "*", Set: span(low, high, 1), Star: true, Repeats: true}
	case roll < stars+(100-stars)/6:
		step := 2 + m.IntN((high-low)/2)
		return field{Text: fmt.Sprintf("*/%d", step), Set: span(low, high, step), Repeats: true, Step: true}
	case roll < stars+(100-stars)/3:
		return m.ranged(low, high, names)
	default:
		return m.listed(low, high, names, 1+m.IntN(1+m.IntN(4)))
	}
}

// ranged makes a range, half of them with a step. A range of all values is not
// made: whether it is the same as * is where dialects part.
func (m maker) ranged(low, high int, names []string) field {
	a := low + m.IntN(high-low)
	b := a + 1 + m.IntN(high-a)
	if b-a == high-low {
		b--
	}
	f := field{Text: word(a, low, names) + "-" + word(b, low, names), Set: span(a, b, 1)}
	if step := 2 + m.IntN(5); step < b-a && m.IntN(2) == 0 { // one refuses greater steps
		f.Text += fmt.Sprintf("/%d", step)
		f.Set, f.Repeats = span(a, b, step), true
	}
	return f
}

func (m maker) listed(low, high int, names []string, n int) field {
	var f field
	for i := range n {
		v := low + m.IntN(high-low+1)
		if i > 0 {
			f.Text += ","
		}
		f.Text += word(v, low, names)
		f.Set |= 1 << v
	}
	return f
}

func word(v, low int, names []string) string {
	if names == nil {
		return fmt.Sprint(v)
	}
	return names[v-low]
}

func span(from, to, step int) uint64 {
	var set uint64
	for v := from; v <= to; v += step {
		set |= 1 << v
	}
	return set
}
