package scheduler

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// listed is a rule whose occurrences are a few instants, in order.
type listed []task.Instant

func (l listed) Next(after time.Time) time.Time {
	i, _ := slices.BinarySearchFunc(l, after, func(at task.Instant, t time.Time) int {
		return cmp.Or(at.Time().Compare(t), -1)
	})
	return l.at(i)
}

func (l listed) Previous(before time.Time) time.Time {
	i, _ := slices.BinarySearchFunc(l, before, func(at task.Instant, t time.Time) int { return at.Time().Compare(t) })
	return l.at(i - 1)
}

func (l listed) at(i int) time.Time {
	if i < 0 || i >= len(l) {
		return time.Time{}
	}
	return l[i].Time()
}

// spaced lists n instants.
func spaced(n int, gap func(i int) task.Instant) (l listed) {
	at := task.Instant(1_000_000)
	for i := range n {
		l = append(l, at)
		at += gap(i)
	}
	return l
}

// naive says in the words of task.Misfire what becomes of the occurrences from
// cursor on.
func naive(t timetable, m task.Misfire, cursor, now task.Instant) (r reckoning) {
	left := slices.Clone(t.rule.(listed))
	left = slices.DeleteFunc(left, func(at task.Instant) bool { return at < cursor })
	for m.Window > 0 && len(left) > 0 && now.Sub(t.due(left[0])) > m.Window {
		left = left[1:]
		r.dropped++
	}
	n := 0
	for n < len(left) && t.due(left[n]) <= now {
		n++
	}
	due := left[:n]
	if left = left[n:]; len(left) > 0 {
		r.cursor = left[0]
	}
	if n == 0 {
		return r
	}
	late := now.Sub(t.due(due[n-1])) > cmp.Or(m.Grace, task.DefaultGrace)
	r.late = now.Sub(t.due(due[0])) > cmp.Or(m.Grace, task.DefaultGrace)
	switch m.Policy {
	case task.MisfireOnce:
		r.fire, r.stands, r.dropped = due[:1], uint32(n-1), r.dropped+uint64(n-1)
	case task.MisfireLast:
		r.fire, r.stands, r.dropped = due[n-1:], uint32(n-1), r.dropped+uint64(n-1)
	case task.MisfireSkip:
		r.late, r.fire, r.dropped = false, due[n-1:], r.dropped+uint64(n-1)
		if late {
			r.fire, r.dropped = nil, r.dropped+1
		}
	case task.MisfireAll:
		over := max(0, n-int(cmp.Or(m.Limit, task.DefaultMisfireLimit)))
		r.fire, r.dropped = due[over:], r.dropped+uint64(over)
		if len(r.fire) > mostAtOnce {
			r.fire, r.cursor = r.fire[:mostAtOnce], r.fire[mostAtOnce]
		}
	}
	return r
}

