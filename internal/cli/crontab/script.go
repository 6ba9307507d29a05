package crontab

import (
	"fmt"
	"slices"
	"strings"
)

// DefaultShell runs the commands of a crontab that sets no SHELL.
const DefaultShell = "/bin/sh"

// login gives the script what cron takes from the user database, where the
// worker has none of its own. A ~ with a name is the one way to a home directory
// that every shell knows.
const login = `export LOGNAME="${LOGNAME:-$(id -un)}"
export USER="${USER:-$LOGNAME}" HOME="${HOME:-$(eval "echo ~$(id -un)")}"
`

// goHome goes to the home directory. That of a user whom nobody knows is no path.
const goHome = `case $HOME in
/*) cd "$HOME" || exit 1 ;;
*) echo "there is no home directory: set HOME, for the worker or in the crontab" >&2; exit 1 ;;
esac
`

// verdict keeps apart what a worker means by an exit code and what a command of
// a crontab does, which knows nothing of workers: 65 and 75 are plain failures.
const verdict = `code=$?
case $code in
65 | 75) echo "exit code $code, handed on as 1" >&2; exit 1 ;;
esac
exit $code
`

// Script returns a POSIX shell script that does what cron does with the entry:
// it sets the environment, goes to the home directory and runs the command. It
// does so as the entry's user, by runuser, if it is another's. Its exit code is
// the command's, but for 65 and 75, which it turns into 1 since they mean more
// than a failure to a worker.
//
// A shell may read the script from its standard input: the command's own input
// is in it.
func (e *Entry) Script() string {
	shell, home := DefaultShell, ""
	var s strings.Builder
	s.WriteString(login)
	for _, v := range e.Env {
		switch v.Name {
		case "SHELL":
			shell = v.Value
		case "HOME":
			home = v.Value
		}
		fmt.Fprintf(&s, "export %s=%s\n", v.Name, quote(v.Value))
	}
	if !slices.ContainsFunc(e.Env, func(v Variable) bool { return v.Name == "SHELL" }) {
		s.WriteString("export SHELL=" + DefaultShell + "\n")
	}
	if e.User == "" {
		s.WriteString(goHome)
		s.WriteString(quote(shell) + " -c " + quote(e.Command))
	} else {
		s.WriteString(e.asUser(shell, home))
	}
	s.WriteString(redirection(e.Input))
	s.WriteString(verdict)
	return s.String()
}

// asUser returns what runs the command as the entry's user. The home directory
// is set by runuser, so that a crontab's own is set after it.
func (e *Entry) asUser(shell, home string) string {
	inner := goHome + `exec "$0" -c "$1"`
	if home != "" {
		inner = "HOME=" + quote(home) + "\n" + inner
	}
	user := quote(e.User)
	return fmt.Sprintf("[ \"$(id -un)\" = %s ] || set -- runuser -u %s --\n\"$@\" %s -c %s %s %s",
		user, user, DefaultShell, quote(inner), quote(shell), quote(e.Command))
}

// redirection ends a command line with the command's standard input.
func redirection(input string) string {
	if input == "" {
		return " </dev/null\n"
	}
	end := "END"
	for strings.Contains("\n"+input, "\n"+end+"\n") {
		end += "_"
	}
	return " <<'" + end + "'\n" + input + end + "\n"
}

// quote makes one word of a text, for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
