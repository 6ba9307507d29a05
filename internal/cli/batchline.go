package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/timewheel-dev/timewheel/client"
)

// parseLine reads one task of a file and fills what it leaves out from the
// defaults.
func parseLine(line []byte, defaults *client.NewTask) (client.NewTask, error) {
	var t client.NewTask
	if err := checkNames(line); err != nil {
		return t, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, lineError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return t, errors.New("there is more than one JSON value on the line")
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
func lineError(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON is cut short: a task must stand on one line")
	case errors.As(err, &kind) && kind.Field == "":
		return errors.New("must be a JSON object, such as {\"key\":\"42\",\"delay\":\"30m\"}")
	}
	return errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "time: "))
}

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
	fillFrom(&t.Retry.MaxAttempts, d.Retry.MaxAttempts)
	fillFrom(&t.Retry.MinBackoff, d.Retry.MinBackoff)
	fillFrom(&t.Retry.MaxBackoff, d.Retry.MaxBackoff)
	fillFrom(&t.Timeout, d.Timeout)
	fillFrom(&t.Retention, d.Retention)
	if len(d.Metadata) > 0 {
		both := maps.Clone(d.Metadata)
		maps.Copy(both, t.Metadata)
		t.Metadata = both
	}
}

// fillFrom gives v the value d if it has none.
func fillFrom[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
