package recurrence

import (
	"fmt"
	"strings"
	"time"
)

// MaxExpr is how long an expression can be, in bytes.
const MaxExpr = 1024

// Parse reads whatever a schedule can be written as in one line:
//
//	0 9 * * MON-FRI             a cron expression or macro, as Cron reads it
//	@every 90s                  an interval, a duration of package time from a
//	                            millisecond up; it has an occurrence at the Anchor
//	@at 2026-12-24T18:00:00Z    one instant, in the form of RFC 3339
//
// @reboot is refused. Errors are of type [*ParseError].
func Parse(expr string, opts ...Option) (Rule, error) {
	p, body, err := newParser(expr, opts)
	if err != nil {
		return nil, err
	}
	verb, rest, _ := body.cut(" ")
	rest = rest.trim()
	switch strings.ToLower(verb.text) {
	case "@every":
		return p.every(rest)
	case "@at":
		return p.at(rest)
	default:
		rule, err := p.cron(body)
		if err != nil {
			return nil, err
		}
		return rule, nil
	}
}

// parser reads one expression.
type parser struct {
	options
	expr   string
	prefix bool // the expression begins with its time zone
}

// newParser checks what stands around an expression, and returns its body.
func newParser(expr string, opts []Option) (*parser, word, error) {
	p := &parser{expr: expr}
	for _, set := range opts {
		set(&p.options)
	}
	if len(expr) > MaxExpr {
		return nil, word{}, p.fail("", word{pos: MaxExpr}, "it has %d bytes; allowed are %d", len(expr), MaxExpr)
	}
	body := word{text: strings.TrimRight(expr, "\r\n")}.trim() // the end of a line is no part of it
	body, err := p.readZone(body)
	if err != nil {
		return nil, word{}, err
	}
	if body.text == "" {
		return nil, word{}, p.fail("", body, "it is empty; write minute, hour and days, as in 0 9 * * MON-FRI")
	}
	return p, body, nil
}

func (p *parser) fail(field string, w word, format string, args ...any) error {
	return &ParseError{Expr: p.expr, Field: field, Pos: w.pos, Text: clip(w.text), Reason: fmt.Sprintf(format, args...)}
}

// readZone reads CRON_TZ= or TZ= off the front, and returns what follows.
func (p *parser) readZone(body word) (word, error) {
	for _, prefix := range []string{"CRON_TZ=", "TZ="} {
		if !strings.HasPrefix(body.text, prefix) {
			continue
		}
		name, rest, _ := word{body.text[len(prefix):], body.pos + len(prefix)}.cut(" ")
		p.prefix = true
		return rest.trim(), p.setZone(name)
	}
	return body, nil
}

func (p *parser) setZone(name word) error {
	if name.text == "" {
		return p.fail("time zone", name, "a name is missing, such as Europe/Berlin")
	}
	if p.zone != nil {
		if p.zone.String() != name.text {
			return p.fail("time zone", name, "the schedule's own time zone is %s; name it in one place only", p.zone)
		}
		return nil
	}
	load := p.zones
	if load == nil {
		load = LoadZone
	}
	zone, err := load(name.text)
	if err != nil {
		return p.fail("time zone", name, "%v", err)
	}
	p.zone = zone
	return nil
}

func (p *parser) every(w word) (Rule, error) {
	d, err := time.ParseDuration(w.text)
	switch {
	case p.prefix:
		return nil, p.fail("", w, "an interval has no time zone; leave CRON_TZ= out")
	case err != nil || d < time.Millisecond:
		return nil, p.fail("interval", w, "allowed is a duration from 1ms up, such as 90s or 1h30m")
	case !withinYears(p.anchor):
		return nil, p.fail("interval", w, "the anchor must be from the year 1 to 9999")
	}
	return Every(d, p.anchor), nil
}

func (p *parser) at(w word) (Rule, error) {
	t, err := time.Parse(time.RFC3339, w.text)
	switch {
	case p.prefix:
		return nil, p.fail("", w, "an instant tells its own offset from UTC; leave CRON_TZ= out")
	case err != nil || t.IsZero():
		return nil, p.fail("instant", w, "allowed is an instant as RFC 3339 has it, such as 2026-12-24T18:00:00+01:00")
	}
	return At(t), nil
}

func withinYears(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1 && year <= maxYear
}

const blanks = " \t"

func (w word) trim() word {
	left := strings.TrimLeft(w.text, blanks)
	return word{strings.TrimRight(left, blanks), w.pos + len(w.text) - len(left)}
}

// words splits at blanks.
func (w word) words() []word {
	var all []word
	for w = w.trim(); w.text != ""; w = w.trim() {
		end := strings.IndexAny(w.text, blanks)
		if end < 0 {
			end = len(w.text)
		}
		all = append(all, word{w.text[:end], w.pos})
		w = word{w.text[end:], w.pos + end}
	}
	return all
}
