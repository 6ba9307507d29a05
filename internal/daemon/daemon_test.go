package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a daemon under test.
type running struct {
	t     *testing.T
	url   string
	stop  context.CancelFunc
	ended chan struct{}
	err   error // of Run, once ended is closed
	log   *syncBuffer
	http  *http.Client
}

// syncBuffer is a log that may be read while it is written.
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

// start runs a daemon on a free port until it serves. It is stopped with the
// test.
func start(t *testing.T, c Config) *running {
	t.Helper()
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Data == "" {
		c.Data = t.TempDir()
	}
	r := &running{t: t, log: &syncBuffer{}, ended: make(chan struct{}), http: &http.Client{Transport: &http.Transport{}}}
	c.Log = slog.New(slog.NewTextHandler(r.log, nil))
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	addr := make(chan net.Addr, 1)
	go func() {
		defer close(r.ended)
		r.err = Run(ctx, c, func(a net.Addr) { addr <- a })
	}()
	select {
	case a := <-addr:
		r.url = "http://" + a.String()
	case <-r.ended:
		t.Fatalf("the daemon did not start: %v", r.err)
	}
	t.Cleanup(func() {
		r.http.CloseIdleConnections()
		if err := r.wait(); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
	return r
}

// wait stops the daemon and returns what Run returned.
func (r *running) wait() error {
	r.t.Helper()
	r.stop()
	select {
	case <-r.ended:
		return r.err
	case <-time.After(30 * time.Second):
		r.t.Fatal("the daemon did not stop")
		return nil
	}
}

// do sends a request and returns the status and the answer.
func (r *running) do(method, path, body string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// must is do for a request that has to succeed.
func (r *running) must(method, path, body string) string {
	r.t.Helper()
	status, answer := r.do(method, path, body)
	if status >= 300 {
		r.t.Fatalf("%s %s: status %d: %s", method, path, status, answer)
	}
	return answer
}

// lease claims one task and returns its lease token.
func (r *running) lease(queue string) string {
	r.t.Helper()
	var got struct {
		Tasks []struct {
			LeaseToken string `json:"lease_token"`
		} `json:"tasks"`
	}
	answer := r.must(http.MethodPost, "/v1/queues/"+queue+":claim", `{"wait":"10s","lease":"1m"}`)
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Tasks) != 1 {
		r.t.Fatalf("claimed %s, %v; want one task", answer, err)
	}
	return got.Tasks[0].LeaseToken
}

func TestATaskIsScheduledAndClaimed(t *testing.T) {
	r := start(t, Config{Version: "1.2.3"})
	r.must(http.MethodPut, "/v1/queues/mail/tasks/42", `{"delay":"0s","payload":{"to":"you"}}`)
	token := r.lease("mail")
	r.must(http.MethodPost, "/v1/leases:complete", `{"leases":[{"lease_token":"`+token+`"}]}`)
	if got := r.must(http.MethodGet, "/v1/queues/mail/tasks/42", ""); !strings.Contains(got, `"completed"`) {
		t.Errorf("the task is %s", got)
	}
	metrics := r.must(http.MethodGet, "/metrics", "")
	for _, want := range []string{
		`timewheel_tasks_scheduled_total{queue="mail"} 1`, `timewheel_tasks_fired_total{queue="mail"} 1`,
		`timewheel_tasks_completed_total{queue="mail"} 1`, `timewheel_tasks{queue="mail",state="completed"} 1`,
		`timewheel_build_info{go_version="`, `version="1.2.3"} 1`, "timewheel_store_commit_seconds_count", "go_goroutines",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	if err := r.wait(); err != nil {
		t.Errorf("Run returned %v", err)
	}
	for _, want := range []string{"msg=serving", "addr=127.0.0.1:", "version=1.2.3", "pending=0", "msg=draining", "msg=drained cut_off=0", "msg=stopped"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log has no %q:\n%s", want, r.log)
		}
	}
}

func TestTasksOutliveTheDaemon(t *testing.T) {
	data := t.TempDir()
	first := start(t, Config{Data: data})
	first.must(http.MethodPut, "/v1/queues/mail/tasks/late", `{"delay":"1h"}`)
	first.must(http.MethodPut, "/v1/queues/mail/tasks/now", `{"delay":"0s"}`)
	if err := first.wait(); err != nil {
		t.Fatal(err)
	}
	second := start(t, Config{Data: data})
	if !strings.Contains(second.log.String(), "pending=2") {
		t.Errorf("the log does not say that two tasks are pending:\n%s", second.log)
	}
	second.lease("mail")
}

func TestASecondDaemonIsToldWhoHasTheFolder(t *testing.T) {
	data := t.TempDir()
	start(t, Config{Data: data})
	err := Run(t.Context(), Config{Listen: "127.0.0.1:0", Data: data}, func(net.Addr) { t.Error("the second daemon serves") })
	var locked *store.LockedError
	if !errors.As(err, &locked) || !strings.Contains(err.Error(), "is in use by") {
		t.Errorf("got %v, want a LockedError", err)
	}
}

func TestAnExposedDaemonIsRefused(t *testing.T) {
	data := t.TempDir()
	err := Run(t.Context(), Config{Listen: "0.0.0.0:0", Data: data}, func(net.Addr) { t.Error("it serves") })
	if _, ok := errors.AsType[*ExposedError](err); !ok {
		t.Errorf("got %v, want an ExposedError", err)
	}
	r := start(t, Config{Listen: "0.0.0.0:0", Data: data, Token: "open-sesame"})
	if status, _ := r.do(http.MethodGet, "/v1/queues", ""); status != http.StatusUnauthorized {
		t.Errorf("without the token: status %d, want 401", status)
	}
	if strings.Contains(r.log.String(), "open-sesame") {
		t.Error("the log has the token")
	}
}

func TestAForeignHostNameIsRefused(t *testing.T) {
	r := start(t, Config{})
	req, err := http.NewRequest(http.MethodGet, r.url+"/v1/queues", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example"
	resp, err := r.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("status %d, want 403", resp.StatusCode)
	}
}

func TestHTTP2WithoutTLS(t *testing.T) {
	r := start(t, Config{})
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	r.http.Transport = &http.Transport{Protocols: &only}
	resp, err := r.http.Get(r.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK {
		t.Errorf("%s, status %d; want HTTP/2.0, 200", resp.Proto, resp.StatusCode)
	}
}

// TestDrain stops a daemon while a push is running, a claim is waiting, and a
// worker holds a lease.
func TestDrain(t *testing.T) {
	data := t.TempDir()
	reached, answer := make(chan struct{}, 1), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reached <- struct{}{}
		<-answer
	}))
	defer receiver.Close()
	r := start(t, Config{Data: data})
	r.must(http.MethodPut, "/v1/queues/hooks/tasks/1", fmt.Sprintf(`{"delay":"0s","webhook":{"url":%q}}`, receiver.URL))
	r.must(http.MethodPut, "/v1/queues/mail/tasks/1", `{"delay":"0s"}`)
	<-reached
	token := r.lease("mail")
	waiting := make(chan int, 1)
	go func() {
		status, _ := r.do(http.MethodPost, "/v1/queues/idle:claim", `{"wait":"1m"}`)
		waiting <- status
	}()
	r.untilMetric("timewheel_claims_waiting 1")

	r.stop()
	if status := <-waiting; status != http.StatusServiceUnavailable {
		t.Errorf("the waiting claim ended with status %d, want 503", status)
	}
	if status, body := r.do(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable {
		t.Errorf("readyz: status %d while draining: %s", status, body)
	}
	if status, _ := r.do(http.MethodGet, "/healthz", ""); status != http.StatusOK {
		t.Errorf("healthz: status %d while draining", status)
	}
	r.must(http.MethodPost, "/v1/leases:complete", `{"leases":[{"lease_token":"`+token+`"}]}`)
	close(answer) // the push ends
	if err := r.wait(); err != nil {
		t.Errorf("Run returned %v", err)
	}

	again := start(t, Config{Data: data})
	for _, path := range []string{"/v1/queues/hooks/tasks/1", "/v1/queues/mail/tasks/1"} {
		if got := again.must(http.MethodGet, path, ""); !strings.Contains(got, `"completed"`) {
			t.Errorf("%s is %s", path, got)
		}
	}
}

// TestDrainGivesUp stops a daemon whose push does not end in time: it is called
// off, and its task is due again at once.
func TestDrainGivesUp(t *testing.T) {
	data := t.TempDir()
	reached := make(chan struct{}, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		reached <- struct{}{}
		if _, err := io.Copy(io.Discard, req.Body); err == nil && req.Header.Get("Timewheel-Attempt") == "1" {
			<-req.Context().Done() // until the caller goes away
		}
	}))
	defer receiver.Close()
	r := start(t, Config{Data: data, DrainTimeout: 100 * time.Millisecond})
	r.must(http.MethodPut, "/v1/queues/hooks/tasks/1", fmt.Sprintf(`{"delay":"0s","webhook":{"url":%q},"timeout":"1h"}`, receiver.URL))
	<-reached
	if err := r.wait(); err != nil {
		t.Errorf("Run returned %v", err)
	}
	if !strings.Contains(r.log.String(), "msg=drained cut_off=1") {
		t.Errorf("the log does not say that an attempt was cut off:\n%s", r.log)
	}
	start(t, Config{Data: data})
	select {
	case <-reached:
	case <-time.After(10 * time.Second):
		t.Error("the released task was not pushed again")
	}
}

