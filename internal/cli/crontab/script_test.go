//go:build unix

package crontab_test

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/internal/cli/crontab"
)

// runScript runs the last line of a crontab as a worker with --exec sh does: the
// script is the shell's standard input.
func runScript(t *testing.T, text string, f crontab.Format, env ...string) (out string, code int) {
	t.Helper()
	lines := parse(t, text, f)
	l := lines[len(lines)-1]
	if l.Entry == nil {
		t.Fatalf("%q is refused: %s", text, l.Fault)
	}
	var b bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "sh")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(l.Entry.Script()), &b, &b
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return b.String(), cmd.ProcessState.ExitCode()
}

func TestScripts(t *testing.T) {
	home := t.TempDir()
	shell := filepath.Join(home, "my shell")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\necho \"mine $1 $2 $SHELL\"\nexit 5\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		out        string
		code       int
	}{
		{"a command", "* * * * * echo hello", "hello\n", 0},
		{"its exit code", "* * * * * echo no >&2; exit 3", "no\n", 3},
		{"no input", "* * * * * cat; echo end", "end\n", 0},
		{"input", "* * * * * cat -%one%  two $HOME `x` \\%%END", "one\n  two $HOME `x` %\nEND\n", 0},
		{"input that nobody reads", "* * * * * true%" + strings.Repeat("x", 1<<17), "", 0},
		{"a long input", "* * * * * wc -c%" + strings.Repeat("x", 1<<17-1), "131072\n", 0},
		{"quotes", `* * * * * echo 'a  b' "c  'd'" \"e\" 'f'"'"'g' $((1+1))`, "a  b c  'd' \"e\" f'g 2\n", 0},
		{"pipes and lists", "* * * * * echo b a | tr ' ' '\\n' | sort && echo end", "a\nb\nend\n", 0},
		{"variables", "A=it's\nB=\" two \"\nC=$A\n* * * * * echo \"$A,$B,$C\"", "it's, two ,$A\n", 0},
		{"a later value", "A=1\nA=2\n* * * * * echo $A", "2\n", 0},
		{"the home directory", "* * * * * pwd", home + "\n", 0},
		{"a home of its own", "HOME=/\n* * * * * pwd; echo $HOME", "/\n/\n", 0},
		{"the shell of cron", "* * * * * echo $SHELL", "/bin/sh\n", 0},
		{"codes that mean more to a worker", "* * * * * echo data; exit 65", "data\nexit code 65, handed on as 1\n", 1},
		{"codes of workers, with input", "* * * * * cat; exit 75%in", "in\nexit code 75, handed on as 1\n", 1},
		{"a shell of its own", "SHELL=" + shell + "\n* * * * * x  y", "mine -c x  y " + shell + "\n", 5},
	} {
		out, code := runScript(t, c.text, crontab.User, "HOME="+home, "SHELL=/bin/other")
		if out != c.out || code != c.code {
			t.Errorf("%s: exit code %d, wrote %q; want %d, %q", c.name, code, out, c.code, c.out)
		}
	}
}

func TestAHomeThatIsNotThere(t *testing.T) {
	out, code := runScript(t, "HOME=/no/such/folder\n* * * * * echo it ran", crontab.User)
	if code == 0 || strings.Contains(out, "it ran") || !strings.Contains(out, "/no/such/folder") {
		t.Errorf("exit code %d, wrote %q", code, out)
	}
}

// TestTheUserDatabase: a worker of a service may have no variables at all.
func TestTheUserDatabase(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	bare := []string{"HOME=", "LOGNAME=", "USER="}
	out, code := runScript(t, "* * * * * pwd; echo $HOME $LOGNAME $USER", crontab.User, bare...)
	if want := me.HomeDir + "\n" + me.HomeDir + " " + me.Username + " " + me.Username + "\n"; out != want || code != 0 {
		t.Errorf("exit code %d, wrote %q, want %q", code, out, want)
	}
	out, code = runScript(t, "* * * * * "+me.Username+" echo $HOME", crontab.System, bare...)
	if out != me.HomeDir+"\n" || code != 0 {
		t.Errorf("with a user: exit code %d, wrote %q", code, out)
	}
	out, code = runScript(t, "HOME=/\n* * * * * pwd", crontab.User, bare...)
	if out != "/\n" || code != 0 {
		t.Errorf("with a home in the crontab: exit code %d, wrote %q", code, out)
	}
}

// TestAUserWhomNobodyKnows has no entry in the user database.
func TestAUserWhomNobodyKnows(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "id"), []byte("#!/bin/sh\necho 4242\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, code := runScript(t, "* * * * * echo it ran", crontab.User, "HOME=", "LOGNAME=", "PATH="+bin+":"+os.Getenv("PATH"))
	if code != 1 || out != "there is no home directory: set HOME, for the worker or in the crontab\n" {
		t.Errorf("exit code %d, wrote %q", code, out)
	}
}

// TestTheSameUser needs no runuser: the worker is that user already.
func TestTheSameUser(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	out, code := runScript(t, "A=it's\nHOME=/\n* * * * * "+me.Username+` id -un; echo "$A"; pwd; cat%in`, crontab.System)
	if want := me.Username + "\nit's\n/\nin\n"; out != want || code != 0 {
		t.Errorf("exit code %d, wrote %q, want %q", code, out, want)
	}
}

// TestAnotherUser hands the command to runuser. One that stands in for it shows
// what it is given, so that the test needs no rights.
func TestAnotherUser(t *testing.T) {
	bin := t.TempDir()
	fake := "#!/bin/sh\necho \"$1 $2 $3\"\nshift 3\nHOME=/tmp exec \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "runuser"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + bin + ":" + os.Getenv("PATH")
	out, code := runScript(t, "* * * * * it's-me pwd; cat; exit 4%in", crontab.System, path)
	if want := "-u it's-me --\n/tmp\nin\n"; out != want || code != 4 {
		t.Errorf("exit code %d, wrote %q, want %q", code, out, want)
	}
	out, _ = runScript(t, "HOME=/\n* * * * * nobody pwd; echo $HOME $SHELL", crontab.System, path)
	if want := "-u nobody --\n/\n/ /bin/sh\n"; out != want {
		t.Errorf("wrote %q, want %q", out, want)
	}
}

// TestRunuser runs as another user for real, where the test may.
func TestRunuser(t *testing.T) {
	if _, err := exec.LookPath("runuser"); err != nil || os.Getuid() != 0 {
		t.Skip("needs root and runuser")
	}
	out, code := runScript(t, "HOME=/\n* * * * * nobody id -un; echo $HOME $USER; exit 7", crontab.System)
	if out != "nobody\n/ nobody\n" || code != 7 {
		t.Errorf("exit code %d, wrote %q", code, out)
	}
}
