//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// execute runs a command with a payload and returns how it ended and what it wrote.
func execute(ctx context.Context, t *testing.T, line, payload string) (e ending, out, errs string) {
	t.Helper()
	var o, s bytes.Buffer
	e = execution{line: line, env: append(os.Environ(), "TIMEWHEEL_KEY=42"), stdin: []byte(payload), out: &o, err: &s, grace: 100 * time.Millisecond}.run(ctx)
	return e, o.String(), s.String()
}

func TestExecution(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       ending
		out, err   string
	}{
		{"success", `cat; echo " $TIMEWHEEL_KEY"`, ending{code: 0, output: "payload 42"}, "payload 42\n", ""},
		{"failure", `echo no >&2; exit 3`, ending{code: 3, tail: "no", output: "no"}, "", "no\n"},
		{"no reading of the payload", `exit 0`, ending{code: 0}, "", ""},
		{"an unknown command", `no-such-command-anywhere 2>/dev/null`, ending{code: 127}, "", ""},
	} {
		e, out, errs := execute(t.Context(), t, c.line, "payload")
		if e != c.want || out != c.out || errs != c.err {
			t.Errorf("%s: %+v, wrote %q and %q", c.name, e, out, errs)
		}
	}
}

func TestABigPayloadThatNobodyReads(t *testing.T) {
	if e, _, _ := execute(t.Context(), t, "exit 0", strings.Repeat("x", 4<<20)); e.code != 0 || e.fault != nil {
		t.Errorf("got %+v", e)
	}
}

func TestOnlyTheTailIsKept(t *testing.T) {
	e, _, errs := execute(t.Context(), t, `i=0; while [ $i -lt 1000 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 1`, "")
	if len(e.output) > outputLen || !strings.HasSuffix(e.output, "line 999") || strings.Contains(e.output, "line 1\n") {
		t.Errorf("%d bytes of output: %q", len(e.output), e.output)
	}
	if len(e.tail) > tailLen || !strings.HasSuffix(e.tail, "line 999") || strings.Contains(e.tail, "line 1\n") || !strings.Contains(errs, "line 1\n") {
		t.Errorf("%d bytes: %q", len(e.tail), e.tail)
	}
}

// TestBothStreamsAreKept, in the order in which the command wrote, if it takes
// its time.
func TestBothStreamsAreKept(t *testing.T) {
	e, out, errs := execute(t.Context(), t, "echo out; sleep 0.2; echo err >&2", "")
	if e.output != "out\nerr" || out != "out\n" || errs != "err\n" {
		t.Errorf("kept %q, passed on %q and %q", e.output, out, errs)
	}
}

func TestASignalledCommand(t *testing.T) {
	if e, _, _ := execute(t.Context(), t, "kill -9 $$", ""); e.code != -1 || e.fault == nil || !strings.Contains(e.fault.Error(), "signal: killed") {
		t.Errorf("got %+v", e)
	}
}

// TestTheWholeGroupIsEnded: the shell's children end with it, one that does not
// listen to SIGTERM included.
func TestTheWholeGroupIsEnded(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the lease is lost")
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		eventually(t, "both processes run", func() bool {
			b, err := os.ReadFile(pids)
			return err == nil && bytes.Count(b, []byte("\n")) == 2
		})
		cancel(reason)
	}()
	e, _, _ := execute(ctx, t, `
		sleep 1000 & echo $! >> `+pids+`
		sh -c 'trap "" TERM; echo $$ >> `+pids+`; while :; do sleep 0.01; done' &
		wait`, "")
	<-begun
	if !errors.Is(e.fault, reason) || e.code != -1 {
		t.Errorf("got %+v", e)
	}
	b, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for field := range strings.FieldsSeq(string(b)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the process has ended", func() bool { return !running(pid) })
	}
}

// running reports whether a process is there and not yet buried.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// TestAStreamHeldOpen: a process that the command leaves behind does not hold
// the attempt up.
func TestAStreamHeldOpen(t *testing.T) {
	begun := time.Now()
	e, out, _ := execute(t.Context(), t, `sleep 5 & echo done`, "")
	if took := time.Since(begun); e.code != 0 || e.fault != nil || out != "done\n" || took > 4*time.Second {
		t.Errorf("%+v after %s, wrote %q", e, took, out)
	}
}
