package strictjson

import (
	"bytes"
	"fmt"
)

// SyntaxError says where a document stops being JSON, or goes beyond a bound.
type SyntaxError struct {
	Offset int // in bytes, from 0
	Line   int // from 1
	Column int // in bytes, from 1
	Reason string
}

// Error gives line, column and reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Position returns the line and the column, in bytes, of an offset. Columns
// count from 1, lines from the one that Reset was given.
func (r *Reader) Position(offset int) (line, column int) {
	before := r.data[:min(offset, len(r.data))]
	return r.line + 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}

// fail keeps the first error; from then on every method returns zero values.
func (r *Reader) fail(offset int, format string, args ...any) {
	if r.err != nil {
		return
	}
	line, column := r.Position(offset)
	r.err = &SyntaxError{Offset: offset, Line: line, Column: column, Reason: fmt.Sprintf(format, args...)}
}

// failHere reports that something else than wanted stands at the present place.
func (r *Reader) failHere(wanted string) {
	switch {
	case r.at >= len(r.data):
		r.fail(r.at, "expected %s, but the document ends", wanted)
	case bytes.HasPrefix(r.data[r.at:], []byte("\ufeff")):
		r.fail(r.at, "expected %s, found a byte order mark: leave it out", wanted)
	default:
		r.fail(r.at, "expected %s, found %q", wanted, r.data[r.at])
	}
}
