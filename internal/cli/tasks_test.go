package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/client"
)

// task reads a task by way of get --json.
func (s *shellOf) task(queue, key string) client.Task {
	s.t.Helper()
	var t client.Task
	if err := json.Unmarshal([]byte(s.must("get", "--queue", queue, "--key", key, "--json")), &t); err != nil {
		s.t.Fatal(err)
	}
	return t
}

func TestScheduleOneWithEverything(t *testing.T) {
	s := withDaemon(t)
	out := s.must("schedule", "--queue", "orders", "--key", "a/b:c", "--in", "30m", "--payload", ` {"order": 42} `,
		"--webhook", "http://127.0.0.1:9/close", "--header", "X-Shop: 7", "--metadata", "by=me", "--metadata", "why=a=b;c",
		"--retry-max-attempts", "3", "--retry-min-backoff", "2s", "--retry-max-backoff", "1m", "--timeout", "5s", "--retention", "0s")
	has(t, "the output", out, "scheduled orders/a/b:c, due ")
	got := s.task("orders", "a/b:c")
	if string(got.Payload) != `{"order": 42}` || got.Webhook.URL != "http://127.0.0.1:9/close" || got.Webhook.Headers["X-Shop"] != "7" ||
		got.Metadata["by"] != "me" || got.Metadata["why"] != "a=b;c" || got.Retry.MaxAttempts != 3 || got.Timeout.String() != "5s" || got.Retention != 0 {
		t.Errorf("the task is %+v", got)
	}
	has(t, "the output", s.must("schedule", "--queue", "orders", "--key", "a/b:c", "--at", "2030-01-01T00:00:00+01:00"), "replaced orders/a/b:c, due 2029-12-31T23:00:00Z")
	_, err, code := s.run("schedule", "--queue", "orders", "--key", "a/b:c", "--in", "1h", "--if-absent")
	if code != exitFailure || !strings.Contains(err, "already exists") {
		t.Errorf("--if-absent: exit code %d, %s", code, err)
	}
	_, err, code = s.run("schedule", "--queue", "orders", "--in", "1h", "--timeout", "25h", "--webhook", "ftp://x")
	if code != exitUsage || !strings.Contains(err, "webhook.url must begin") || !strings.Contains(err, "timeout must be") {
		t.Errorf("two faults: exit code %d, %s", code, err)
	}
	large := tempFile(t, "large", strings.Repeat("x", 1<<20+1))
	_, err, code = s.run("schedule", "--queue", "orders", "--in", "1h", "--payload-file", large)
	if code != exitUsage || !strings.Contains(err, "the payload has 1048577 bytes: the limit is 1048576") {
		t.Errorf("a large payload: exit code %d, %s", code, err)
	}
}

// TestPauseAheadOfUse: a queue that is made by it is said to be new, since the
// name may be misspelt. There is nothing to resume in one that is not there.
func TestPauseAheadOfUse(t *testing.T) {
	s := withDaemon(t)
	const isNew = "new: it had no tasks"
	if _, err, code := s.run("queues", "resume", "mial"); code != exitFailure || !strings.Contains(err, `queue "mial" was never used`) {
		t.Errorf("resume: exit code %d, %s", code, err)
	}
	has(t, "pause", s.must("queues", "pause", "mial"), "mial  paused  "+isNew)
	for _, verb := range []string{"pause", "resume", "get"} {
		if out := s.must("queues", verb, "mial"); strings.Contains(out, isNew) {
			t.Errorf("%s: it is new still:\n%s", verb, out)
		}
	}
	s.must("schedule", "--queue", "mail", "--in", "1h")
	if out := s.must("queues", "pause", "mail"); strings.Contains(out, isNew) {
		t.Errorf("a queue with a task is said to be new:\n%s", out)
	}
	has(t, "--json", s.must("queues", "pause", "post", "--json"), `"new":true`)
}

func TestSchedulePayloads(t *testing.T) {
	s := withDaemon(t)
	file := tempFile(t, "picture", "\x89PNG")
	s.must("schedule", "--queue", "q", "--key", "bytes", "--in", "1h", "--payload-file", file)
	s.must("schedule", "--queue", "q", "--key", "typed", "--in", "1h", "--payload-file", file, "--content-type", "image/png")
	s.must("schedule", "--queue", "q", "--key", "json", "--in", "1h", "--payload-file", tempFile(t, "json", "[1, 2]\n"))
	s.must("schedule", "--queue", "q", "--key", "at", "--in", "1h", "--payload", "@"+tempFile(t, "json", "[3]\n"))
	s.stdin = `"piped"`
	s.must("schedule", "--queue", "q", "--key", "stdin", "--in", "1h", "--payload", "@-")
	for key, want := range map[string]string{
		"bytes": " application/octet-stream \x89PNG", "typed": " image/png \x89PNG",
		"json": "[1, 2]  ", "at": "[3]  ", "stdin": `"piped"  `,
	} {
		got := s.task("q", key)
		if have := fmt.Sprintf("%s %s %s", got.Payload, got.ContentType, got.PayloadBase64); have != want {
			t.Errorf("%s: got %q, want %q", key, have, want)
		}
	}
}

