package cli

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/daemon"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the command failed, or some of what it was asked to do
	exitUsage   = 2 // the command line, a variable or the configuration file is wrong or asks for what is not allowed; nothing was done
)

// usageError is a fault of the command line that the grammar can't find.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// errReported is returned by commands that have told all there is to tell.
var errReported = errors.New("reported already")

// report turns the error that a command ended with into a line for a person, ""
// if there is nothing to say, and an exit code.
func report(err error) (line string, code int) {
	var parse *kong.ParseError
	var usage *usageError
	switch {
	case err == nil:
		return "", exitOK
	case errors.Is(err, errReported):
		return "", exitFailure
	case errors.As(err, &usage):
		return oneLine(usage.message), exitUsage
	case errors.As(err, &parse):
		return choices(oneLine(parse.Error())) + seeHelp(parse.Context), exitUsage
	case refused(err):
		return oneLine(explain(err).Error()), exitUsage
	}
	return oneLine(explain(err).Error()), exitFailure
}

// refused reports whether a daemon, to be or called, does not allow what the
// command line asks for.
func refused(err error) bool {
	_, exposed := errors.AsType[*daemon.ExposedError](err)
	_, config := errors.AsType[daemon.ConfigError](err)
	return exposed || config || client.IsInvalid(err) || client.IsTooLarge(err)
}

// choices takes the choice of flags that are left out off a list of choices:
// nobody would type it.
func choices(message string) string {
	return strings.Replace(message, `must be one of "",`, "must be one of ", 1)
}

// seeHelp points to the help of the command that was being read.
func seeHelp(ctx *kong.Context) string {
	path := ""
	if ctx != nil && ctx.Selected() != nil {
		path = " " + ctx.Selected().Path()
	}
	return `; see "timewheel` + path + ` --help"`
}

// oneLine keeps an error message on its line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\n", "; ")), " ")
}
