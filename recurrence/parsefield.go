package recurrence

import (
	"fmt"
	"strconv"
	"strings"
)

// maxElements bounds a field's list.
const maxElements = 100

// fieldReader reads one field of a cron expression.
type fieldReader struct {
	kind   *fieldKind
	expr   string // the whole expression, for errors
	key    string // what H hashes; empty if there is none
	quartz bool   // days of the week are numbered from 1 for Sunday
}

// word is a part of an expression, and where it stands there.
type word struct {
	text string
	pos  int
}

// cut splits a word around the first separator.
func (w word) cut(sep string) (before, after word, found bool) {
	b, a, found := strings.Cut(w.text, sep)
	if !found {
		sep = ""
	}
	return word{b, w.pos}, word{a, w.pos + len(b) + len(sep)}, found
}

func (r *fieldReader) fail(w word, format string, args ...any) error {
	return &ParseError{
		Expr: r.expr, Field: r.kind.name, Pos: w.pos, Text: clip(w.text),
		Reason: fmt.Sprintf(format, args...),
	}
}

// read reads the whole field.
func (r *fieldReader) read(w word) (field, error) {
	f := field{text: w.text, given: true, pos: w.pos}
	rest, more := w, true
	for more {
		if len(f.elements) == maxElements {
			return f, r.fail(rest, "a list has at most %d entries", maxElements)
		}
		var entry word
		entry, rest, more = rest.cut(",")
		if entry.text == "?" && entry != w {
			return f, r.fail(entry, "? stands alone, not in a list")
		}
		e, err := r.element(entry)
		if err != nil {
			return f, err
		}
		f.add(r.kind, e)
	}
	return f, nil
}

// element reads one entry of the list.
func (r *fieldReader) element(w word) (element, error) {
	if w.text == "" {
		return element{}, r.fail(w, "an entry is missing: values are separated by single commas")
	}
	if e, ok, err := r.special(w); ok || err != nil {
		return e, err
	}
	base, step, stepped := w.cut("/")
	e := element{step: 1}
	if strings.HasPrefix(strings.ToUpper(base.text), "H") {
		return r.hash(w, base, step, stepped)
	}
	if base.text == "*" || base.text == "?" && !stepped {
		e.form, e.from, e.to = formAll, r.kind.min, r.kind.max
	} else if err := r.values(base, &e); err != nil {
		return e, err
	}
	if !stepped {
		return e, nil
	}
	if e.form == formValue { // a/n: to the end
		e.form, e.to = formRange, max(e.from, r.kind.max)
	}
	n, err := r.step(step, r.kind.max-r.kind.min+1)
	e.step = n
	return e, err
}

// values reads n or a-b.
func (r *fieldReader) values(w word, e *element) error {
	low, high, ranged := w.cut("-")
	var err error
	if e.from, err = r.value(low); err != nil {
		return err
	}
	if !ranged {
		e.form, e.from = formValue, r.wrap(e.from)
		e.to = e.from
		return nil
	}
	e.form = formRange
	if e.to, err = r.value(high); err != nil {
		return err
	}
	switch {
	case e.from <= e.to && e.from > r.kind.max: // SUN-SUN as 7-7
		e.from, e.to = e.from-7, e.to-7
	case e.from <= e.to:
	case r.kind == weekdayField:
		if e.from > r.kind.max {
			e.from -= 7
		} else {
			e.to += 7
		}
	default:
		return r.fail(w, "a range goes from the lower to the higher value; write %s as a list of two ranges, %s-%s,%s-%s",
			clip(w.text), low.text, r.show(r.kind.max), r.show(r.kind.min), high.text)
	}
	return nil
}

// wrap makes 0 of a day of the week that was written 7.
func (r *fieldReader) wrap(value int) int {
	if value > r.kind.max {
		return value - 7
	}
	return value
}

// value reads a number or a name. Of days of the week it returns 0 to 7, and 0 and 7
// are Sunday.
func (r *fieldReader) value(w word) (int, error) {
	for i, name := range r.kind.names {
		if strings.EqualFold(w.text, name) {
			return r.kind.min + i, nil
		}
	}
	n, ok := number(w.text)
	low, high := r.limits()
	if !ok || n < low || n > high {
		return 0, r.fail(w, "%s", r.allowed())
	}
	if r.quartz && r.kind == weekdayField {
		n--
	}
	return n, nil
}

// limits returns the lowest and the highest number that may be written.
func (r *fieldReader) limits() (low, high int) {
	switch {
	case r.kind != weekdayField:
		return r.kind.min, r.kind.max
	case r.quartz:
		return 1, 7
	default:
		return 0, 7
	}
}

// allowed says what a value may be.
func (r *fieldReader) allowed() string {
	low, high := r.limits()
	text := fmt.Sprintf("allowed is a number from %d to %d", low, high)
	switch {
	case r.kind.names == nil:
	case r.kind != weekdayField:
		text += ", or a name from JAN to DEC"
	case r.quartz:
		text += ", from 1 for Sunday to 7 for Saturday, or a name from SUN to SAT"
	default:
		text += ", 0 and 7 for Sunday, or a name from SUN to SAT"
	}
	switch r.kind {
	case dayField:
		text += "; or L, L-3, LW, 15W"
	case weekdayField:
		text += "; or FRI#2, FRIL"
	}
	return text
}

func (r *fieldReader) show(value int) string {
	if r.kind.names != nil {
		return r.kind.names[value-r.kind.min]
	}
	return strconv.Itoa(value)
}

func (r *fieldReader) step(w word, most int) (int, error) {
	n, ok := number(w.text)
	if !ok || n < 1 || n > most {
		return 1, r.fail(w, "a step is a number from 1 to %d, how many values it goes over", most)
	}
	return n, nil
}

// number reads up to four digits.
func number(s string) (n int, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != "" && len(s) <= 4
}
