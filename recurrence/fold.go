package recurrence

// pass is a stretch of instants whose wall times come twice, and which the policy
// leaves out: from start up to end, which is not part of it.
type pass struct{ start, end int64 }

// folded returns whether the policy leaves an instant out as one of two that show
// the same wall time, and with it which neighbours.
//
//	            ◀─ by ─▶
//	01:00 ── 01:30 ── 02:00          the span before: first pass
//	         01:30 ── 02:00 ── 02:30  the span after: second pass
//	                  ▲ change
func (s *search) folded(at, offset int64) (pass, bool) {
	switch s.rule.fold {
	case FoldFirst:
		return s.secondPass(at, offset)
	case FoldSecond:
		return s.firstPass(at, offset)
	default:
		return pass{}, false
	}
}

// secondPass returns the second pass that an instant is part of. Its wall time must
// have been shown in the span before: that may have been too short to show it.
func (s *search) secondPass(at, offset int64) (pass, bool) {
	change, old, ok := s.changeBefore(at, offset, at-detour)
	by := old - offset
	if !ok || by <= 0 || at >= change+by {
		return pass{}, false
	}
	if _, _, short := s.changeBefore(change-1, old, at-by); short {
		return pass{}, false
	}
	if _, _, short := s.changeBefore(change-1, old, change-by); short {
		return pass{at, change + by}, true
	}
	return pass{change, change + by}, true
}

// firstPass returns the first pass that an instant is part of, if the span after is
// long enough to show its wall time again.
func (s *search) firstPass(at, offset int64) (pass, bool) {
	change, after, ok := s.changeAfter(at, offset, at+detour)
	by := offset - after
	if !ok || by <= 0 || at < change-by {
		return pass{}, false
	}
	if _, _, short := s.changeAfter(change, after, at+by); short {
		return pass{}, false
	}
	if _, _, short := s.changeAfter(change, after, change+by); short {
		return pass{at, at + 1}, true
	}
	return pass{change - by, change}, true
}
