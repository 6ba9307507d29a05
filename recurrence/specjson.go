package recurrence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// specForm is the JSON of a Spec, its members in their canonical order.
type specForm struct {
	Cron    oneOrMore   `json:"cron,omitempty"`
	Every   string      `json:"every,omitempty"`
	At      []time.Time `json:"at,omitempty"`
	Anchor  time.Time   `json:"anchor,omitzero"`
	Spread  bool        `json:"spread,omitempty"`
	Zone    string      `json:"time_zone,omitempty"`
	Days    string      `json:"day_rule,omitempty"`
	DST     dstForm     `json:"dst,omitzero"`
	Exclude []string    `json:"exclude,omitempty"`
	Start   time.Time   `json:"start,omitzero"`
	End     time.Time   `json:"end,omitzero"`
}

type dstForm struct {
	Gap  string `json:"gap,omitempty"`
	Fold string `json:"overlap,omitempty"`
}

// oneOrMore is a list that stands without brackets if it has one element.
type oneOrMore []string

// MarshalJSON writes a string or an array of strings.
func (l oneOrMore) MarshalJSON() ([]byte, error) {
	if len(l) == 1 {
		return json.Marshal(l[0])
	}
	return json.Marshal([]string(l))
}

// MarshalJSON writes the canonical form: defaults left out, instants in UTC,
// those of At in order and without doubles. The error is for instants that RFC
// 3339 can't write.
func (s Spec) MarshalJSON() ([]byte, error) {
	form := specForm{
		Cron: s.Cron, Anchor: inUTC(s.Anchor), Spread: s.Spread, Zone: s.Zone, Days: s.Days.String(),
		DST: dstForm{s.Gap.String(), s.Fold.String()}, Exclude: s.Exclude, Start: inUTC(s.Start), End: inUTC(s.End),
	}
	if s.Every != 0 {
		form.Every = s.Every.String()
	}
	for _, t := range sorted(s.At) {
		form.At = append(form.At, inUTC(t))
	}
	return json.Marshal(form)
}

func inUTC(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// UnmarshalJSON reads the object that [Spec] describes. It is strict: unknown
// members, members given twice and nulls are refused. It looks at the form alone;
// the error is [Faults] where a member is at fault. See Validate for the rest.
func (s *Spec) UnmarshalJSON(data []byte) error {
	r := specReader{}
	if err := r.object("", data, r.member); err != nil {
		return err
	}
	if len(r.faults) > 0 {
		return r.faults
	}
	*s = r.spec
	return nil
}

// specReader reads the members of a Spec and collects what is wrong with them.
type specReader struct {
	spec   Spec
	faults Faults
}

func (r *specReader) member(name string, raw json.RawMessage) {
	s := &r.spec
	switch name {
	case "cron":
		s.Cron = r.lines(name, raw)
	case "every":
		s.Every = r.duration(name, raw)
	case "at":
		s.At = r.instantList(name, raw)
	case "anchor":
		s.Anchor = r.instant(name, raw)
	case "spread":
		r.value(name, "true or false", raw, &s.Spread)
	case "time_zone":
		s.Zone = r.text(name, raw)
	case "day_rule":
		s.Days = policy(r, name, raw, ParseDayRule)
	case "dst":
		r.nested(name, raw, r.dstMember)
	case "exclude":
		r.value(name, "an array of strings", raw, &s.Exclude)
	case "start":
		s.Start = r.instant(name, raw)
	case "end":
		s.End = r.instant(name, raw)
	default:
		r.faults.add(clip(name), "is unknown: allowed are cron, every, at, anchor, spread, time_zone, day_rule, dst, exclude, start, end")
	}
}

func (r *specReader) dstMember(name string, raw json.RawMessage) {
	switch field := "dst." + name; name {
	case "gap":
		r.spec.Gap = policy(r, field, raw, ParseGap)
	case "overlap":
		r.spec.Fold = policy(r, field, raw, ParseFold)
	default:
		r.faults.add(clip(field), "is unknown: allowed are gap and overlap")
	}
}

// object hands each member of a JSON object to read.
func (r *specReader) object(path string, data []byte, read func(string, json.RawMessage)) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil {
		return fmt.Errorf("recurrence: not JSON: %w", err)
	} else if t != json.Delim('{') {
		return errors.New(`recurrence: must be an object such as {"every": "10m"}`)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("recurrence: not JSON: %w", err)
		}
		name, _ := t.(string) // a member begins with nothing else
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("recurrence: not JSON: %w", err)
		}
		if seen[name] {
			r.faults.add(path+clip(name), "is given twice")
			continue
		}
		seen[name] = true
		read(name, raw)
	}
	_, err := d.Token() // what follows the object, the caller's decoder has seen
	return err
}

