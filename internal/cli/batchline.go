package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/timewheel-dev/timewheel/client"
)

// parseLine reads one task of a file and fills what it leaves out from the
// defaults.
func parseLine(line []byte, defaults *client.NewTask) (client.NewTask, error) {
	t, err := decodeLine[client.NewTask](line, `{"key":"42","delay":"30m"}`)
	if err != nil {
		return t, err
	}
	fillLine(&t, defaults)
	switch {
	case t.Queue == "":
		return t, errors.New("no queue: name one on the line, or with --queue for all lines that name none")
	case !t.Due.IsZero() && t.Delay != nil:
		return t, errors.New("delay must not be set beside due: give one of them")
	case t.Due.IsZero() && t.Delay == nil:
		return t, errors.New("must have due or delay, one of them: put it on the line, or give --at or --in for all lines that have none")
	}
	return t, nil
}

// decodeLine reads the one JSON object of a line, which looks like the example.
func decodeLine[T any](line []byte, example string) (item T, err error) {
	if err := checkNames(line); err != nil {
		return item, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&item); err != nil {
		return item, lineError[T](err, line, example)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return item, errors.New("there is more than one JSON value on the line")
	}
	return item, nil
}

// checkNames refuses what encoding/json would pass over and the API does not: a
// name given twice or in another case, null, and an empty key. What is no object
// is left to the decoder proper.
func checkNames(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil //nolint:nilerr // the decoder proper says it better
	}
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil //nolint:nilerr // the decoder proper says it better
		}
		switch {
		case seen[name]:
			return fmt.Errorf("%s is given twice", name)
		case name != strings.ToLower(name):
			return fmt.Errorf("unknown field %q: names are in lower case", name)
		case string(value) == "null":
			return fmt.Errorf("%s must not be null: leave it out", name)
		case name == "key" && string(value) == `""`:
			return errors.New("key must not be empty: leave it out to have one made")
		}
		seen[name] = true
	}
	return nil
}

// lineError says what is wrong in the words of the file.
func lineError[T any](err error, line []byte, example string) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON is cut short: all of it must stand on one line")
	case errors.As(err, &kind) && kind.Field == "":
		return errors.New("must be a JSON object, such as " + example)
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "time: ")
	if name, ok := strings.CutPrefix(text, "unknown field "); ok && outermost(line, name) {
		text += ": the fields here are " + strings.Join(namesOf[T](), ", ")
	}
	return errors.New(text)
}

// outermost reports whether a line's object itself has a name, which is quoted.
func outermost(line []byte, name string) bool {
	var members map[string]json.RawMessage
	plain, err := strconv.Unquote(name)
	if err != nil || json.Unmarshal(line, &members) != nil {
		return false
	}
	_, ok := members[plain]
	return ok
}

// namesOf returns the fields that an object can have, without those that are
// ignored.
func namesOf[T any]() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && f.Type != reflect.TypeFor[ignored]() {
			names = append(names, name)
		}
	}
	return names
}

// ignored is a field that may stand on a line and says nothing.
type ignored struct{}

// UnmarshalJSON takes all.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

func fillLine(t, d *client.NewTask) {
	fillFrom(&t.Queue, d.Queue)
	t.IfAbsent = t.IfAbsent || d.IfAbsent
	if t.Due.IsZero() && t.Delay == nil {
		t.Due, t.Delay = d.Due, d.Delay
	}
	if t.Payload == nil && t.PayloadBase64 == nil {
		t.Payload, t.PayloadBase64 = d.Payload, d.PayloadBase64
		fillFrom(&t.ContentType, d.ContentType)
	}
	fillFrom(&t.Webhook, d.Webhook)
	fillRetry(&t.Retry, d.Retry)
	fillFrom(&t.Timeout, d.Timeout)
	fillFrom(&t.Retention, d.Retention)
	t.Metadata = merged(d.Metadata, t.Metadata)
}

func fillRetry(r *client.Retry, d client.Retry) {
	fillFrom(&r.MaxAttempts, d.MaxAttempts)
	fillFrom(&r.MinBackoff, d.MinBackoff)
	fillFrom(&r.MaxBackoff, d.MaxBackoff)
}

// merged returns the notes of both; the later win.
func merged(first, later map[string]string) map[string]string {
	if len(first) == 0 {
		return later
	}
	both := maps.Clone(first)
	maps.Copy(both, later)
	return both
}

// fillFrom gives v the value d if it has none.
func fillFrom[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
