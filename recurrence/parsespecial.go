package recurrence

import "strings"

// special reads what only the day fields have: L, L-n, LW and nW for days of the
// month, d#n, dL and Quartz's L for days of the week. If w is none of it, ok is false.
func (r *fieldReader) special(w word) (e element, ok bool, err error) {
	switch r.kind {
	case dayField:
		return r.specialDay(w)
	case weekdayField:
		return r.specialWeekday(w)
	default:
		return e, false, nil
	}
}

func (r *fieldReader) specialDay(w word) (e element, ok bool, err error) {
	text := strings.ToUpper(w.text)
	switch {
	case text == "L":
		return element{form: formLast, step: 1}, true, nil
	case text == "LW":
		return element{form: formLastWorkday, step: 1}, true, nil
	case strings.HasPrefix(text, "L-"):
		n, ok := number(text[2:])
		if !ok || n < 1 || n > 30 {
			return e, false, r.fail(w, "L-n is n days before the last of the month, n from 1 to 30")
		}
		return element{form: formLast, from: n, step: 1}, true, nil
	case strings.HasPrefix(text, "L"):
		return e, false, r.fail(w, "the last day of the month is written L, L-n or LW")
	case strings.HasSuffix(text, "W"):
		n, ok := number(text[:len(text)-1])
		if !ok || n < 1 || n > 31 {
			return e, false, r.fail(w, "nW is the Monday to Friday nearest to day n of the month, n from 1 to 31; LW is the last one")
		}
		return element{form: formNearestWorkday, from: n, step: 1}, true, nil
	default:
		return e, false, nil
	}
}

func (r *fieldReader) specialWeekday(w word) (e element, ok bool, err error) {
	if day, nth, found := w.cut("#"); found {
		return r.nth(day, nth)
	}
	last := len(w.text) - 1
	if last < 0 || w.text[last] != 'L' && w.text[last] != 'l' {
		return e, false, nil
	}
	if last == 0 && !r.quartz {
		return e, false, r.fail(w, "L alone is Saturday to some and the last day to others; write SAT, or SATL for the last Saturday of the month")
	}
	if last == 0 {
		return element{form: formValue, from: 6, to: 6, step: 1}, true, nil
	}
	day, err := r.value(word{w.text[:last], w.pos})
	return element{form: formLastOf, from: r.wrap(day), step: 1}, err == nil, err
}

func (r *fieldReader) nth(day, nth word) (e element, ok bool, err error) {
	d, err := r.value(day)
	if err != nil {
		return e, false, err
	}
	n, ok := number(nth.text)
	if !ok || n < 1 || n > 5 {
		return e, false, r.fail(nth, "d#n is the n-th such day of the month, n from 1 to 5; dL is the last")
	}
	return element{form: formNth, from: r.wrap(d), nth: n, step: 1}, true, nil
}
