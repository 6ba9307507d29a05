package webhook

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes a stranger's text fit for an error message: at most so many
// bytes, valid UTF-8, and nothing that a terminal or a log would take for more
// than text. What does not print becomes a space, and spaces become one.
func printable(s string, most int) string {
	var b strings.Builder
	b.Grow(min(len(s), most))
	gap := false
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			gap = b.Len() > 0
			continue
		}
		width := utf8.RuneLen(r)
		if gap {
			width++
		}
		if b.Len()+width > most {
			break
		}
		if gap {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		gap = false
	}
	return b.String()
}

// escape percent-encodes (RFC 3986, section 2.1) each byte of s that a header
// can't carry or might lose: all but visible ASCII, and the percent sign.
func escape(s string) string {
	n := 0
	for i := range len(s) {
		if mustEscape(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+2*n)
	for i := range len(s) {
		if c := s[i]; mustEscape(c) {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func mustEscape(c byte) bool { return c <= ' ' || c >= 0x7f || c == '%' }
