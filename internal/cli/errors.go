package cli

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the command failed, or some of what it was asked to do
	exitUsage   = 2 // the command line, a variable or the configuration file is wrong; nothing was done
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
		return oneLine(parse.Error()) + seeHelp(parse.Context), exitUsage
	}
	return oneLine(explain(err).Error()), exitFailure
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
