package recurrence

import (
	"slices"
	"sort"
	"time"
)

// InstantsRule is what [At] makes.
type InstantsRule struct {
	instants []time.Time // ascending, no two equal, none zero
}

// At returns a rule with an occurrence at each of the instants, in any order, and
// no others. Doubles count once, and the zero Time, which means none, not at all.
func At(instants ...time.Time) *InstantsRule {
	return &InstantsRule{sorted(instants)}
}

// Next returns the first instant strictly after another.
func (r *InstantsRule) Next(after time.Time) time.Time {
	i := sort.Search(len(r.instants), func(i int) bool { return r.instants[i].After(after) })
	if i == len(r.instants) {
		return time.Time{}
	}
	return r.instants[i]
}

// Previous returns the last instant strictly before another.
func (r *InstantsRule) Previous(before time.Time) time.Time {
	i := sort.Search(len(r.instants), func(i int) bool { return !r.instants[i].Before(before) })
	if i == 0 {
		return time.Time{}
	}
	return r.instants[i-1]
}

// sorted returns a copy in order, without doubles and zeros.
func sorted(instants []time.Time) []time.Time {
	list := make([]time.Time, 0, len(instants))
	for _, t := range instants {
		if !t.IsZero() {
			list = append(list, t.Round(0))
		}
	}
	slices.SortStableFunc(list, time.Time.Compare)
	return slices.CompactFunc(list, time.Time.Equal)
}
