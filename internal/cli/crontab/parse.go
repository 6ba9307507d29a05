package crontab

import (
	"fmt"
	"strings"
	"time"
)

// Limits on a crontab.
const (
	MaxSize  = 1 << 20 // in bytes
	MaxLines = 10_000
	MaxVars  = 100 // different variables
)

// Format is one of the two forms that crontabs have.
type Format uint8

// The formats.
const (
	User   Format = iota // of one user, as crontab -l prints it
	System               // /etc/crontab and /etc/cron.d, with a user before each command
)

// Line is what was made of one line: one of Set, Entry and Fault is there.
// Comments and blank lines are none.
type Line struct {
	Number int // from 1
	Set    *Variable
	Entry  *Entry
	Fault  string   // why the line is refused
	Notes  []string // what a reader should know of how it was taken
}

// Variable is an environment setting.
type Variable struct {
	Name, Value string
}

// Entry is a command and its times.
type Entry struct {
	Times string // five fields, or a name such as @daily
	// BothDays is set if a day must be named by both day fields of Times, since one
	// of them begins with an asterisk. Else a day that either names is enough, and *
	// names none.
	BothDays bool
	Changes  Changes       // what the times mean when clocks change
	Zone     string        // of CRON_TZ; "": that of the machine
	Jitter   time.Duration // of RANDOM_DELAY

	User    string     // of the System format, else ""
	Command string     // for the shell
	Input   string     // what the command reads, whole lines; "" if nothing
	Env     []Variable // in the order in which they were set first

	Name string // made of the command, the same each time and unique in the crontab
}

// Changes says what times mean when clocks change, where cron goes by how they are
// written and others would go by what they name.
type Changes uint8

// The ways to take times when clocks change.
const (
	AsNamed   Changes = iota // as whoever reads the times takes them
	RealTimes                // skipped in a gap and twice in an overlap: hours such as */2
	FixedOnes                // once a day each, whatever the clocks do: hours 0-23
)

// Parse reads a crontab. The error is that it is too large; what is wrong with a
// line stands there.
func Parse(text string, f Format) ([]Line, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("a crontab is at most %d bytes long, this is longer", MaxSize)
	}
	r := reader{format: f, names: make(map[string]int)}
	var lines []Line
	for n, text := range enumerate(strings.Lines(text)) {
		if n > MaxLines {
			return nil, fmt.Errorf("a crontab has at most %d lines, this has more", MaxLines)
		}
		text = strings.TrimLeft(strings.TrimRight(text, "\r\n"), " \t")
		if text == "" || text[0] == '#' {
			continue
		}
		l := Line{Number: n}
		r.read(&l, text)
		lines = append(lines, l)
	}
	return lines, nil
}

// enumerate counts what a sequence yields, from 1.
func enumerate(seq func(func(string) bool)) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for s := range seq {
			if n++; !yield(n, s) {
				return
			}
		}
	}
}

// reader goes through a crontab and keeps what the lines above have set.
type reader struct {
	format Format
	env    environment
	names  map[string]int // how many entries have had a name
}

// read makes a Line of a text that is neither blank nor a comment.
func (r *reader) read(l *Line, text string) {
	var err error
	if strings.ContainsRune(text, 0) {
		l.Fault = "it has a NUL byte, which no shell takes"
		return
	}
	switch l.Set, err = cutVariable(text); {
	case err != nil:
	case l.Set != nil:
		l.Notes, err = r.env.set(l.Set)
	default:
		l.Entry, l.Notes, err = r.entry(text)
	}
	if err != nil {
		l.Set, l.Entry, l.Notes, l.Fault = nil, nil, nil, err.Error()
	}
}
