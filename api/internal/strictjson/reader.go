package strictjson

import "unicode/utf8"

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 256

// Kind is the kind of a value.
type Kind uint8

// The kinds of values. None is what stands where no value begins.
const (
	None Kind = iota
	Object
	Array
	String
	Number
	Bool
	Null
)

// String returns the kind with its article, for use in messages.
func (k Kind) String() string {
	return [...]string{"nothing", "an object", "an array", "a string", "a number", "a boolean", "null"}[k]
}

// Reader reads one document. The zero Reader has none; begin with Reset.
type Reader struct {
	data    []byte
	line    int // of the first byte, less one
	at      int
	depth   int
	err     error
	name    int    // where the latest name of a member begins
	scratch []byte // of the latest string that had escapes
}

// Reset makes r read data from its start, which is in the given line, from 1,
// of what it came from. The data must not change while r is in use.
func (r *Reader) Reset(data []byte, line int) {
	*r = Reader{data: data, line: line - 1, scratch: r.scratch[:0]}
	if utf8.Valid(data) {
		return
	}
	at := 0
	for {
		c, size := utf8.DecodeRune(data[at:])
		if c == utf8.RuneError && size == 1 {
			r.fail(at, "byte %#x is not UTF-8", data[at])
			return
		}
		at += size
	}
}

// Err returns the first error, a *SyntaxError, or nil.
func (r *Reader) Err() error { return r.err }

// End checks that nothing follows the value that was read, and returns Err.
func (r *Reader) End() error {
	if r.skipSpace(); r.err == nil && r.at < len(r.data) {
		r.fail(r.at, "expected the end, found %q: send one JSON value", r.data[r.at])
	}
	return r.err
}

// NameOffset returns where the name begins that Object gave to member last.
func (r *Reader) NameOffset() int { return r.name }

// Empty reports whether there is nothing but white space.
func (r *Reader) Empty() bool {
	r.skipSpace()
	return r.err == nil && r.at == len(r.data)
}

// Kind returns the kind of the value that comes next.
func (r *Reader) Kind() Kind {
	if r.skipSpace(); r.err != nil || r.at == len(r.data) {
		return None
	}
	switch c := r.data[r.at]; c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		if c == '-' || isDigit(c) {
			return Number
		}
		return None
	}
}

// Object reads an object. It calls member for each name, in order, and member
// reads the value or leaves it to be skipped. The name is valid until member
// reads on.
func (r *Reader) Object(member func(name []byte)) {
	r.list('{', '}', func() {
		r.skipSpace()
		at := r.at
		name := r.Text()
		r.name = at
		r.expect(':')
		r.skipSpace()
		before := r.at
		if member(name); r.at == before {
			r.Skip()
		}
	})
}

// Array reads an array. It calls element for each value, which reads it or
// leaves it to be skipped.
func (r *Reader) Array(element func()) {
	r.list('[', ']', func() {
		r.skipSpace()
		before := r.at
		if element(); r.at == before {
			r.Skip()
		}
	})
}

// list reads items between brackets, with commas between them.
func (r *Reader) list(open, end byte, item func()) {
	if !r.enter(open) {
		return
	}
	if r.peek() == end {
		r.leave()
		return
	}
	for r.err == nil {
		item()
		switch r.peek() {
		case ',':
			r.at++
		case end:
			r.leave()
			return
		default:
			r.failHere("a comma or " + string(end))
		}
	}
}

func (r *Reader) enter(open byte) bool {
	r.expect(open)
	if r.depth++; r.depth > MaxDepth {
		r.fail(r.at-1, "nested deeper than %d", MaxDepth)
	}
	return r.err == nil
}

func (r *Reader) leave() {
	r.at++
	r.depth--
}

// expect reads one character of punctuation.
func (r *Reader) expect(c byte) {
	if r.peek() != c {
		r.failHere(string(c))
		return
	}
	r.at++
}

// peek returns the next byte that is not white space, or 0.
func (r *Reader) peek() byte {
	if r.skipSpace(); r.err != nil || r.at == len(r.data) {
		return 0
	}
	return r.data[r.at]
}

func (r *Reader) skipSpace() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}
