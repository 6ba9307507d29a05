package wire

import "strings"

// PathSegment escapes s so that it is one segment of a path, whatever it
// holds: all but letters, digits and - _ ~ is percent-encoded, the dot too if
// there is nothing else, since "." and ".." would be folded away.
func PathSegment(s string) string {
	plain := strings.Trim(s, ".") != ""
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; unreserved(c) || c == '.' && plain {
			b.WriteByte(c)
		} else {
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '~'
}
