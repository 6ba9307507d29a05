package cli

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/internal/daemon"
)

// parsed reads a command line without running it.
func parsed(t *testing.T, env map[string]string, args ...string) (*grammar, error) {
	t.Helper()
	ps, err := newParser(process{
		out: &syncBuffer{}, err: &syncBuffer{},
		getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ps.Parse(args)
	return ps.root, err
}

// TestPrecedence: flag > variable > file > default.
func TestPrecedence(t *testing.T) {
	file := tempFile(t, "timewheel.yaml", `
# comments are fine
listen: 127.0.0.1:1
data: /file
drain-timeout: 1s
max-payload: 1KiB
window: 4096
insecure-no-auth: true
token: from-the-file
`)
	env := map[string]string{
		"TIMEWHEEL_CONFIG": file, "TIMEWHEEL_DATA": "/variable", "TIMEWHEEL_DRAIN_TIMEOUT": "2s",
		"TIMEWHEEL_WINDOW": "8192", "TIMEWHEEL_INSECURE_NO_AUTH": "false", "TIMEWHEEL_LISTEN": "127.0.0.1:2",
	}
	root, err := parsed(t, env, "serve", "--drain-timeout", "3s", "--listen=127.0.0.1:3")
	if err != nil {
		t.Fatal(err)
	}
	c := root.Serve.Config
	for _, check := range []struct {
		what       string
		have, want any
	}{
		{"flag over variable and file", c.DrainTimeout, 3 * time.Second},
		{"flag over variable and file", c.Listen, "127.0.0.1:3"},
		{"variable over file", c.Data, "/variable"},
		{"variable over file", c.Window, 8192},
		{"variable over file", c.InsecureNoAuth, false},
		{"file over default", c.MaxPayload, daemon.Size(1024)},
		{"file over default", root.Token, "from-the-file"},
		{"default", c.Horizon, time.Minute},
	} {
		if check.have != check.want {
			t.Errorf("%s: got %v, want %v", check.what, check.have, check.want)
		}
	}
	if root, err = parsed(t, env, "serve", "--config", tempFile(t, "other.yaml", "window: 2048")); err != nil || root.Serve.Window != 8192 {
		t.Errorf("--config: window %d, %v; want the variable's 8192", root.Serve.Window, err)
	}
	delete(env, "TIMEWHEEL_WINDOW")
	if root, err = parsed(t, env, "serve", "--config", tempFile(t, "other.yaml", "window: 2048")); err != nil || root.Serve.Window != 2048 {
		t.Errorf("--config over TIMEWHEEL_CONFIG: window %d, %v; want 2048", root.Serve.Window, err)
	}
}

func TestDefaultsOfFlagsAreThoseOfTheDaemon(t *testing.T) {
	root, err := parsed(t, nil, "serve")
	if err != nil {
		t.Fatal(err)
	}
	have, want := root.Serve.Config, daemon.Config{}.WithDefaults()
	want.Version, want.Log = "", nil // no flags
	if have != want {
		t.Errorf("the flags' defaults are\n%+v\nthose of the daemon\n%+v", have, want)
	}
}

func TestFaultsOfTheFile(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"an unknown key", "listen: 127.0.0.1:1\ndrain-timout: 1s\n", `line 2: unknown key "drain-timout": use catch-up-rate, data, drain-timeout,`},
		{"a flag that is no key", "addr: http://127.0.0.1:1\n", `line 1: unknown key "addr"`},
		{"the file itself", "config: other.yaml\n", `line 1: unknown key "config"`},
		{"a key twice", "window: 4096\n\nwindow: 8192\n", `line 3: key "window" stands in line 1 already`},
		{"a value of the wrong kind", "listen:\n  - 127.0.0.1:1\n", `line 1: key "listen" must have one plain value`},
		{"no value", "listen:\n", `line 1: key "listen" must have one plain value`},
		{"a value that the flag does not take", "window: many\n", "line 1: expected a valid"},
		{"a word that the flag does not take", "log-level: loud\n", `line 1: must be one of debug,info,warn,error, got "loud"`},
		{"no mapping", "- listen\n", "line 1: must be a list of lines like"},
		{"no YAML", "listen: [\n", "line 1"},
		{"two faults", "a: 1\nb: 2\n", `line 2: unknown key "b"`},
	} {
		file := tempFile(t, "timewheel.yaml", c.text)
		_, err := parsed(t, nil, "serve", "--config", file)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v, want the file's name and %q", c.name, err, c.says)
		}
	}
	if _, err := parsed(t, nil, "serve", "--config", tempFile(t, "empty.yaml", "# nothing yet\n")); err != nil {
		t.Errorf("an empty file: %v", err)
	}
}

func TestAFaultOfAVariableNamesIt(t *testing.T) {
	_, err := parsed(t, map[string]string{"TIMEWHEEL_DRAIN_TIMEOUT": "soon"}, "serve")
	if err == nil || !strings.Contains(err.Error(), "--drain-timeout: variable TIMEWHEEL_DRAIN_TIMEOUT: ") {
		t.Errorf("got %v", err)
	}
	if _, err := parsed(t, map[string]string{"TIMEWHEEL_DRAIN_TIMEOUT": "soon"}, "version"); err != nil {
		t.Errorf("a variable of serve troubles version: %v", err)
	}
}

// TestVariablesOfTasksAreNotFlags: what a worker tells its command must not
// reach a timewheel that the command runs.
func TestVariablesOfTasksAreNotFlags(t *testing.T) {
	env := map[string]string{
		"TIMEWHEEL_QUEUE": "mail", "TIMEWHEEL_KEY": "42", "TIMEWHEEL_ID": "x",
		"TIMEWHEEL_ATTEMPT": "1", "TIMEWHEEL_DUE": "2026-12-01T09:00:00Z", "TIMEWHEEL_EPOCH": "3",
	}
	if _, err := parsed(t, env, "get"); err == nil || !strings.Contains(err.Error(), "missing flags: --key=KEY, --queue=NAME") {
		t.Errorf("got %v, want both flags to be missing", err)
	}
	ps, err := newParser(process{getenv: os.LookupEnv})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ps.env {
		if _, taken := env[name]; taken {
			t.Errorf("variable %s is a flag's and a task's", name)
		}
	}
}

func TestToken(t *testing.T) {
	file := tempFile(t, "token", "open-sesame\n")
	for _, c := range []struct {
		g    grammar
		want string
		says string
	}{
		{grammar{}, "", ""},
		{grammar{Token: "a"}, "a", ""},
		{grammar{TokenFile: file}, "open-sesame", ""},
		{grammar{Token: "a", TokenFile: file}, "", "leave one out"},
		{grammar{TokenFile: tempFile(t, "empty", " \n")}, "", "is empty"},
		{grammar{TokenFile: file + ".not"}, "", "reading the token"},
	} {
		token, err := (&app{grammar: &c.g}).token()
		if token != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: got %q, %v; want %q, %q", c.g, token, err, c.want, c.says)
		}
	}
}

func TestInterruptible(t *testing.T) {
	signals, exits := make(chan os.Signal, 2), make(chan int, 1)
	ctx, stop := process{signals: signals, exit: func(code int) { exits <- code }}.interruptible()
	signals <- os.Interrupt
	<-ctx.Done()
	if ctx.Err() != context.Canceled || len(exits) != 0 {
		t.Errorf("after one signal: %v, %d exits", ctx.Err(), len(exits))
	}
	signals <- os.Interrupt
	if code := <-exits; code != exitFailure {
		t.Errorf("the second signal ends with code %d", code)
	}
	stop()
}
