package scheduler

import (
	"cmp"

	"github.com/timewheel-dev/timewheel/task"
)

// Bounds on what one look at a schedule does.
const (
	mostCounted = 10_000 // missed occurrences are counted up to here
	mostAtOnce  = 100    // occurrences that become tasks; the rest at the next turn
)

// reckoning is what becomes of the occurrences of a schedule that are due.
type reckoning struct {
	fire    []task.Instant // those that become tasks, in order
	stands  uint32         // how many others the one in fire stands for
	dropped uint64         // those that become nothing: the count of stands among them
	late    bool           // some of fire were missed: they take their turn
	cursor  task.Instant   // the first that was not decided on; 0: none is left
}

// reckon decides on what is due at now: the occurrences from cursor on, whose due
// instant has come.
//
//	      first                latest   now
//	────────┼──────┼──────┼──────┼───────┼──▶
//	 once   ▪                                the first stands for all
//	 last                        ▪
//	 all    ▪      ▪      ▪      ▪           the newest Limit of them
//	 skip                        ▪           unless it is late by more than Grace
//
// Alone and late by no more than Grace, the first is simply on time.
//
// Of one whose turn it is, all was decided before but what the newest are.
func reckon(t timetable, m task.Misfire, cursor, now task.Instant, turn bool) reckoning {
	first, dropped := cursor, uint64(0)
	if edge := now.Add(-m.Window); m.Window > 0 && t.due(cursor) < edge {
		first = t.ahead(edge - 1)
		dropped = count(t, cursor, cmp.Or(first, edge)-1, mostCounted)
	}
	if first == 0 || t.due(first) > now {
		return reckoning{dropped: dropped, cursor: first}
	}
	latest := t.latest(first, now)
	late := now.Sub(t.due(latest)) > cmp.Or(m.Grace, task.DefaultGrace)
	r := reckoning{dropped: dropped, late: now.Sub(t.due(first)) > cmp.Or(m.Grace, task.DefaultGrace), cursor: t.next(latest)}
	others := func() uint64 { return count(t, first, latest-1, mostCounted) }
	switch m.Policy {
	case task.MisfireOnce:
		r.fire, r.stands = []task.Instant{first}, uint32(others())
		r.dropped += uint64(r.stands)
	case task.MisfireLast:
		r.fire, r.stands = []task.Instant{latest}, uint32(others())
		r.dropped += uint64(r.stands)
	case task.MisfireSkip:
		r.late = false
		r.dropped += others()
		if late {
			r.dropped++
		} else {
			r.fire = []task.Instant{latest}
		}
	case task.MisfireAll:
		if !turn {
			first = r.newest(t, first, latest, int(cmp.Or(m.Limit, task.DefaultMisfireLimit)))
		}
		r.fireAll(t, first, latest)
	}
	return r
}

// newest drops all but the newest limit of the occurrences from first to latest, and
// returns the first that is left.
func (r *reckoning) newest(t timetable, first, latest task.Instant, limit int) task.Instant {
	if count(t, first, latest, limit+1) <= uint64(limit) {
		return first
	}
	newest := latest
	for range limit - 1 {
		newest = t.previous(newest)
	}
	r.dropped += count(t, first, newest-1, mostCounted)
	return newest
}

// fireAll takes the occurrences from first to latest, or as many of them as one
// turn allows.
func (r *reckoning) fireAll(t timetable, first, latest task.Instant) {
	for at := first; at != 0 && at <= latest && len(r.fire) < mostAtOnce; at = t.next(at) {
		r.fire = append(r.fire, at)
	}
	r.cursor = t.next(r.fire[len(r.fire)-1])
}

// latest returns the last occurrence that is due at now; first is one.
func (t timetable) latest(first, now task.Instant) task.Instant {
	at := t.previous(now + 1)
	if t.due(at) > now {
		at = t.previous(at)
	}
	return max(at, first)
}

// count counts the occurrences from first, which is one, to last, up to limit;
// those of an interval all.
func count(t timetable, first, last task.Instant, limit int) (n uint64) {
	if t.every > 0 && first != 0 && first <= last {
		return uint64(last.Sub(first)/t.every) + 1
	}
	for at := first; at != 0 && at <= last && n < uint64(limit); at = t.next(at) {
		n++
	}
	return n
}

// atMost leaves all but the first n of fire to the next turn.
func (r *reckoning) atMost(n int) {
	if len(r.fire) > n {
		r.fire, r.cursor = r.fire[:n], r.fire[n]
	}
}
