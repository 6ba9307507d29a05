package api

import (
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/task"
)

// optional is a value that a request may leave out, where the zero value says
// something of its own.
type optional[T any] struct {
	value T
	given bool
}

func (o *optional[T]) set(v T) { o.value, o.given = v, true }

// pointer returns the value, nil if it was left out.
func (o *optional[T]) pointer() *T {
	if !o.given {
		return nil
	}
	return &o.value
}

// The methods below read one value each. Of a wrong one they add a fault and
// return the zero value.

func (d *decoder) text() string {
	if !d.want(strictjson.String) {
		return ""
	}
	return string(d.Text())
}

func (d *decoder) boolean() bool {
	return d.want(strictjson.Bool) && d.Bool()
}

// whole reads a whole number from least to most.
func (d *decoder) whole(least, most int) int {
	if !d.want(strictjson.Number) {
		return 0
	}
	text := string(d.Number())
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		d.fault("must be a whole number from %d to %d, got %s", least, most, clip(text))
		return 0
	}
	return n
}

// maxDelay is the longest delay: the whole hours that a time.Duration has room
// for, 292 years.
const maxDelay = 2_562_047 * time.Hour

// duration reads a duration from least to most.
func (d *decoder) duration(least, most time.Duration) time.Duration {
	if !d.want(strictjson.String) {
		return 0
	}
	text := string(d.Text())
	v, err := wire.ParseDuration(text)
	switch {
	case errors.Is(err, wire.ErrNoDuration):
		d.fault("%s, got %q", err, clip(text))
	case (v < least || v > most) && least == 1:
		d.fault("must be over 0s and up to %s, got %s", most, clip(text))
	case v < least || v > most:
		d.fault("must be from %s to %s, got %s", least, most, clip(text))
	default:
		return v
	}
	return 0
}

// positive reads a duration over zero and up to most.
func (d *decoder) positive(most time.Duration) time.Duration {
	return d.duration(1, most)
}

// upTo reads a duration from zero to most.
func (d *decoder) upTo(most time.Duration) time.Duration {
	return d.duration(0, most)
}

// oneOf reads one of a few names and returns its number.
func (d *decoder) oneOf(names []string) int {
	if !d.want(strictjson.String) {
		return 0
	}
	text := d.text()
	n := slices.Index(names, text)
	if n < 0 {
		d.fault("must be %s, got %q", alternatives(names), clip(text))
	}
	return max(n, 0)
}

// alternatives writes "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func (d *decoder) instant() time.Time {
	if !d.want(strictjson.String) {
		return time.Time{}
	}
	text := d.Text()
	t, err := parseInstant(text)
	switch {
	case err != nil:
		d.fault(notInstant+", got %q", clip(string(text)))
	case t.IsZero(): // which would mean "none"
		d.fault("must be from 1970 to 9999")
	}
	return t
}

func (d *decoder) base64() []byte {
	if !d.want(strictjson.String) {
		return nil
	}
	text := d.Text()
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(out, text)
	if err != nil {
		d.fault("must be standard base64, with its padding")
	}
	return out[:n]
}

func (d *decoder) state() task.State {
	if !d.want(strictjson.String) {
		return 0
	}
	s, err := task.ParseState(d.text())
	if err != nil {
		d.fault(notState)
	}
	return s
}

// pairs reads an object of strings. It never returns nil for one.
func (d *decoder) pairs() map[string]string {
	if !d.want(strictjson.Object) {
		return nil
	}
	m := map[string]string{}
	d.Object(func(name []byte) {
		key := string(name)
		d.path = append(d.path, step{name: key})
		if _, twice := m[key]; twice {
			d.fault("is given twice, the second time at %s", d.place())
		}
		m[key] = d.text()
		d.path = d.path[:len(d.path)-1]
	})
	return m
}

// list reads an array, an element at a time.
func (d *decoder) list(element func()) {
	if !d.want(strictjson.Array) {
		return
	}
	d.path = append(d.path, step{element: true})
	d.Array(func() {
		element()
		d.path[len(d.path)-1].index++
	})
	d.path = d.path[:len(d.path)-1]
}
