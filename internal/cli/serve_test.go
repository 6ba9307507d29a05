package cli

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
)

// served starts timewheel serve on a free port and returns its address.
func served(t *testing.T, s *shellOf, args ...string) (addr string, wait func() int) {
	t.Helper()
	wait = s.start(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	var line struct {
		Msg  string `json:"msg"`
		Addr string `json:"addr"`
	}
	eventually(t, "it serves", func() bool {
		first, _, _ := strings.Cut(s.err.String(), "\n")
		return json.Unmarshal([]byte(first), &line) == nil && line.Msg == "serving"
	})
	return "http://" + line.Addr, wait
}

func TestServe(t *testing.T) {
	s := newShell(t)
	s.env["TIMEWHEEL_TOKEN"] = "open-sesame"
	addr, wait := served(t, s, "--data", t.TempDir())
	at := newShell(t)
	at.env["TIMEWHEEL_ADDR"] = addr
	if _, err, code := at.run("queues", "list"); code != exitFailure || !strings.Contains(err, "asks for a token") {
		t.Errorf("without the token: exit code %d, %s", code, err)
	}
	at.env["TIMEWHEEL_TOKEN"] = "open-sesame"
	at.must("schedule", "--queue", "q", "--key", "k", "--in", "1h")
	s.signals <- syscall.SIGTERM
	if code := wait(); code != exitOK {
		t.Errorf("after SIGTERM: exit code %d", code)
	}
	has(t, "the log", s.err.String(), `"msg":"serving"`, `"version":"`+Version()+`"`, `"msg":"draining"`, `"msg":"stopped"`)
	if strings.Contains(s.err.String(), "open-sesame") || s.out.String() != "" {
		t.Errorf("the token is in the log, or stdout is not empty:\n%s%s", s.err, s.out)
	}
}

// TestServeStopsAtOnce at the second signal, though a push is running.
func TestServeStopsAtOnce(t *testing.T) {
	s := newShell(t)
	gate, receiver := stuckReceiver(t)
	addr, wait := served(t, s, "--data", t.TempDir(), "--drain-timeout", "1h")
	at := newShell(t)
	at.env["TIMEWHEEL_ADDR"] = addr
	at.must("schedule", "--queue", "q", "--in", "0s", "--webhook", receiver)
	<-gate.reached
	s.signals <- os.Interrupt
	eventually(t, "it drains", func() bool { return strings.Contains(s.err.String(), `"msg":"draining"`) })
	s.signals <- os.Interrupt
	if code := <-s.exits; code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	close(gate.letGo) // a real process would be gone: let this one end in peace
	wait()
}

func TestServeRefusesTheWorld(t *testing.T) {
	s := newShell(t)
	_, err, code := s.run("serve", "--listen", "0.0.0.0:0", "--data", t.TempDir())
	if code != exitUsage || !strings.HasPrefix(err, "timewheel: listening on 0.0.0.0:0 without a token") || strings.Count(err, "\n") != 1 {
		t.Errorf("exit code %d: %s", code, err)
	}
	s.env["TIMEWHEEL_TOKEN"] = "two words"
	_, err, code = s.run("serve", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	if code != exitUsage || !strings.Contains(err, "the token must not have spaces") {
		t.Errorf("exit code %d: %s", code, err)
	}
	delete(s.env, "TIMEWHEEL_TOKEN")
	_, err, code = s.run("serve", "--window", "1", "--horizon", "1ms", "--data", t.TempDir())
	if code != exitUsage || !strings.Contains(err, "--window must be") || !strings.Contains(err, "--horizon must be") {
		t.Errorf("exit code %d: %s", code, err)
	}
}