func (r *specReader) nested(name string, raw json.RawMessage, read func(string, json.RawMessage)) {
	if raw[0] != '{' {
		r.faults.add(name, "must be an object, got %s", jsonKind(raw))
		return
	}
	if err := r.object(name+".", raw, read); err != nil {
		r.faults.add(name, "can't be read: %v", err)
	}
}

// value reads raw into a variable and reports whether it fits.
func (r *specReader) value(field, kind string, raw json.RawMessage, into any) bool {
	switch {
	case hasNull(raw):
		r.faults.add(field, "must be %s, got null: leave it out instead", kind)
	case json.Unmarshal(raw, into) != nil:
		r.faults.add(field, "must be %s, got %s", kind, jsonKind(raw))
	default:
		return true
	}
	return false
}

// hasNull reports whether raw is null or an array with a null, which
// encoding/json takes for anything.
func hasNull(raw json.RawMessage) bool {
	var list []json.RawMessage
	isNull := func(m json.RawMessage) bool { return string(m) == "null" }
	return isNull(raw) || json.Unmarshal(raw, &list) == nil && slices.ContainsFunc(list, isNull)
}

func (r *specReader) text(field string, raw json.RawMessage) (text string) {
	r.value(field, "a string", raw, &text)
	return text
}

func (r *specReader) lines(field string, raw json.RawMessage) []string {
	if raw[0] == '"' {
		return []string{r.text(field, raw)}
	}
	var list []string
	r.value(field, "a string or an array of strings", raw, &list)
	return list
}

func (r *specReader) duration(field string, raw json.RawMessage) time.Duration {
	var text string
	if !r.value(field, `a string such as "10m"`, raw, &text) {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d == 0 {
		r.faults.add(field, `must be a duration over 0 such as "90s", "1h30m" or "48h", got %q`, clip(text))
		return 0
	}
	return d
}

func (r *specReader) instant(field string, raw json.RawMessage) time.Time {
	var text string
	if !r.value(field, "a string", raw, &text) {
		return time.Time{}
	}
	return r.parseInstant(field, text)
}

func (r *specReader) instantList(field string, raw json.RawMessage) []time.Time {
	var texts []string
	r.value(field, "an array of strings", raw, &texts)
	list := make([]time.Time, len(texts))
	for i, text := range texts {
		list[i] = r.parseInstant(at(field, i), text)
	}
	return list
}

func (r *specReader) parseInstant(field, text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil || strings.Contains(text, ","): // which package time takes for a point
		r.faults.add(field, `must be an instant as RFC 3339 writes it, such as "2026-11-21T09:00:00Z", got %q`, clip(text))
	case t.IsZero(): // which would mean that there is none
		r.faults.add(field, "must be from %d to %d", minYear, maxYear)
	}
	return t
}

func policy[T ~uint8](r *specReader, field string, raw json.RawMessage, parse func(string) (T, error)) T {
	var text string
	if !r.value(field, "a string", raw, &text) {
		return 0
	}
	p, err := parse(text)
	if err != nil {
		r.faults.add(field, "is refused: %v", err)
	}
	return p
}

func jsonKind(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
