package cli

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/timewheel-dev/timewheel/internal/daemon"
)

//go:generate go test -run TestReference|TestHelp|TestOutput -update .

var update = flag.Bool("update", false, "write the golden files and the reference pages anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// syncBuffer may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer // guarded by mu
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// shellOf is a process for a test: its variables, input and signals.
type shellOf struct {
	t       *testing.T
	env     map[string]string
	stdin   string
	tty     bool // the standard error is a terminal
	signals chan os.Signal
	exits   chan int
	out     *syncBuffer
	err     *syncBuffer
}

func newShell(t *testing.T) *shellOf {
	t.Setenv("COLUMNS", "100") // kong wraps help to it
	return &shellOf{t: t, env: map[string]string{}, signals: make(chan os.Signal, 2), exits: make(chan int, 1)}
}

// run runs a command line to its end and returns its output.
func (s *shellOf) run(args ...string) (out, err string, code int) {
	s.t.Helper()
	code = s.start(args...)()
	return s.out.String(), s.err.String(), code
}

// start runs a command line beside the test. wait returns its exit code.
func (s *shellOf) start(args ...string) (wait func() int) {
	s.t.Helper()
	s.out, s.err = &syncBuffer{}, &syncBuffer{}
	code := make(chan int, 1)
	p := process{
		in: strings.NewReader(s.stdin), out: s.out, err: s.err, errTerminal: s.tty,
		getenv:  func(name string) (string, bool) { v, ok := s.env[name]; return v, ok },
		environ: os.Environ, signals: s.signals, exit: func(code int) { s.exits <- code },
	}
	go func() { code <- run(args, p) }()
	return func() int {
		s.t.Helper()
		select {
		case c := <-code:
			return c
		case <-time.After(30 * time.Second):
			s.t.Fatalf("timewheel %s did not end; so far it wrote\n%s\n%s", strings.Join(args, " "), s.out, s.err)
			return -1
		}
	}
}

// must runs a command line that has to succeed and returns what it wrote.
func (s *shellOf) must(args ...string) string {
	s.t.Helper()
	out, err, code := s.run(args...)
	if code != exitOK {
		s.t.Fatalf("timewheel %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, err)
	}
	return out
}

// withDaemon starts a daemon for the test and returns a process that knows it.
func withDaemon(t *testing.T) *shellOf {
	t.Helper()
	s := newShell(t)
	ctx, stop := context.WithCancel(t.Context())
	addr, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Config{Listen: "127.0.0.1:0", Data: t.TempDir()}, func(a net.Addr) { addr <- a })
	}()
	select {
	case a := <-addr:
		s.env["TIMEWHEEL_ADDR"] = "http://" + a.String()
	case err := <-ended:
		t.Fatalf("the daemon did not start: %v", err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	return s
}

// golden compares a text with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, have string) {
	t.Helper()
	compare(t, filepath.Join("testdata", name), have)
}

func compare(t *testing.T, file, have string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != have {
		t.Errorf("%s is not what is written now; if that is right, run go generate ./internal/cli\nnow:\n%s\nin the file:\n%s", file, have, want)
	}
}

// tempFile writes a file for a test.
func tempFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// has reports what is missing from a text.
func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s has no %q:\n%s", what, p, text)
		}
	}
}

// eventually waits for a condition, and looks at it again and again.
func eventually(t *testing.T, what string, good func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(15 * time.Second); !good(); <-look.C {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

// writeText answers a request.
func writeText(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Error(err)
	}
}
