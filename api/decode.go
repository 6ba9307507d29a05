package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/task"
)

// field is one row of an object's table: its name, and how its value is read.
type field[T any] struct {
	name     string
	required bool
	read     func(d *decoder, into *T)
}

// decoder reads one document and collects all that is wrong with it.
type decoder struct {
	strictjson.Reader
	faults task.Invalid
	path   []step // of the value being read
}

// step leads to a value: the name of a field, or a place in an array.
type step struct {
	name    string
	element bool
	index   int
}

// maxFaults is after how many faults the list of them ends.
const maxFaults = 32

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func getDecoder() *decoder {
	return decoders.Get().(*decoder) //nolint:forcetypeassert // New makes no other
}

func putDecoder(d *decoder) {
	d.start(nil, 1)
	decoders.Put(d)
}

// start makes d read data, which begins in the given line, from 1.
func (d *decoder) start(data []byte, line int) {
	d.Reset(data, line)
	d.faults, d.path = nil, d.path[:0]
}

// decodeBody reads a request's body, up to limit bytes, by a table. An
// optional one may be empty.
func decodeBody[T any](c *call, limit int64, optional bool, fields []field[T], into *T) error {
	return c.withBody(limit, func(d *decoder) error {
		if optional && d.Empty() {
			return nil
		}
		if err := decode(d, fields, into); err != nil {
			return err
		}
		return d.invalid()
	})
}

// withBody reads a request's body, up to limit bytes, and lets use decode it.
// What use keeps must not point into the body.
func (c *call) withBody(limit int64, use func(*decoder) error) error {
	b := getBuffer()
	defer putBuffer(b)
	if err := c.body(b, limit); err != nil {
		return err
	}
	d := getDecoder()
	defer putDecoder(d)
	d.start(b.Bytes(), 1)
	return use(d)
}

// decode reads the whole of what d was started on as one object. The error is
// that there is none; what is wrong with its fields is in d.faults.
func decode[T any](d *decoder, fields []field[T], into *T) error {
	if d.Empty() {
		return problemf(wire.ProblemCodeMalformedBody, "the body is empty: send a JSON object")
	}
	switch kind := d.Kind(); kind {
	case strictjson.Object:
		object(d, fields, into)
	case strictjson.None:
		d.Skip() // finds out why
	default:
		return problemf(wire.ProblemCodeMalformedBody, "the body must be a JSON object, got %s", kind)
	}
	if err := d.End(); err != nil {
		return problemf(wire.ProblemCodeMalformedBody, "not well-formed JSON: %s", err)
	}
	return nil
}

// invalid returns the faults as an error, or nil.
func (d *decoder) invalid() error {
	if len(d.faults) == 0 {
		return nil
	}
	return d.faults
}

// object reads an object by its table.
func object[T any](d *decoder, fields []field[T], into *T) {
	if !d.want(strictjson.Object) {
		return
	}
	var seen uint64
	d.Object(func(name []byte) {
		i := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == string(name) })
		if i < 0 {
			d.faultAt(string(name), "is unknown, at %s: %s", d.place(), choice(fields))
			return
		}
		d.path = append(d.path, step{name: fields[i].name})
		if seen&(1<<i) != 0 {
			d.fault("is given twice, the second time at %s", d.place())
		}
		seen |= 1 << i
		fields[i].read(d, into)
		d.path = d.path[:len(d.path)-1]
	})
	for i, f := range fields {
		if f.required && seen&(1<<i) == 0 {
			d.faultAt(f.name, "is missing")
		}
	}
}

// choice says which fields there are.
func choice[T any](fields []field[T]) string {
	if len(fields) == 0 {
		return "there are no fields here"
	}
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return "the fields here are " + strings.Join(list, ", ")
}

// place says where the name of the present member stands.
func (d *decoder) place() string {
	line, column := d.Position(d.NameOffset())
	return fmt.Sprintf("line %d, column %d", line, column)
}

// fault adds what is wrong with the value being read.
func (d *decoder) fault(format string, args ...any) {
	if len(d.faults) == maxFaults {
		return
	}
	d.faults = append(d.faults, task.Fault{Field: d.where(), Reason: fmt.Sprintf(format, args...)})
}

// faultAt adds what is wrong with a member of the object being read.
func (d *decoder) faultAt(name, format string, args ...any) {
	d.path = append(d.path, step{name: name})
	d.fault(format, args...)
	d.path = d.path[:len(d.path)-1]
}

// where writes the path, such as retry.max_attempts or leases[3].
func (d *decoder) where() string {
	var b strings.Builder
	for i, s := range d.path {
		switch {
		case s.element:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			b.WriteString("." + clip(s.name))
		default:
			b.WriteString(clip(s.name))
		}
	}
	return b.String()
}

// want reports whether a value of the kind comes next, and adds a fault if
// another does. What is no value at all is left to the Reader to complain of.
func (d *decoder) want(kind strictjson.Kind) bool {
	switch got := d.Kind(); got {
	case kind:
		return true
	case strictjson.None:
	case strictjson.Null:
		d.fault("must be %s, got null: leave the field out instead", kind)
	default:
		d.fault("must be %s, got %s", kind, got)
	}
	return false
}

// apart lets read collect faults of its own, and returns them.
func (d *decoder) apart(read func()) error {
	outer := d.faults
	d.faults = nil
	read()
	err := d.invalid()
	d.faults = outer
	return err
}
