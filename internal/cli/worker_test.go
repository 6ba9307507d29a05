//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// until waits for a task to be as it should.
func (s *shellOf) until(queue, key string, good func(client.Task) bool) client.Task {
	s.t.Helper()
	at := newShell(s.t)
	at.env = s.env
	var got client.Task
	eventually(s.t, "the task is as it should be", func() bool {
		got = at.task(queue, key)
		return good(got)
	})
	return got
}

func state(want client.TaskState) func(client.Task) bool {
	return func(t client.Task) bool { return t.State == want }
}

// work starts a worker. stop ends it as SIGTERM does and returns its log.
func (s *shellOf) work(args ...string) (stop func() string) {
	s.t.Helper()
	wait := s.start(append([]string{"worker", "--kill-after", "100ms", "--drain-timeout", "5s"}, args...)...)
	stopped := false
	s.t.Cleanup(func() { // of a test that failed half-way
		if !stopped {
			s.signals <- syscall.SIGTERM
			wait()
		}
	})
	return func() string {
		s.t.Helper()
		stopped = true
		s.signals <- syscall.SIGTERM
		if code := wait(); code != exitOK {
			s.t.Errorf("the worker ended with code %d:\n%s", code, s.err)
		}
		return s.err.String()
	}
}

// schedule schedules a pull task that is due now.
func (s *shellOf) schedule(queue, key string, args ...string) {
	s.t.Helper()
	at := newShell(s.t)
	at.env = s.env
	at.must(append([]string{"schedule", "--queue", queue, "--key", key, "--in", "0s"}, args...)...)
}

// TestWorkerOutcomes runs a script whose exit code comes from the payload.
func TestWorkerOutcomes(t *testing.T) {
	s := withDaemon(t)
	script := filepath.Join(t.TempDir(), "send.sh")
	text := `#!/bin/sh
read -r code
echo "$TIMEWHEEL_QUEUE $TIMEWHEEL_KEY $TIMEWHEEL_ATTEMPT $TIMEWHEEL_DUE $TIMEWHEEL_EPOCH $TIMEWHEEL_ID $code"
echo "reason for $code" >&2
exit "$code"
`
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	stop := s.work("--queue", "mail", "--exec", script, "--concurrency", "3", "--snooze", "2h")
	for _, code := range []string{"0", "3", "65", "75"} {
		s.schedule("mail", "exit-"+code, "--payload", code+" ", "--retry-min-backoff", "1h", "--retry-max-backoff", "1h")
	}
	s.until("mail", "exit-0", state(client.Completed))
	failed := s.until("mail", "exit-3", func(t client.Task) bool { return t.Failures == 1 })
	dead := s.until("mail", "exit-65", state(client.Dead))
	snoozed := s.until("mail", "exit-75", func(t client.Task) bool { return t.State == client.Scheduled && t.Attempt == 1 })
	log := stop()

	if failed.State != client.Scheduled || failed.LastError != "exit code 3: reason for 3" {
		t.Errorf("exit code 3: %+v", failed)
	}
	if dead.LastError != "exit code 65: reason for 65" {
		t.Errorf("exit code 65: %+v", dead)
	}
	if wait := time.Until(snoozed.Next); snoozed.Failures != 0 || wait < time.Hour || wait > 2*time.Hour {
		t.Errorf("exit code 75: %+v", snoozed)
	}
	has(t, "stdout", s.out.String(), "mail exit-0 1 "+instantOf(t, s, "mail", "exit-0"), " "+dead.ID+" 65\n")
	has(t, "the log", log, "reason for 3\n", `"msg":"working"`, `"outcome":"completed"`, `"outcome":"failed"`, `"outcome":"dead"`, `"outcome":"snoozed"`, `"msg":"stopped"`)
}

func instantOf(t *testing.T, s *shellOf, queue, key string) string {
	t.Helper()
	at := newShell(t)
	at.env = s.env
	return instant(at.task(queue, key).Due)
}