// TestScheduleFile has good lines, lines that this program finds broken, and
// lines that the daemon refuses.
func TestScheduleFile(t *testing.T) {
	s := withDaemon(t)
	var text strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&text, "{\"key\":\"k%d\",\"payload\":%d}\n", i, i)
	}
	text.WriteString("\n   \n") // 2501, 2502: blank
	text.WriteString("nonsense\n")
	text.WriteString(`{"key":"late","delay":"-1s"}` + "\n")
	text.WriteString(`{"key":"typo","dealy":"1s"}` + "\n")
	text.WriteString(`{"key":"k7","queue":"other","due":"2030-01-01T00:00:00Z","webhook":{"url":"http://127.0.0.1:9/own"},"metadata":{"a":"line"}}` + "\n")
	text.WriteString(`{"key":"k8","delay":"2h","retry":{"max_attempts":2}}` + "\r\n")
	text.WriteString(`{"key":"last"}`) // without a line end
	file := tempFile(t, "orders.ndjson", text.String())

	out, err, code := s.run("schedule", "--from", file, "--queue", "orders", "--in", "1h", "--webhook", "http://127.0.0.1:9/default",
		"--metadata", "a=flag", "--metadata", "b=flag", "--retry-max-attempts", "5", "--retry-min-backoff", "3s")
	if code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	has(t, "stdout", out, "scheduled 2,503 of 2,506 tasks in ", ": 2,502 new, 1 replaced, 3 failed")
	has(t, "stderr", err, "line 2503: ", "line 2504: delay must be from 0s", `line 2505: unknown field "dealy"`)
	if strings.Count(err, "\n") != 3 {
		t.Errorf("stderr has more than the three broken lines:\n%s", err)
	}
	if got := s.task("orders", "k2499"); string(got.Payload) != "2499" || got.Webhook.URL != "http://127.0.0.1:9/default" || got.Metadata["a"] != "flag" || got.Retry.MaxAttempts != 5 {
		t.Errorf("the defaults are not in %+v", got)
	}
	if got := s.task("other", "k7"); got.Webhook.URL != "http://127.0.0.1:9/own" || got.Metadata["a"] != "line" || got.Metadata["b"] != "flag" || got.Due.Year() != 2030 {
		t.Errorf("the line's own fields are not in %+v", got)
	}
	if got := s.task("orders", "k8"); got.Retry.MaxAttempts != 2 || got.Retry.MinBackoff.String() != "3s" || got.Payload != nil {
		t.Errorf("the later line did not win: %+v", got)
	}
	s.task("orders", "last")

	out, err, code = s.run("schedule", "--from", file, "--queue", "orders", "--in", "1h", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitFailure || err != "" || len(lines) != 4 || lines[3] != `{"lines":2506,"created":0,"replaced":2503,"failed":3}` {
		t.Errorf("--json: exit code %d, stderr %q, stdout\n%s", code, err, out)
	}
	has(t, "--json", out, `{"line":2504,"code":"invalid_request","detail":"delay must be from 0s`)
}

// TestScheduleFromAPipe schedules lines that come one by one.
func TestScheduleFromAPipe(t *testing.T) {
	s := withDaemon(t)
	s.stdin, s.tty = `{"queue":"q","key":"a","delay":"1h"}`+"\n"+`{"key":"b","delay":"1h"}`+"\n", true
	out, err, code := s.run("schedule", "--from", "-")
	if code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	has(t, "stdout", out, "scheduled 1 of 2 tasks")
	has(t, "stderr", err, eraseLine+"line 2: no queue: name one on the line, or with --queue")
}

// TestScheduleFileStops when the daemon goes away, and says where.
func TestScheduleFileStops(t *testing.T) {
	var answers atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answers.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
		writeText(t, w, `{"status":503,"code":"draining","detail":"the scheduler is draining"}`)
	}))
	defer srv.Close()
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = srv.URL
	s.stdin = strings.Repeat(`{"queue":"q","key":"a","delay":"1h"}`+"\n", 20_000)
	out, err, code := s.run("schedule", "--from", "-")
	if code != exitFailure || answers.Load() > lanes {
		t.Errorf("exit code %d after %d answers", code, answers.Load())
	}
	has(t, "stdout", out, "scheduled 0 of ")
	has(t, "stderr", err, "timewheel: the scheduler is draining; stopped at line 1: ", "run it again")
}

