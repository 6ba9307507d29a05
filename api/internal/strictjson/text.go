package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Text reads a string and returns what it says. The result is valid until the
// next string is read.
func (r *Reader) Text() []byte {
	if r.peek() != '"' {
		r.failHere("a string")
		return nil
	}
	start := r.at + 1
	escaped := r.span()
	if r.err != nil {
		return nil
	}
	inside := r.data[start : r.at-1]
	if !escaped {
		return inside
	}
	return r.unescape(inside, start)
}

// span reads a string without looking at what it says, and reports whether it
// has escapes. The first quote is known to be there.
func (r *Reader) span() (escaped bool) {
	start := r.at
	if r.err != nil {
		return false
	}
	for i := r.at + 1; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.at = i + 1
			return escaped
		case c == '\\':
			escaped = true
			n := escapeLen(r.data[i:])
			if n == 0 {
				r.fail(i, `not an escape: after a \ comes one of "\/bfnrt or u and four hexadecimal digits`)
				return false
			}
			i += n - 1
		case c < ' ':
			r.fail(i, `control character %#x in a string: write it as an escape such as \n`, c)
			return false
		}
	}
	r.fail(start, "this string does not end")
	return false
}

// escapeLen returns the length of the escape that b begins with, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := unit(b); ok {
			return 6
		}
	}
	return 0
}

// unit returns the UTF-16 code unit of an escape such as \u00e9.
func unit(b []byte) (u rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case isDigit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | rune(c)
	}
	return u, true
}

// unescape returns what s says, whose escapes are known to be well-formed. Its
// first byte is at offset.
func (r *Reader) unescape(s []byte, offset int) []byte {
	out := r.scratch[:0]
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		c, size := escaped(s[i:])
		if size == 0 {
			r.fail(offset+i, "half of a surrogate pair stands alone")
			return nil
		}
		out = utf8.AppendRune(out, c)
		i += size
	}
	r.scratch = out
	return out
}

// escaped returns the character that b's first escape stands for and the
// escape's length, which is 0 for half of a surrogate pair.
func escaped(b []byte) (c rune, size int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return escapedUnit(b)
	}
	return rune(b[1]), 2
}

func escapedUnit(b []byte) (c rune, size int) {
	first, _ := unit(b)
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	second, _ := unit(b[6:])
	if c = utf16.DecodeRune(first, second); c == utf8.RuneError {
		return 0, 0
	}
	return c, 12
}
