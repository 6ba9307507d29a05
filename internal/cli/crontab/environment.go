package crontab

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// environment is what the lines so far have set.
type environment struct {
	vars   []Variable // shared with the entries above: copied before it is changed
	zone   string
	jitter time.Duration
}

// maxRandomDelay is as long as a schedule's jitter may be, in minutes.
const maxRandomDelay = 24 * 60

// exportable is what a shell can export.
var exportable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// set takes a setting over and returns what there is to say about it.
func (e *environment) set(v *Variable) (notes []string, err error) {
	switch {
	case !exportable.MatchString(v.Name):
		return nil, fmt.Errorf("%q is not a name that a shell can export: letters, digits and _", v.Name)
	case v.Name == "LOGNAME":
		return []string{"left out: cron lets no crontab change it either"}, nil
	case v.Name == "SHELL" && v.Value == "":
		return nil, errors.New("SHELL is empty: give the path of a shell, or leave the line out for /bin/sh")
	case v.Name == "RANDOM_DELAY":
		if err := e.setJitter(v.Value); err != nil {
			return nil, err
		}
		notes = append(notes, "becomes the jitter of the schedules below")
	case v.Name == "CRON_TZ":
		e.zone = strings.TrimPrefix(v.Value, ":")
		notes = append(notes, "is the time zone of the schedules below")
	case v.Name == "TZ":
		notes = append(notes, "is handed to the commands and, as with cron, does not move their times: CRON_TZ does, and --tz")
	case strings.HasPrefix(v.Name, "MAIL"):
		notes = append(notes, "no mail is sent: the end of the output is kept with each outcome")
	}
	return notes, e.put(*v)
}

func (e *environment) setJitter(minutes string) error {
	n, err := strconv.Atoi(minutes)
	if err != nil || n < 0 || n > maxRandomDelay {
		return fmt.Errorf("RANDOM_DELAY must be a number of minutes from 0 to %d, got %q", maxRandomDelay, minutes)
	}
	e.jitter = time.Duration(n) * time.Minute
	return nil
}

func (e *environment) put(v Variable) error {
	at := slices.IndexFunc(e.vars, func(have Variable) bool { return have.Name == v.Name })
	if at < 0 && len(e.vars) == MaxVars {
		return fmt.Errorf("a crontab sets at most %d variables", MaxVars)
	}
	e.vars = slices.Clone(e.vars)
	if at < 0 {
		e.vars = append(e.vars, v)
	} else {
		e.vars[at] = v
	}
	return nil
}

// cutVariable reads a line of the form name = value, either of which may be
// quoted. It returns nil for a line of another form.
func cutVariable(text string) (*Variable, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return nil, nil //nolint:nilnil // a line of another form is no error
	}
	name, quoted, whole := unquote(strings.TrimRight(name, " \t"))
	if !whole || !quoted && strings.ContainsAny(name, " \t") {
		return nil, nil //nolint:nilnil // a line of another form is no error
	}
	if value, _, whole = unquote(strings.Trim(value, " \t")); !whole {
		return nil, fmt.Errorf("the value of %s begins with a quote: it must end with the same, and with nothing behind it", clip(name))
	}
	return &Variable{name, value}, nil
}

// unquote removes the quotes around a text. whole is false if something stands
// behind them, or one is missing.
func unquote(text string) (inner string, quoted, whole bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return text, false, true
	}
	inner, rest, closed := strings.Cut(text[1:], text[:1])
	return inner, true, closed && rest == ""
}