func TestCancelFile(t *testing.T) {
	s := withDaemon(t)
	var lines, keys strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, "{\"key\":\" k %d\"}\n", i)
		fmt.Fprintf(&keys, " k %d\n", i)
	}
	s.must("schedule", "--queue", "orders", "--in", "1h", "--from", tempFile(t, "orders.ndjson", lines.String()))
	keys.WriteString("nobody\n")
	file := tempFile(t, "keys", keys.String())
	out, err, code := s.run("cancel", "--queue", "orders", "--from", file)
	if code != exitFailure || err != "nobody: no such task\n" {
		t.Errorf("exit code %d, stderr %q", code, err)
	}
	has(t, "stdout", out, "cancelled 200 tasks in ", ", 1 failed")
	has(t, "the queue", s.must("queues", "get", "orders"), "0 scheduled, 0 ready, 0 leased, 0 completed, 200 cancelled")
	out, _, code = s.run("cancel", "--queue", "orders", "--from", file, "--json")
	if code != exitFailure || strings.Count(out, "\n") != 201 {
		t.Errorf("--json: exit code %d, %d lines", code, strings.Count(out, "\n"))
	}
	has(t, "--json", out, `{"key":" k 7","result":"cancelled"}`, `{"key":"nobody","result":"not_found","detail":"no such task"}`)
	if _, _, code = s.run("cancel", "--queue", "orders", "--from", file+".not"); code != exitFailure {
		t.Errorf("a file that is not there: exit code %d", code)
	}
}

func TestRunAndRedrive(t *testing.T) {
	s := withDaemon(t)
	for _, key := range []string{"a", "b", "c"} {
		s.must("schedule", "--queue", "q", "--key", key, "--in", "1h", "--retry-max-attempts", "1")
		has(t, "run", s.must("run", "--queue", "q", "--key", key), "task          q/"+key)
	}
	var tokens []string
	for line := range strings.Lines(s.must("claim", "--queue", "q", "--max", "3", "--wait", "10s", "--json")) {
		var got client.ClaimedTask
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, got.LeaseToken)
	}
	s.must(append([]string{"leases", "renew", "--lease", "1m"}, tokens...)...)
	has(t, "fail", s.must(append([]string{"leases", "fail", "--error", "no"}, tokens...)...), "dead")
	has(t, "the list", s.must("list", "--queue", "q", "--state", "dead"), "a ", "b ", "c ", "no")
	s.must("redrive", "--queue", "q", "--key", "a")
	has(t, "redrive", s.must("redrive", "--queue", "q", "--all"), "redriven 2 tasks in ")
	has(t, "the queue", s.must("queues", "get", "q"), "3 ready", "0 dead")
	_, err, code := s.run(append([]string{"leases", "complete"}, tokens...)...)
	if code != exitFailure || err != "" {
		t.Errorf("stale leases: exit code %d, %s", code, err)
	}
}

func TestQueueSettings(t *testing.T) {
	s := withDaemon(t)
	s.must("queues", "set", "q", "--timeout", "1m", "--retry-max-attempts", "3")
	s.must("queues", "set", "q", "--retention", "1h", "--concurrency", "7", "--retry-min-backoff", "2s")
	has(t, "the settings", s.must("queues", "get", "q"), "timeout       1m0s", "max attempts  3", "min backoff   2s", "retention     1h0m0s", "concurrency   7")
	has(t, "pause", s.must("queues", "pause", "q"), "queue         q", "paused")
	has(t, "the list", s.must("queues", "list"), "q      0", "paused")
	if out := s.must("queues", "resume", "q"); strings.Contains(out, "paused") {
		t.Errorf("it is paused still: %s", out)
	}
	s.must("schedule", "--queue", "q", "--key", "a", "--in", "1h")
	if got := s.task("q", "a"); got.Timeout.String() != "1m0s" || got.Retry.MaxAttempts != 3 {
		t.Errorf("the task has no defaults: %+v", got)
	}
	has(t, "purge", s.must("queues", "purge", "q", "--state", "scheduled"), "purged 1 tasks of q")
}

func TestListStopsAtItsLimit(t *testing.T) {
	s := withDaemon(t)
	s.stdin = strings.Repeat(`{"queue":"q","delay":"1h"}`+"\n", 1500)
	s.must("schedule", "--from", "-")
	for limit, want := range map[string]int{"5": 5, "1000": 1000, "1500": 1500, "0": 1500} {
		out, err, _ := s.run("list", "--queue", "q", "--limit", limit)
		if rows := strings.Count(out, "\n") - 1; rows != want {
			t.Errorf("--limit %s: %d rows, want %d", limit, rows, want)
		}
		if more := strings.Contains(err, "there are more"); more != (want < 1500) {
			t.Errorf("--limit %s: stderr %q", limit, err)
		}
	}
}

func TestWrongToken(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			writeText(t, w, `{"status":401,"code":"`+string(wire.ProblemCodeUnauthorized)+`","detail":"the token is missing or wrong"}`)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer srv.Close()
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = srv.URL
	_, err, code := s.run("cancel", "--queue", "q", "--key", "k", "--token", "wrong")
	if code != exitFailure || !strings.Contains(err, "--token-file or TIMEWHEEL_TOKEN") || strings.Contains(err, "wrong\n") {
		t.Errorf("exit code %d, %s", code, err)
	}
	s.must("cancel", "--queue", "q", "--key", "k", "--token-file", tempFile(t, "token", "right\n"))
	if _, err := os.Stat("timewheel-data"); err == nil {
		t.Error("a client command made a data folder")
	}
}
