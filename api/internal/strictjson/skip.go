package strictjson

import "bytes"

// Raw reads any value and returns it byte for byte.
func (r *Reader) Raw() []byte {
	r.skipSpace()
	start := r.at
	r.Skip()
	if r.err != nil {
		return nil
	}
	return r.data[start:r.at:r.at]
}

// Skip reads any value.
func (r *Reader) Skip() {
	switch r.Kind() {
	case Object:
		r.list('{', '}', r.skipMember)
	case Array:
		r.list('[', ']', r.Skip)
	case String:
		r.span()
	case Number:
		r.Number()
	case Bool:
		r.Bool()
	case Null:
		r.literal("null")
	default:
		r.failHere("a value")
	}
}

func (r *Reader) skipMember() {
	if r.peek() != '"' {
		r.failHere("a name in quotes")
		return
	}
	r.span()
	r.expect(':')
	r.Skip()
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	if r.peek() == 't' {
		r.literal("true")
		return true
	}
	r.literal("false")
	return false
}

func (r *Reader) literal(word string) {
	r.skipSpace()
	if !bytes.HasPrefix(r.data[r.at:], []byte(word)) {
		r.failHere(word)
		return
	}
	r.at += len(word)
}

// Number reads a number and returns it as it is written.
func (r *Reader) Number() []byte {
	r.skipSpace()
	start := r.at
	if r.is('-') {
		r.at++
	}
	if r.is('0') {
		r.at++
	} else {
		r.digits()
	}
	if r.is('.') {
		r.at++
		r.digits()
	}
	if r.is('e') || r.is('E') {
		r.at++
		if r.is('+') || r.is('-') {
			r.at++
		}
		r.digits()
	}
	if r.err != nil {
		return nil
	}
	return r.data[start:r.at]
}

// is reports whether the very next byte is c.
func (r *Reader) is(c byte) bool { return r.at < len(r.data) && r.data[r.at] == c }

// digits reads one digit or more.
func (r *Reader) digits() {
	start := r.at
	for r.at < len(r.data) && isDigit(r.data[r.at]) {
		r.at++
	}
	if r.at == start {
		r.failHere("a digit")
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
