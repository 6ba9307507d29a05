package cli

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// writeJSON writes one document on one line, a task's payload byte for byte.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	if err := wire.Encode(&b, v); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

// table gathers rows and writes them in columns.
type table struct {
	out   io.Writer
	width int // of the lines; 0: no bound
	text  bytes.Buffer
	w     *tabwriter.Writer
}

func newTable(out io.Writer, head ...string) *table {
	t := &table{out: out}
	t.w = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	if len(head) > 0 {
		t.row(head...)
	}
	return t
}

// newList returns a table that is cut at the edge of the terminal: it is there to
// look over many things, and each of them can be looked at whole.
func (a *app) newList() *table {
	t := newTable(a.out)
	t.width = a.outWidth
	if text, ok := a.getenv("COLUMNS"); ok {
		if n, err := strconv.Atoi(text); err == nil && n >= minWidth {
			t.width = n
		}
	}
	return t
}

// minWidth is as narrow as a list can be.
const minWidth = 40

// row adds a row.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = visible(c)
	}
	fmt.Fprintln(t.w, strings.Join(cells, "\t")+"\t") //nolint:errcheck // it goes to memory
}

// flush writes the rows so far.
func (t *table) flush() error {
	if err := t.w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(t.text.String()) {
		line = strings.TrimRight(line, " \n")
		if t.width > 0 {
			line = short(line, t.width)
		}
		if _, err := fmt.Fprintln(t.out, line); err != nil {
			return err
		}
	}
	t.text.Reset()
	return nil
}

// visible returns s on one line, without anything that a terminal acts upon or
// a reader can't see.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '·'
	}, s)
}

// instant writes an instant as the API does, and none as "-".
func instant(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// short cuts s, for a column, to n runes.
func short(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// clipKey cuts a key, for a column, in its middle: its end tells the occurrences
// of a schedule apart.
func clipKey(key string) string {
	const head, tail = 35, 28
	runes := []rune(key)
	if len(runes) <= head+1+tail {
		return key
	}
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// rate writes a number of things per second.
func rate(n int, took time.Duration) string {
	if took <= 0 {
		return "-"
	}
	return thousands(int(float64(n)/took.Seconds())) + "/s"
}

// thousands writes n with a comma every three digits.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