// untilMetric waits for a line of the metrics.
func (r *running) untilMetric(line string) {
	r.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if strings.Contains(r.must(http.MethodGet, "/metrics", ""), "\n"+line+"\n") {
			return
		}
	}
	r.t.Fatalf("the metrics never said %q", line)
}

func TestAPortInUseStopsTheStart(t *testing.T) {
	r := start(t, Config{})
	err := Run(t.Context(), Config{Listen: strings.TrimPrefix(r.url, "http://"), Data: t.TempDir()}, nil)
	if err == nil || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("got %v", err)
	}
}

// TestAnUnusedConnectionDoesNotHoldUpTheStop: clients open connections ahead.
func TestAnUnusedConnectionDoesNotHoldUpTheStop(t *testing.T) {
	r := start(t, Config{})
	unused, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer unused.Close()
	r.must(http.MethodGet, "/healthz", "") // by now the other is accepted
	begun := time.Now()
	if err := r.wait(); err != nil || time.Since(begun) > shutdownTime/2 {
		t.Errorf("it stopped after %s, %v", time.Since(begun), err)
	}
}

// TestAFailedStoreEndsTheDaemon: after a write that failed, nothing can be
// acknowledged any more, so a supervisor has to start it anew.
func TestAFailedStoreEndsTheDaemon(t *testing.T) {
	d := &daemon{broken: make(chan error, 1)}
	wait, interrupt := d.untilDone(t.Context())
	d.committed(3, time.Millisecond, nil)
	d.committed(3, time.Millisecond, store.ErrFenced)
	if len(d.broken) != 0 {
		t.Fatal("a commit that was refused counts as a failed store")
	}
	for range 3 { // all shards tell
		d.committed(3, time.Millisecond, fmt.Errorf("commit: %w", &pebblestore.FailedError{Dir: "d", Err: io.ErrShortWrite}))
	}
	if err := wait(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("it ended with %v", err)
	}
	interrupt(nil)
}
