package crontab

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// macros are the names that stand for five fields.
var macros = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// entry reads times, user and command.
func (r *reader) entry(text string) (*Entry, []string, error) {
	e := &Entry{Zone: r.env.zone, Jitter: r.env.jitter, Env: r.env.vars}
	rest, notes, err := e.readTimes(text)
	if err != nil {
		return nil, nil, err
	}
	if r.format == System {
		e.User, rest = word(rest)
	}
	switch {
	case r.format == System && rest == "":
		return nil, nil, errors.New("a user and a command must stand after the times; without a user, as in crontab -l, leave --system out")
	case rest == "":
		return nil, nil, errors.New("no command stands after the times")
	}
	if e.Command, e.Input, err = cutInput(rest); err != nil {
		return nil, nil, err
	}
	if strings.TrimSpace(e.Command) == "" {
		return nil, nil, errors.New("no command stands before the % that begins its input")
	}
	e.Name = r.name(e.User, rest)
	return e, notes, nil
}

// readTimes takes the times from the front of a line.
func (e *Entry) readTimes(text string) (rest string, notes []string, err error) {
	if text[0] == '@' {
		e.Times, rest = word(text)
		return rest, nil, checkMacro(e.Times)
	}
	if text[0] == '-' {
		text = text[1:]
		notes = append(notes, "the - in front, which keeps cron from logging the line, is left out")
	}
	fields := make([]string, len(fieldNames))
	rest = text
	for i := range fields {
		if fields[i], rest = word(rest); fields[i] == "" {
			return "", nil, fmt.Errorf("five fields and a command must stand here, got %d: %s", i, strings.Join(fieldNames, ", "))
		}
		if err := checkField(fieldNames[i], fields[i]); err != nil {
			return "", nil, err
		}
	}
	days, weekdays := fields[2], fields[4]
	starred := days[0] == '*' || weekdays[0] == '*'
	e.BothDays = starred && days != "*" && weekdays != "*"
	if e.BothDays {
		notes = append(notes, "a day must be named by both day fields, since one of them begins with *: so cron has it")
	}
	if minutes := writtenOut(fields[0]); minutes != fields[0] {
		notes = append(notes, fmt.Sprintf("the minutes %s are written out as %s: a field that does not begin with * means fixed times to cron, when clocks change",
			clip(fields[0]), minutes))
		fields[0] = minutes
	}
	if note := e.readChanges(fields[0], fields[1]); note != "" {
		notes = append(notes, note)
	}
	e.Times = strings.Join(fields, " ")
	return rest, notes, nil
}

// readChanges goes by Vixie's rule: what begins with * in minutes or hours follows
// the clocks, and all else is times of the day.
func (e *Entry) readChanges(minutes, hours string) (note string) {
	switch {
	case minutes[0] == '*' || hours == "*":
	case hours[0] == '*':
		e.Changes = RealTimes
		return "hours that begin with * follow the clocks when they change, as in cron: what they skip is not made up for"
	case hours == "0-23":
		e.Changes = FixedOnes
		return "hours that do not begin with * are times of the day when clocks change, as in cron: each comes once"
	}
	return ""
}

func checkMacro(name string) error {
	switch {
	case slices.Contains(macros, name):
		return nil
	case name == "@reboot":
		return errors.New("@reboot is no time: it means the start of the machine, which a scheduler of times does not see. " +
			"Let what starts the machine's services run it, a systemd unit, say")
	}
	return fmt.Errorf("%s is unknown: there are %s", clip(name), strings.Join(macros, ", "))
}

var fieldNames = []string{"minute", "hour", "day of month", "month", "day of week"}

// checkField refuses what crons read in different ways. All else that can be
// wrong is left to whoever reads the times.
func checkField(name, text string) error {
	for element := range strings.SplitSeq(text, ",") {
		base, _, stepped := strings.Cut(element, "/")
		switch {
		case strings.Contains(element, "~"):
			return fmt.Errorf("%s, %s: random values are not known here; H(0-29), in a schedule of your own, spreads by the key", name, clip(element))
		case strings.ContainsFunc(element, foreign):
			return fmt.Errorf("%s, %q: a crontab has numbers, names, *, -, / and commas there", name, clip(element))
		case element != text && (element == "*" || element == "*/1"):
			return fmt.Errorf("%s, %s: * in a list names everything, with or without the rest: write * alone", name, clip(text))
		case stepped && base != "*" && !strings.Contains(base, "-"):
			return fmt.Errorf("%s, %s: some crons take it as %s alone, others as a range from %s on: write %s-LAST/STEP, or %s",
				name, clip(element), clip(base), clip(base), clip(base), clip(base))
		}
	}
	return nil
}

// foreign reports whether a character has no place in the fields of a crontab.
func foreign(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("*-/", r)
}

// word takes the first word and the space behind it from a text.
func word(text string) (first, rest string) {
	at := strings.IndexAny(text, " \t")
	if at < 0 {
		return text, ""
	}
	return text[:at], strings.TrimLeft(text[at:], " \t")
}

// cutInput separates a command from what it reads: that begins at the first %,
// and further ones are line ends. A backslash before a % makes it a plain one, and
// means nothing before all else. Of two backslashes before a % of the command,
// some crons take the second for its escape, others take neither.
func cutInput(text string) (command, input string, err error) {
	command, rest, found := cutPercent(text)
	if strings.Contains(strings.TrimSuffix(text, rest), "\\\\%") {
		return "", "", errors.New("two backslashes before a % mean one thing to some crons and another to others: put the command into a script")
	}
	if !found || rest == "" {
		return command, "", nil
	}
	var lines strings.Builder
	for more := true; more; {
		var line string
		line, rest, more = cutPercent(rest)
		if line != "" || more {
			lines.WriteString(line + "\n")
		}
	}
	return command, lines.String(), nil
}

// cutPercent cuts a text around its first % without a backslash.
func cutPercent(text string) (before, after string, found bool) {
	var b strings.Builder
	escaped := false
	for i := range len(text) {
		c := text[i]
		switch {
		case escaped && c == '%':
			b.WriteByte(c)
		case c == '%':
			return b.String(), text[i+1:], true
		default:
			if escaped {
				b.WriteByte('\\')
			}
			if c != '\\' {
				b.WriteByte(c)
			}
		}
		escaped = c == '\\'
	}
	if escaped {
		b.WriteByte('\\')
	}
	return b.String(), "", false
}

// clip shortens what a stranger wrote, for a message.
func clip(s string) string {
	if len(s) <= 40 {
		return s
	}
	return strings.ToValidUTF8(s[:40], "") + "…"
}
