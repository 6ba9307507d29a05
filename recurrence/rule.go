package recurrence

import "time"

// Rule is a set of instants that recur. Rules are pure: the same question always
// has the same answer, and they may be asked from many goroutines at once.
type Rule interface {
	// Next returns the first occurrence strictly after an instant, or the zero Time
	// if there is none.
	Next(after time.Time) time.Time

	// Previous returns the last occurrence strictly before an instant, or the zero
	// Time if there is none.
	Previous(before time.Time) time.Time
}

// Between returns the occurrences t of a rule with from <= t < to, in order: the
// first limit of them if there are more. A limit that is not positive gives none.
func Between(r Rule, from, to time.Time, limit int) []time.Time {
	var found []time.Time
	for t := r.Next(from.Add(-1)); len(found) < limit && !t.IsZero() && t.Before(to); t = r.Next(t) {
		found = append(found, t)
	}
	return found
}
