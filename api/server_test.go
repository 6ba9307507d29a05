package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// failing is a Scheduler of which every call ends in the same way.
type failing struct {
	api.Scheduler // nil: what is not below is not called
	err           error
	panics        any
}

func (f failing) end() error {
	if f.panics != nil {
		panic(f.panics)
	}
	return f.err
}

func (f failing) Get(context.Context, string, string) (*task.Task, error) { return nil, f.end() }

func (f failing) ScheduleBatch(_ context.Context, rs []scheduler.ScheduleRequest) ([]scheduler.ScheduleResult, error) {
	results := make([]scheduler.ScheduleResult, len(rs))
	for i := range results {
		results[i].Err = f.end()
	}
	return results, nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestErrorsBecomeProblems(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		code   wire.ProblemCode
		detail string
	}{
		{scheduler.ErrNotFound, 404, wire.ProblemCodeNotFound, "no such task"},
		{scheduler.ErrAlreadyExists, 409, wire.ProblemCodeAlreadyExists, "already exists"},
		{scheduler.ErrAlreadyClaimed, 409, wire.ProblemCodeAlreadyClaimed, "already claimed"},
		{scheduler.ErrStaleLease, 409, wire.ProblemCodeStaleLease, "stale lease"},
		{&scheduler.StateError{State: task.Dead, Verb: "cancelled"}, 409, wire.ProblemCodeWrongState, "the task is dead"},
		{&scheduler.RevisionError{Want: 1, Have: 2}, 412, wire.ProblemCodeRevisionMismatch, "revision 2, not 1"},
		{scheduler.ErrDraining, 503, wire.ProblemCodeDraining, "draining"},
		{scheduler.ErrClosed, 503, wire.ProblemCodeUnavailable, "closed"},
		{store.ErrFenced, 503, wire.ProblemCodeUnavailable, "fenced"},
		{store.ErrClosed, 503, wire.ProblemCodeUnavailable, "closed"},
		{context.DeadlineExceeded, 503, wire.ProblemCodeUnavailable, "deadline"},
		{context.Canceled, 503, wire.ProblemCodeUnavailable, "canceled"},
		{task.Invalid{{Field: "a", Reason: "is bad"}}, 400, wire.ProblemCodeInvalidRequest, "a is bad"},
		{scheduler.ErrPageToken, 400, wire.ProblemCodeInvalidRequest, "page_token"},
		{errors.New("disk /dev/sdz is on fire"), 500, wire.ProblemCodeInternal, "log"},
	} {
		for _, err := range []error{c.err, fmt.Errorf("wrapped: %w", c.err)} {
			h := api.New(failing{err: err}, api.Options{Log: quiet()})
			p := answer{serve(h, "GET", aTask, ""), t}.problem(c.status, c.code)
			if !strings.Contains(p.Detail, c.detail) || strings.Contains(p.Detail, "sdz") {
				t.Errorf("%v: detail %q, want %q in it, and nothing of our insides", err, p.Detail, c.detail)
			}
		}
		h := api.New(failing{err: c.err}, api.Options{Log: quiet()})
		a := answer{serve(h, "POST", "/v1/tasks:batch", `{"tasks":[{"queue":"q","delay":"1s"}]}`), t}
		if p := read[wire.BatchResponse](a.must(200)).Results[0].Problem; p == nil || p.Code != c.code || p.Status != c.status {
			t.Errorf("in a batch %v is %+v", c.err, p)
		}
	}
}

func TestInternalErrorsAreLogged(t *testing.T) {
	var log bytes.Buffer
	h := api.New(failing{err: errors.New("disk is full")}, api.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	serve(h, "GET", aTask, "")
	if !strings.Contains(log.String(), "disk is full") || !strings.Contains(log.String(), aTask) {
		t.Errorf("log: %s", log.String())
	}
}

func TestPanicEndsTheRequestAlone(t *testing.T) {
	var log bytes.Buffer
	h := api.New(failing{panics: "the sky fell"}, api.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 2 {
		answer{serve(h, "GET", aTask, ""), t}.problem(500, wire.ProblemCodeInternal)
	}
	if got := log.String(); strings.Count(got, "the sky fell") < 2 || !strings.Contains(got, "server_test.go") {
		t.Errorf("the log lacks the panic or its stack: %s", got)
	}
}

// A panic half-way through an answer must cut the connection, or the half would
// be taken for the whole.
func TestPanicInTheMiddleOfAnAnswer(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		up(w, nil)
		panic("half-way")
	})
	h := api.New(failing{}, api.Options{Log: quiet(), Metrics: metrics})
	defer func() {
		if v := recover(); v != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			t.Errorf("panicked with %v, want http.ErrAbortHandler", v)
		}
	}()
	serve(h, "GET", "/metrics", "")
}

func TestToken(t *testing.T) {
	h := api.New(failing{err: scheduler.ErrNotFound}, api.Options{Token: "s3cret", Log: quiet(), Metrics: http.NotFoundHandler()})
	for _, c := range []struct {
		target, header string
		status         int
	}{
		{aTask, "", 401},
		{aTask, "Authorization: s3cret", 401},
		{aTask, "Authorization: Basic s3cret", 401},
		{aTask, "Authorization: Bearer", 401},
		{aTask, "Authorization: Bearer s3cre", 401},
		{aTask, "Authorization: Bearer s3cret2", 401},
		{aTask, "Authorization: Bearer s3cret", 404},
		{aTask, "Authorization: bearer  s3cret", 404},
		{"/metrics", "", 401},
		{"/nowhere", "", 401},
		{"/v1/tasks:batch", "", 401}, // of another method: what is there is nobody's business
		{"/healthz", "", 200},
		{"/readyz", "", 200},
		{"/openapi.yaml", "", 200},
	} {
		w := serve(h, "GET", c.target, "", strings.Split(c.header, "\n")...)
		if w.Code != c.status {
			t.Errorf("%s with %q is %d, want %d", c.target, c.header, w.Code, c.status)
		}
		if got := w.Header().Get("WWW-Authenticate"); (got != "") != (c.status == 401) {
			t.Errorf("%s with %q: WWW-Authenticate is %q", c.target, c.header, got)
		}
	}
}

