package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

const ndjson = "Content-Type: application/x-ndjson"

// A batch of the greatest length works, in both forms, and its results are in
// the order of its tasks.
func TestBatchOfTheGreatestLength(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		var docs []string
		for i := range scheduler.MaxBatch {
			docs = append(docs, fmt.Sprintf(`{"queue":"q%d","key":"%d","delay":"1h","payload":{"n":%d}}`, i%3, i, i))
		}
		for form, a := range map[string]answer{
			"lines": d.do("POST", "/v1/tasks:batch", strings.Join(docs, "\n"), ndjson),
			"array": d.do("POST", "/v1/tasks:batch", `{"tasks":[`+strings.Join(docs, ",")+`]}`),
		} {
			got := read[wire.BatchResponse](a.must(200))
			if got.Failed != 0 || got.Created+got.Replaced != len(docs) || len(got.Results) != len(docs) {
				t.Fatalf("%s: created %d, replaced %d, failed %d", form, got.Created, got.Replaced, got.Failed)
			}
			for i, r := range got.Results {
				if r.Key != fmt.Sprint(i) {
					t.Fatalf("%s: result %d is of key %s", form, i, r.Key)
				}
			}
		}
	})
}

// Lines longer than the reader's buffer are put together; one over the limit
// fails alone.
func TestLongLines(t *testing.T) {
	bubble(t, api.Options{MaxPayload: 200_000}, func(t *testing.T, d *door) {
		line := func(key string, size int) string {
			return fmt.Sprintf(`{"queue":"q","key":%q,"delay":"1h","payload":%q}`, key, strings.Repeat("x", size))
		}
		body := strings.Join([]string{
			line("a", 10), line("b", 64<<10), line("c", 198_000), line("d", 210_000), line("e", 10), line("over", 900_000), line("f", 190_000), line("over", 900_000), line("g", 1),
		}, "\n")
		for _, end := range []string{"", "\n", "\r\n"} {
			got := read[wire.BatchResponse](d.do("POST", "/v1/tasks:batch", body+end, ndjson).must(200))
			var codes []string
			for _, r := range got.Results {
				if r.Problem == nil {
					codes = append(codes, r.Key)
				} else {
					codes = append(codes, string(r.Problem.Code))
				}
			}
			if want := "a b c body_too_large e body_too_large f body_too_large g"; strings.Join(codes, " ") != want {
				t.Errorf("%q: results %v, want %s", end, codes, want)
			}
		}
		if got := read[wire.Task](d.do("GET", "/v1/queues/q/tasks/f", "").must(200)); len(got.Payload) != 190_002 {
			t.Errorf("payload of %d bytes", len(got.Payload))
		}
		last := read[wire.BatchResponse](d.do("POST", "/v1/tasks:batch", line("over", 900_000), ndjson).must(200))
		if len(last.Results) != 1 || last.Results[0].Problem == nil || !strings.Contains(last.Results[0].Problem.Detail, "line 1 is over the limit of 528808 bytes") {
			t.Errorf("%+v", last.Results)
		}
	})
}

// The line that is wrong is named, as an editor counts lines.
func TestBadLinesAreNamed(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		body := "\n" + `{"queue":"q","delay":"1h"}` + "\r\n\r\n" + `{"queue":"q","delay":"1h",}` + "\n" + `{"queue":"q","delay":"1h","dely":1}`
		got := read[wire.BatchResponse](d.do("POST", "/v1/tasks:batch", body, ndjson).must(200)).Results
		if len(got) != 3 || !strings.Contains(got[1].Problem.Detail, "line 4, column 27") || !strings.Contains(got[2].Problem.Detail, "line 5, column 27") {
			t.Errorf("%+v", got)
		}
	})
}

func TestDefaultQueueOfABatch(t *testing.T) {
	bubble(t, api.Options{}, func(_ *testing.T, d *door) {
		d.do("POST", "/v1/tasks:batch?queue=one", `{"key":"1","delay":"1h"}`+"\n"+`{"queue":"two","key":"2","delay":"1h"}`, ndjson).must(200)
		d.do("GET", "/v1/queues/one/tasks/1", "").must(200)
		d.do("GET", "/v1/queues/two/tasks/2", "").must(200)
	})
}

// A whole batch shares its request's trace.
func TestTraceOfABatch(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		d.do("POST", "/v1/tasks:batch?queue=q", `{"key":"1","delay":"1h"}`, ndjson, "traceparent: "+trace).must(200)
		if got := read[wire.Task](d.do("GET", "/v1/queues/q/tasks/1", "")).Traceparent; got != trace {
			t.Errorf("traceparent %q", got)
		}
	})
}

// endless is a body that never ends, to see that reading it does.
type endless struct {
	line string
	read int64
}

func (e *endless) Read(b []byte) (int, error) {
	n := 0
	for n+len(e.line) <= len(b) {
		n += copy(b[n:], e.line)
	}
	if n == 0 {
		n = copy(b, e.line)
	}
	e.read += int64(n)
	return n, nil
}

// However a body is stretched, no more of it is read than the limits allow.
func TestBodiesWithoutEndAreCutOff(t *testing.T) {
	const limit = 1 << 20
	bubble(t, api.Options{MaxBatchBody: limit}, func(t *testing.T, d *door) {
		for name, c := range map[string]struct{ target, line, contentType string }{
			"spaces":       {"/v1/tasks:batch", " ", "application/x-ndjson"},
			"empty lines":  {"/v1/tasks:batch", "\n", "application/x-ndjson"},
			"one line":     {"/v1/tasks:batch", "x", "application/x-ndjson"},
			"many lines":   {"/v1/tasks:batch", `{"queue":"q","delay":"1h"}` + "\n", "application/x-ndjson"},
			"array spaces": {"/v1/tasks:batch", " ", "application/json"},
			"deep":         {"/v1/tasks:batch", "[", "application/json"},
			"leases":       {"/v1/leases:complete", " ", "application/json"},
			"claim":        {"/v1/queues/q:claim", " ", "application/json"},
			"task":         {"/v1/queues/q/tasks", " ", "application/json"},
		} {
			body := &endless{line: c.line}
			r := httptest.NewRequest(http.MethodPost, c.target, io.NopCloser(body))
			r.Header.Set("Content-Type", c.contentType)
			w := httptest.NewRecorder()
			d.ServeHTTP(w, r)
			if w.Code != 413 && w.Code != 400 || body.read > 2*task.DefaultMaxPayload+limit {
				t.Errorf("%s: status %d after %d bytes: %s", name, w.Code, body.read, w.Body)
			}
		}
		if d.do("GET", "/v1/queues/q", "").Code != 404 {
			t.Error("something was scheduled")
		}
	})
}
