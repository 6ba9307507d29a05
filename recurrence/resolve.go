package recurrence

import "time"

// Next returns the first occurrence strictly after an instant, in the rule's time
// zone, or the zero Time if there is none.
func (r *CronRule) Next(after time.Time) time.Time {
	s := newSearch(r)
	return s.next(after)
}

// Previous returns the last occurrence strictly before an instant, in the rule's time
// zone, or the zero Time if there is none.
func (r *CronRule) Previous(before time.Time) time.Time {
	s := newSearch(r)
	return s.previous(before)
}

// search is one search for an occurrence: from span to span, each time asking the
// calendar for the next wall time. Where that is far, it jumps to the spans around it.
type search struct {
	walls
	zone
	rule *CronRule

	wall  int64 // what the calendar said last; -1 at first
	base  int64 // where the search was when the calendar first said so
	trail yearTrail
}

func newSearch(r *CronRule) search {
	return search{walls: walls{calendar: &r.calendar}, zone: zone{r.loc}, rule: r, wall: -1}
}

// Where a search begins at the earliest, and ends at the latest. Zones whose offset
// is more than a century are none.
const (
	firstSecond = minWall - 1<<32
	lastSecond  = maxWall + 1<<32
)

// detour is how long wall times can be behind, or ahead of, what the clocks have
// shown: the difference of two offsets at most.
const detour = 2 * maxOffset

func (s *search) next(after time.Time) time.Time {
	if r := s.rule; r.limited && after.Before(r.first) {
		return r.first
	} else if r.limited && !after.Before(r.last) {
		return time.Time{}
	}
	at := int64(firstSecond)
	if after.After(time.Unix(firstSecond, 0)) {
		at = after.Unix() + 1
	}
	for at <= lastSecond {
		offset := s.offset(at)
		if s.endsGap(at, offset) {
			return s.instant(at)
		}
		wall, end := s.walls.next(at+offset), s.end(at)
		s.found(wall, at)
		if wall != noneAfter && wall-offset < end {
			pass, folded := s.folded(wall-offset, offset)
			if !folded {
				return s.instant(wall - offset)
			}
			at = min(pass.end, end)
			continue
		}
		if at = end; at > s.base+detour {
			at = max(at, sub(wall, maxOffset))
		}
	}
	return time.Time{}
}

func (s *search) previous(before time.Time) time.Time {
	if r := s.rule; r.limited && before.After(r.last) {
		return r.last
	} else if r.limited && !before.After(r.first) {
		return time.Time{}
	}
	at := int64(lastSecond)
	if before.Before(time.Unix(lastSecond, 0)) {
		at = before.Add(-1).Unix()
	}
	for at >= firstSecond {
		offset := s.offset(at)
		wall, start := s.walls.previous(at+offset), s.start(at)
		s.found(wall, at)
		if wall != noneBefore && wall-offset >= start {
			pass, folded := s.folded(wall-offset, offset)
			if !folded {
				return s.instant(wall - offset)
			}
			if pass.start > start {
				at = pass.start - 1
				continue
			}
		}
		if start == alpha {
			break
		}
		if s.endsGap(start, offset) {
			return s.instant(start)
		}
		if at = start - 1; at < s.base-detour {
			at = min(at, add(wall, maxOffset))
		}
	}
	return time.Time{}
}

// endsGap returns whether a gap that ends at an instant holds a time of the rule, and
// the policy is to make up for it. The offset is that from the instant on.
func (s *search) endsGap(at, offset int64) bool {
	if s.rule.gap != GapAfter {
		return false
	}
	old := s.offset(at - 1)
	return old < offset && s.walls.next(at+old) < at+offset
}

// found takes note of what the calendar said when the search was at an instant.
func (s *search) found(wall, at int64) {
	s.steps++
	if wall == s.wall {
		return
	}
	s.wall, s.base = wall, at
	if wall != noneAfter && wall != noneBefore {
		s.barren |= s.enter(wall)
	}
}

// setLimits looks for the rule's first and last occurrence. Knowing them spares Next
// and Previous the searches that would find nothing, the longest of all.
func (r *CronRule) setLimits() {
	r.first = r.Next(time.Time{})
	r.last = r.Previous(time.Unix(lastSecond, 0))
	r.limited = true
}

func (s *search) instant(at int64) time.Time { return time.Unix(at, 0).In(s.loc) }

// yearTrail follows a search through the years, and tells those that it has left
// without an occurrence. A zone can skip every time that a rule names, and the rule
// want that skipped: the search then ends when it has seen all kinds of years,
// not in the year 9999.
type yearTrail struct {
	year  int
	whole bool // the search has seen it all, from its beginning or its end on
}

// enter returns the kind of the year that was left, as a set, if it was seen whole
// and is like all later years of its kind.
func (s *search) enter(wall int64) (barren uint16) {
	day, _ := floorDiv(wall, daySecs)
	year, _, _ := civilDate(day)
	t := &s.trail
	if year == t.year {
		return 0
	}
	if t.whole && t.year >= settledYear && !s.particular(t.year) {
		barren = 1 << kindOf(t.year)
	}
	t.whole = t.year != 0
	t.year = year
	return barren
}

// sub and add leave alone what stands for no wall time.
func sub(wall, seconds int64) int64 {
	if wall == noneAfter {
		return wall
	}
	return wall - seconds
}

func add(wall, seconds int64) int64 {
	if wall == noneBefore {
		return wall
	}
	return wall + seconds
}