// A page that somebody looks at must not be able to schedule on the daemon of
// that machine: without a token, what its browser sends is all that tells it
// from a program.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		for _, c := range []struct {
			headers []string
			status  int
		}{
			{nil, 201},
			{[]string{"Sec-Fetch-Site: same-origin"}, 201},
			{[]string{"Sec-Fetch-Site: cross-site", "Content-Type: text/plain"}, 403},
			{[]string{"Sec-Fetch-Site: cross-site"}, 403},
			{[]string{"Sec-Fetch-Site: same-site"}, 403},
			{[]string{"Origin: http://evil.example"}, 403},
			{[]string{"Origin: http://example.com"}, 201}, // which is what httptest calls the daemon
		} {
			a := d.do("POST", "/v1/queues/orders/tasks", `{"delay":"1h"}`, c.headers...)
			if c.status == 403 {
				a.problem(403, wire.ProblemCodeCrossOrigin)
			}
			a.must(c.status)
		}
	})
}

func TestContentTypesThatAreJSON(t *testing.T) {
	bubble(t, api.Options{}, func(_ *testing.T, d *door) {
		d.do("PUT", aTask, `{"delay":"1h"}`).must(201)
		for _, name := range []string{
			"application/json", "application/json; charset=utf-8", "Application/JSON", "application/x-www-form-urlencoded",
			"application/merge-patch+json", "application/vnd.orders+json;v=1",
		} {
			d.do("PUT", aTask, `{"delay":"1h"}`, "Content-Type: "+name).must(200)
		}
	})
}

func TestAllow(t *testing.T) {
	h := api.New(failing{}, api.Options{Log: quiet()})
	for _, c := range []struct{ method, target, allow string }{
		{"POST", aTask, "PUT, GET, PATCH, DELETE"},
		{"OPTIONS", aTask, "PUT, GET, PATCH, DELETE"},
		{"GET", aTask + ":run", ""}, // the task with the key 42:run
		{"PUT", "/v1/queues/orders/tasks", "GET, POST"},
		{"DELETE", "/v1/queues/orders:claim", "POST, GET, PATCH"}, // it could be a queue's name
		{"GET", "/v1/tasks:batch", "POST"},
		{"GET", "/v1/leases:complete", "POST"},
		{"POST", "/healthz", "GET"},
		{"POST", "/v1/queues", "GET"},
	} {
		w := serve(h, c.method, c.target, "")
		if got := w.Header().Get("Allow"); got != c.allow || (w.Code == 405) != (c.allow != "") {
			t.Errorf("%s %s: %d, Allow: %q, want %q", c.method, c.target, w.Code, got, c.allow)
		}
	}
}

func TestHealthAndReadiness(t *testing.T) {
	draining := error(nil)
	h := api.New(failing{}, api.Options{Ready: func() error { return draining }, Log: quiet()})
	answer{serve(h, "GET", "/healthz", ""), t}.must(200)
	answer{serve(h, "HEAD", "/readyz", ""), t}.must(200)
	draining = errors.New("stopping")
	answer{serve(h, "GET", "/healthz", ""), t}.must(200)
	a := answer{serve(h, "GET", "/readyz", ""), t}
	if p := a.problem(503, wire.ProblemCodeDraining); p.Detail != "not ready: stopping" || a.Header().Get("Retry-After") == "" {
		t.Errorf("%+v", p)
	}
}

// up serves the only figure that there is.
func up(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "up 1\n") // to a recorder, which takes all
}

func TestMetricsAreTheHandlersOwn(t *testing.T) {
	with := answer{serve(api.New(failing{}, api.Options{Metrics: http.HandlerFunc(up)}), "GET", "/metrics", ""), t}
	if with.must(200); with.Body.String() != "up 1\n" {
		t.Errorf("metrics: %s", with.Body)
	}
	answer{serve(api.New(failing{}, api.Options{}), "GET", "/metrics", ""), t}.problem(404, wire.ProblemCodeUnknownPath)
}

func TestDocumentIsServed(t *testing.T) {
	a := answer{serve(api.New(failing{}, api.Options{}), "GET", "/openapi.yaml", ""), t}.must(200)
	if !strings.HasPrefix(a.Body.String(), "openapi:") || a.Header().Get("Content-Type") != "application/yaml" {
		t.Errorf("%.60s", a.Body)
	}
}

// A body that ends before it should is the sender's fault, and has no effect.
func TestBodyThatBreaksOff(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		for _, target := range []string{aTask, "/v1/tasks:batch"} {
			method := map[bool]string{true: "PUT", false: "POST"}[target == aTask]
			body := io.MultiReader(strings.NewReader(`{"queue":"orders","delay":"1h"}`+"\n"), breakOff{})
			r := httptest.NewRequest(method, target, body)
			r.Header.Set("Content-Type", map[bool]string{true: "application/json", false: "application/x-ndjson"}[target == aTask])
			w := httptest.NewRecorder()
			d.ServeHTTP(w, r)
			answer{w, t}.problem(400, malformed)
		}
		if list := read[wire.TaskList](d.do("GET", "/v1/queues/orders/tasks", "")); len(list.Tasks) != 0 {
			t.Errorf("%d tasks were scheduled", len(list.Tasks))
		}
	})
}

type breakOff struct{}

func (breakOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
