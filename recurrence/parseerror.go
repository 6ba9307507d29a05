package recurrence

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseError is why an expression was refused.
type ParseError struct {
	Expr   string // the expression, whole
	Field  string // "minute", "day of month", …; empty if no one field is at fault
	Pos    int    // where the fault is: an offset into Expr in bytes, from 0 to len(Expr)
	Text   string // the part at fault, clipped; may be empty
	Reason string // what is wrong, and what is allowed
}

// Error returns one line with all of it. Columns count from 1.
func (e *ParseError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "recurrence: %q: ", clip(e.Expr))
	if e.Field != "" {
		b.WriteString(e.Field + ", ")
	}
	fmt.Fprintf(&b, "column %d", e.Pos+1)
	if e.Text != "" {
		fmt.Fprintf(&b, ", at %q", e.Text)
	}
	return b.String() + ": " + e.Reason
}

// maxClip is how much of what a stranger wrote is shown to him again, in bytes.
const maxClip = 80

func clip(s string) string {
	if len(s) <= maxClip {
		return s
	}
	end := maxClip
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
