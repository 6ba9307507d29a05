package cli

import (
	"slices"
	"time"
)

// burstSeen is what was seen of one run. Instants are counted from the second of
// the burst, and are negative before it.
type burstSeen struct {
	schedules    int
	jitter       time.Duration
	every, quiet time.Duration // of the other queue
	others       int           // tasks that it has
	put          time.Duration // to put the schedules
	memory       float64       // the most so far that this process held, in bytes; 0: unknown
	burst, other sightings
}

func newBurstSeen(c *benchBurstCmd, jitter time.Duration) burstSeen {
	s := burstSeen{schedules: c.Schedules, jitter: jitter, every: c.Every, quiet: c.Quiet}
	s.others = int((s.quiet + s.atMost()) / s.every)
	return s
}

// atMost returns how long a burst is waited for. The other queue has tasks all
// the while.
func (s *burstSeen) atMost() time.Duration {
	return s.jitter + latenessLead(s.schedules) + latenessGrace
}

// otherDue returns when the other queue's task i is due.
func (s *burstSeen) otherDue(i int) time.Duration { return time.Duration(i)*s.every - s.quiet }

// othersDue returns how many of the other queue's tasks are due in [from, to).
func (s *burstSeen) othersDue(from, to time.Duration) int {
	before := func(d time.Duration) int {
		return min(max(int((d+s.quiet+s.every-1)/s.every), 0), s.others)
	}
	return before(to) - before(from)
}

// took returns how long the burst took, from its second to its last claim.
func (s *burstSeen) took() time.Duration {
	last := time.Duration(0)
	for _, one := range s.burst.first {
		last = max(last, one.fired)
	}
	return last
}

// complete reports whether all of the burst came, and all of the other queue
// that was due until then.
func (s *burstSeen) complete() bool {
	if len(s.burst.first) < s.schedules {
		return false
	}
	end := s.took()
	return len(s.other.dueIn(-s.quiet, end).first) >= s.othersDue(-s.quiet, end)
}

// sighting is one time that a worker had a task.
type sighting struct{ due, fired time.Duration }

// sightings are those of one queue.
type sightings struct {
	keys  map[string]bool
	first []sighting // of each task
	again []sighting // of tasks that came before
}

func (s *sightings) add(key string, one sighting) {
	if s.keys[key] {
		s.again = append(s.again, one)
		return
	}
	if s.keys == nil {
		s.keys = make(map[string]bool)
	}
	s.keys[key] = true
	s.first = append(s.first, one)
}

// dueIn returns those that were due in [from, to), without the keys.
func (s *sightings) dueIn(from, to time.Duration) sightings {
	within := func(all []sighting) (some []sighting) {
		for _, one := range all {
			if one.due >= from && one.due < to {
				some = append(some, one)
			}
		}
		return some
	}
	return sightings{first: within(s.first), again: within(s.again)}
}

// lateResult is what is shown of a queue, or of a part of it. Times are in
// seconds.
type lateResult struct {
	Tasks   int     `json:"tasks"`
	P50     float64 `json:"fired_p50_seconds"`
	P99     float64 `json:"fired_p99_seconds"`
	Max     float64 `json:"fired_max_seconds"`
	Early   int     `json:"early"`
	Lost    int     `json:"lost"`
	Doubles int     `json:"doubles"`
}

// result sums them up; want is how many tasks there should be.
func (s sightings) result(want int) lateResult {
	late := make([]time.Duration, len(s.first))
	for i, one := range s.first {
		late[i] = one.fired - one.due
	}
	slices.Sort(late)
	early := 0
	for _, one := range slices.Concat(s.first, s.again) {
		if one.fired < one.due {
			early++
		}
	}
	return lateResult{
		Tasks: len(late), Early: early, Lost: want - len(late), Doubles: len(s.again),
		P50: percentile(late, 50).Seconds(), P99: percentile(late, 99).Seconds(), Max: percentile(late, 100).Seconds(),
	}
}

// perSlot counts how many were fired in each part of a while, of the same
// length, from 0 on.
func (s *sightings) perSlot(slot time.Duration) []int {
	var counts []int
	for _, one := range s.first {
		i := max(0, int(one.fired/slot))
		for len(counts) <= i {
			counts = append(counts, 0)
		}
		counts[i]++
	}
	return counts
}