func TestWorkerEndsACommandThatTakesTooLong(t *testing.T) {
	s := withDaemon(t)
	stop := s.work("--queue", "mail", "--exec", "echo begun >&2; sleep 1000")
	s.schedule("mail", "slow", "--timeout", "300ms", "--retry-max-attempts", "1")
	got := s.until("mail", "slow", state(client.Dead))
	if got.LastError != "it ran for longer than 300ms: begun" {
		t.Errorf("the error is %q", got.LastError)
	}
	stop()
}

// TestWorkerKeepsItsLease: a command may run for longer than a lease.
func TestWorkerKeepsItsLease(t *testing.T) {
	s := withDaemon(t)
	stop := s.work("--queue", "mail", "--exec", "sleep 1.6", "--lease", "1s")
	s.schedule("mail", "long")
	got := s.until("mail", "long", func(t client.Task) bool { return t.State == client.Completed || t.Attempt > 1 })
	if got.Attempt != 1 || got.Failures != 0 {
		t.Errorf("it took %d attempts, %d failed", got.Attempt, got.Failures)
	}
	stop()
}

// TestWorkerLosesItsLease: a renewal is refused, so the command is ended, and
// nothing is said about the attempt.
func TestWorkerLosesItsLease(t *testing.T) {
	claims := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"tasks":[]}`
		if _, err := io.Copy(io.Discard, r.Body); err != nil { // the server notices who goes away only then
			t.Error(err)
		}
		switch r.URL.Path {
		case "/v1/queues/mail:claim":
			if claims++; claims > 1 {
				<-r.Context().Done()
				return
			}
			answer = `{"tasks":[{"lease_token":"T","queue":"mail","key":"taken","state":"leased","attempt":1,"timeout":"1m","payload":1}]}`
		case "/v1/leases:renew":
			answer = `{"results":[{"problem":{"status":409,"code":"stale_lease","detail":"stale lease"}}],"settled":0,"failed":1}`
		default:
			t.Errorf("the worker called %s", r.URL.Path)
		}
		writeText(t, w, answer)
	}))
	defer srv.Close()
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = srv.URL
	stop := s.work("--queue", "mail", "--exec", "sleep 1000", "--lease", "1s")
	eventually(t, "the worker notices", func() bool { return strings.Contains(s.err.String(), `"outcome":"lease lost"`) })
	stop()
}

// TestWorkerSaysWhatTheCommandWrote, whatever its outcome.
func TestWorkerSaysWhatTheCommandWrote(t *testing.T) {
	s := withDaemon(t)
	stop := s.work("--queue", "mail", "--exec", `read -r code; echo "out $TIMEWHEEL_SCHEDULE"; echo err >&2; exit "$code"`)
	s.schedule("mail", "good", "--payload", "0 ")
	s.schedule("mail", "bad", "--payload", "65 ")
	for _, got := range []client.Task{s.until("mail", "good", state(client.Completed)), s.until("mail", "bad", state(client.Dead))} {
		if !strings.Contains(got.Output, "out") || !strings.Contains(got.Output, "err") {
			t.Errorf("the output of %s is %q", got.Key, got.Output)
		}
	}
	stop()
	at := newShell(t)
	at.env = s.env
	has(t, "get", at.must("get", "--queue", "mail", "--key", "bad"), "output", "exit code 65: err")
}

// trigger makes an occurrence of a schedule and returns the key of its task.
func (s *shellOf) trigger(queue, key string) string {
	s.t.Helper()
	at := newShell(s.t)
	at.env = s.env
	var made client.Triggered
	if err := json.Unmarshal([]byte(at.must("schedules", "trigger", "--queue", queue, "--key", key, "--json")), &made); err != nil {
		s.t.Fatal(err)
	}
	return made.Task.Key
}

// TestWorkerKnowsTheOccurrence that it runs.
func TestWorkerKnowsTheOccurrence(t *testing.T) {
	s := withDaemon(t)
	s.must("schedules", "put", "--queue", "cron", "--key", "yearly", "--cron", "@yearly")
	key := s.trigger("cron", "yearly")
	stop := s.work("--queue", "cron", "--exec", `echo "$TIMEWHEEL_SCHEDULE $TIMEWHEEL_OCCURRENCE $TIMEWHEEL_MISSED"`)
	got := s.until("cron", key, state(client.Completed))
	stop()
	if want := "yearly " + instant(got.Occurrence) + " 0"; got.Output != want || got.Schedule != "yearly" {
		t.Errorf("the command wrote %q, want %q", got.Output, want)
	}
	at := newShell(t)
	at.env = s.env
	has(t, "get", at.must("get", "--queue", "cron", "--key", key), "occurrence  "+instant(got.Occurrence)+" of yearly\n")
	has(t, "next", at.must("schedules", "next", "--queue", "cron", "--key", "yearly", "-n", "1"), "completed  1        "+got.Output, "to come")
}

// TestWorkerEndsWhatIsReplaced: the command of an occurrence that a later one
// replaces is ended, and nothing is said about it.
func TestWorkerEndsWhatIsReplaced(t *testing.T) {
	s := withDaemon(t)
	s.must("schedules", "put", "--queue", "cron", "--key", "slow", "--cron", "@yearly", "--overlap", "replace")
	mark, wait := begun(t)
	stop := s.work("--queue", "cron", "--lease", "1s", "--concurrency", "2", "--exec", mark+"; sleep 1000", "--drain-timeout", "50ms")
	first := s.trigger("cron", "slow")
	wait()
	second := s.trigger("cron", "slow")
	s.until("cron", second, state(client.Leased))
	eventually(t, "the first is ended", func() bool { return strings.Contains(s.err.String(), `"outcome":"lease lost"`) })
	stop()
	if got := s.task("cron", first); got.State != client.Cancelled {
		t.Errorf("the first is %+v", got)
	}
	if got := s.task("cron", second); got.State != client.Ready {
		t.Errorf("the second is %+v", got)
	}
}

// TestACrontabIsReplaced imports a line, has it fire, and looks for what the
// command wrote.
func TestACrontabIsReplaced(t *testing.T) {
	s := withDaemon(t)
	s.stdin = "GREETING=it's\n0 0 1 1 * read -r a; echo \"$GREETING $a\"; exit 3%100\\% done\n"
	out := s.must("import", "crontab", "-", "--tz", "UTC")
	_, key, _ := strings.Cut(strings.Split(out, "\n")[1], ": ")
	occurrence := s.trigger("cron", key)
	stop := s.work("--queue", "cron", "--exec", "sh")
	got := s.until("cron", occurrence, state(client.Dead))
	stop()
	if got.Output != "it's 100% done" || got.LastError != "exit code 3" || got.Attempt != 1 {
		t.Errorf("the task is %+v", got)
	}
}

// begun returns a shell command that leaves a mark, and waits for the mark.
func begun(t *testing.T) (mark string, wait func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "begun")
	return "touch " + file, func() {
		t.Helper()
		eventually(t, "the command has begun", func() bool {
			_, err := os.Stat(file)
			return err == nil
		})
	}
}

// TestWorkerDrains: at SIGTERM it claims nothing more and waits for what runs.
func TestWorkerDrains(t *testing.T) {
	s := withDaemon(t)
	mark, wait := begun(t)
	gate := filepath.Join(t.TempDir(), "gate")
	stop := s.work("--queue", "mail", "--exec", mark+"; while [ ! -e "+gate+" ]; do sleep 0.01; done")
	s.schedule("mail", "first")
	wait()
	s.schedule("mail", "second")
	ended := make(chan string, 1)
	go func() { ended <- stop() }()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-ended
	if got := s.task("mail", "first"); got.State != client.Completed {
		t.Errorf("the running task is %+v", got)
	}
	if got := s.task("mail", "second"); got.State == client.Leased || got.Failures != 0 {
		t.Errorf("the waiting task is %+v", got)
	}
}

// TestWorkerGivesUpDraining: what does not end in time is ended and given back.
func TestWorkerGivesUpDraining(t *testing.T) {
	s := withDaemon(t)
	mark, wait := begun(t)
	stop := s.work("--queue", "mail", "--exec", mark+"; sleep 1000", "--drain-timeout", "50ms")
	s.schedule("mail", "slow")
	wait()
	has(t, "the log", stop(), `"outcome":"released"`)
	if got := s.task("mail", "slow"); got.State != client.Ready || got.Failures != 0 {
		t.Errorf("the task is %+v", got)
	}
}

// TestWorkerGivesBackWhatComesLate: the answer to a claim was on its way when
// the worker was told to stop.
func TestWorkerGivesBackWhatComesLate(t *testing.T) {
	claiming, stopping := make(chan struct{}), make(chan struct{})
	released := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/v1/queues/mail:claim":
			close(claiming)
			<-stopping
			writeText(t, w, `{"tasks":[{"lease_token":"T","queue":"mail","key":"late","state":"leased","attempt":1,"timeout":"1m","payload":1}]}`)
		case "/v1/leases:snooze":
			released <- string(body)
			writeText(t, w, `{"results":[{"state":"ready"}],"settled":1,"failed":0}`)
		default:
			t.Errorf("the worker called %s", r.URL.Path)
		}
	}))
	defer srv.Close()
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = srv.URL
	wait := s.start("worker", "--queue", "mail", "--exec", "echo it ran >&2")
	<-claiming
	s.signals <- syscall.SIGTERM
	eventually(t, "the signal is taken", func() bool { return len(s.signals) == 0 })
	close(stopping)
	code, log := wait(), s.err.String()
	has(t, "the log", log, `"outcome":"released"`)
	if code != exitOK || strings.Contains(log, "it ran\n") || len(released) != 1 {
		t.Fatalf("exit code %d, %d calls, it wrote\n%s", code, len(released), log)
	}
	has(t, "the call", <-released, `"delay":"0s"`)
}

// TestWorkerWaitsForADaemon that can't be reached, but not for one that refuses.
func TestWorkerWaitsForADaemon(t *testing.T) {
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = "http://127.0.0.1:1"
	stop := s.work("--queue", "mail", "--exec", "true")
	eventually(t, "the log has a word of it", func() bool { return strings.Contains(s.err.String(), "claiming failed") })
	has(t, "the log", stop(), "timewheel serve")

	s = withDaemon(t)
	_, err, code := s.run("worker", "--queue", "no spaces", "--exec", "true")
	if code != exitUsage || !strings.Contains(err, "timewheel: queue must be 1 to 128") {
		t.Errorf("exit code %d:\n%s", code, err)
	}
}

func TestWorkerRunsManyAtOnce(t *testing.T) {
	s := withDaemon(t)
	dir := t.TempDir()
	// Each command waits for the other three.
	stop := s.work("--queue", "mail", "--concurrency", "4", "--exec",
		fmt.Sprintf(`touch %s/$TIMEWHEEL_KEY; while [ $(ls %s | wc -l) -lt 4 ]; do sleep 0.01; done`, dir, dir))
	var lines strings.Builder
	for i := range 4 {
		fmt.Fprintf(&lines, "{\"key\":\"k%d\"}\n", i)
	}
	at := newShell(t)
	at.env, at.stdin = s.env, lines.String()
	at.must("schedule", "--queue", "mail", "--in", "0s", "--from", "-")
	for i := range 4 {
		s.until("mail", fmt.Sprintf("k%d", i), state(client.Completed))
	}
	stop()
	if n := strings.Count(s.err.String(), `"outcome":"completed"`); n != 4 {
		t.Errorf("the log has %d completed attempts, want 4", n)
	}
}