// edges are the instants at which a reckoning may turn out otherwise, and those a
// microsecond to either side.
func edges(t timetable, m task.Misfire) (all []task.Instant) {
	for i, at := range t.rule.(listed) {
		if i > 5 && i%36 > 1 { // there are many
			continue
		}
		due := t.due(at)
		for _, edge := range []task.Instant{at, due, due.Add(m.Grace), due.Add(task.DefaultGrace), due.Add(m.Window), at.Add(m.Window)} {
			all = append(all, edge-1, edge, edge+1)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestReckoning compares with the naive one at every instant that matters.
func TestReckoning(t *testing.T) {
	rules := map[string]listed{
		"alone":  spaced(1, func(int) task.Instant { return 0 }),
		"close":  spaced(4, func(int) task.Instant { return 1 }),
		"even":   spaced(6, func(int) task.Instant { return 60_000_000 }),
		"uneven": spaced(6, func(i int) task.Instant { return []task.Instant{1, 1000, 59_999_999, 3_600_000_000, 7}[i%5] }),
		"many":   spaced(130, func(int) task.Instant { return 1_000_000 }),
	}
	for name, rule := range rules {
		for _, jitter := range []time.Duration{0, time.Microsecond, 90 * time.Second} {
			tt := timetable{rule: rule, jitter: jitter, seed: "q/" + name}
			t.Run(fmt.Sprint(name, " ", jitter), func(t *testing.T) {
				inOrder(t, tt)
				everyMisfire(func(m task.Misfire) { compareReckonings(t, tt, m) })
			})
		}
	}
}

func inOrder(t *testing.T, tt timetable) {
	rule := tt.rule.(listed)
	for i, at := range rule {
		due := tt.due(at)
		if due < at || due.Sub(at) > tt.jitter || i > 0 && tt.due(rule[i-1]) >= due {
			t.Fatalf("occurrence %d at %d is due at %d", i, at, due)
		}
	}
}

func everyMisfire(f func(task.Misfire)) {
	for policy := range task.MisfirePolicies {
		for _, window := range []time.Duration{0, time.Microsecond, time.Minute, time.Hour} {
			for _, grace := range []time.Duration{0, time.Microsecond, time.Hour} {
				m := task.Misfire{Policy: task.MisfirePolicy(policy), Window: window, Grace: grace}
				if f(m); m.Policy == task.MisfireAll {
					for _, m.Limit = range []uint32{1, 2, 99, 110} {
						f(m)
					}
				}
			}
		}
	}
}

func compareReckonings(t *testing.T, tt timetable, m task.Misfire) {
	rule := tt.rule.(listed)
	cursors := rule
	if len(rule) > 6 {
		cursors = listed{rule[10]}
	}
	for _, now := range edges(tt, m) {
		for _, cursor := range cursors {
			got, want := reckon(tt, m, cursor, now, false), naive(tt, m, cursor, now)
			if len(got.fire) == 0 && len(want.fire) == 0 {
				got.fire, want.fire = nil, nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v, from %d, at %d:\n got %+v\nwant %+v", m, cursor, now, got, want)
			}
		}
	}
}

// endless is every second, without an end.
type endless struct{}

func (endless) Next(after time.Time) time.Time { return after.Truncate(time.Second).Add(time.Second) }

func (endless) Previous(before time.Time) time.Time {
	return before.Add(-1).Truncate(time.Second)
}

// TestReckoningIsBounded: of a hundred years of seconds only so many are looked
// at.
func TestReckoningIsBounded(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	tt := timetable{rule: endless{}}
	from := task.FloorInstant(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, m := range []task.Misfire{
		{},
		{Policy: task.MisfireLast},
		{Policy: task.MisfireSkip},
		{Policy: task.MisfireAll},
		{Policy: task.MisfireAll, Limit: task.MaxMisfireLimit},
		{Window: task.MaxRetention},
		{Policy: task.MisfireAll, Window: task.MaxRetention},
	} {
		r := reckon(tt, m, from, from.Add(century), false)
		if r.dropped > 2*mostCounted || len(r.fire) > mostAtOnce || r.cursor <= from {
			t.Errorf("%+v: %d become tasks, %d dropped, goes on at %s", m, len(r.fire), r.dropped, r.cursor.Time())
		}
	}
}

// TestDrain: turns come at the rate, one after another, and go back with the
// clock.
func TestDrain(t *testing.T) {
	d := newDrain(10)
	now := task.Instant(1_000_000_000_000_000)
	if n, _ := d.turn("q", now, 100); n != 2 { // what was not used of the last 100 ms, and one
		t.Errorf("%d may come at once", n)
	}
	for i, want := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond} {
		if n, at := d.turn("q", now, 100); n != 0 || at.Sub(now) != want {
			t.Errorf("turn %d: %d come at once, one after %s, want %s", i, n, at.Sub(now), want)
		}
	}
	now = now.Add(24 * time.Hour)
	if n, _ := d.turn("q", now, 1); n != 1 {
		t.Error("a day later there is a line")
	}
	d.turn("q", now, 100)
	now = now.Add(-24 * time.Hour)
	if _, at := d.turn("q", now, 0); at.Sub(now) > time.Second {
		t.Errorf("a turn comes %s after the clock was set back", at.Sub(now))
	}
}

// TestLinesShareTheRate: a short line does not wait for a long one.
func TestLinesShareTheRate(t *testing.T) {
	d := newDrain(100)
	now := task.Instant(1_000_000_000_000_000)
	for range 10_000 {
		d.turn("long", now, 1)
	}
	var last task.Instant
	for range 10 {
		if n, at := d.turn("short", now, 1); n == 0 {
			last = at
		}
	}
	if wait := last.Sub(now); wait <= 0 || wait > time.Second {
		t.Errorf("the last of ten waits %s", wait)
	}
}
