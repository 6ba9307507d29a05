package crontab

import (
	"fmt"
	"slices"
	"strings"
)

// DefaultShell runs the commands of a crontab that sets no SHELL.
const DefaultShell = "/bin/sh"

// Script returns a POSIX shell script that does what cron does with the entry:
// it sets the environment, goes to the home directory and becomes the command.
// It runs the command as the entry's user, by runuser, if it is another's.
//
// A shell may read the script from its standard input: the command's own input
// is in it.
func (e *Entry) Script() string {
	shell, home := DefaultShell, ""
	var s strings.Builder
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
		s.WriteString("cd \"$HOME\" || exit\n")
		s.WriteString("exec " + quote(shell) + " -c " + quote(e.Command))
	} else {
		s.WriteString(e.asUser(shell, home))
	}
	s.WriteString(redirection(e.Input))
	return s.String()
}

// asUser returns what runs the command as the entry's user. The home directory
// is set by runuser, so that a crontab's own is set after it.
func (e *Entry) asUser(shell, home string) string {
	inner := `cd "$HOME" || exit; exec "$0" -c "$1"`
	if home != "" {
		inner = "HOME=" + quote(home) + "; " + inner
	}
	user := quote(e.User)
	return fmt.Sprintf("[ \"$(id -un)\" = %s ] || set -- runuser -u %s --\nexec \"$@\" %s -c %s %s %s",
		user, user, DefaultShell, quote(inner), quote(shell), quote(e.Command))
}

// redirection ends the script's last line with the command's standard input.
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
