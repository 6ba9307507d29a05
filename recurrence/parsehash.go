package recurrence

import (
	"hash/fnv"
	"strings"
)

// hash reads H, H(a-b), H/n and H(a-b)/n: a value, or a phase of a step, that
// follows from the key. The same key gives the same one for ever.
func (r *fieldReader) hash(w, base, step word, stepped bool) (element, error) {
	e := element{form: formValue, step: 1, hashed: true}
	if r.key == "" {
		return e, r.fail(w, "H spreads by a key, and none is given here; name one, or write a value")
	}
	low, high, err := r.hashRange(base)
	if err != nil {
		return e, err
	}
	if !stepped {
		e.from = low + spread(r.key, r.kind.name, high-low+1)
		e.to = e.from
		return e, nil
	}
	e.form, e.to = formRange, high
	if e.step, err = r.step(step, high-low+1); err == nil {
		e.from = low + spread(r.key, r.kind.name, e.step)
	}
	return e, err
}

// hashRange reads the (a-b) of an H, and returns the field's whole range if there is
// none: of the days of the month the first 28, which all months have.
func (r *fieldReader) hashRange(base word) (low, high int, err error) {
	low, high = r.kind.min, r.kind.max
	if r.kind == dayField {
		high = 28
	}
	if len(base.text) == 1 {
		return low, high, nil
	}
	inner := word{strings.TrimSuffix(base.text[1:], ")"), base.pos + 2}
	if len(base.text) < 3 || base.text[1] != '(' || len(inner.text) != len(base.text)-2 {
		return 0, 0, r.fail(base, "H is written H, H/n, H(a-b) or H(a-b)/n")
	}
	inner.text = inner.text[1:]
	var e element
	if err := r.values(inner, &e); err != nil {
		return 0, 0, err
	}
	if e.form != formRange || e.to > high {
		return 0, 0, r.fail(inner, "the parentheses of H hold a range a-b within %s to %s", r.show(low), r.show(high))
	}
	return e.from, e.to, nil
}

// spread returns a number from 0 to n-1 that follows from a key and the name of a
// field: h xor h>>32, modulo n, where h is the 64-bit FNV-1a hash of the key, a slash
// and the name. Stored schedules count on it: it must never change.
func spread(key, name string, n int) int {
	h := fnv.New64a()
	h.Write([]byte(key + "/" + name))
	sum := h.Sum64()
	return int((sum ^ sum>>32) % uint64(n))
}
