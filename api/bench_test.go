package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// BenchmarkPut is the door's own part of a single PUT: no network, no store.
func BenchmarkPut(b *testing.B) {
	h := api.New(&instant{}, api.Options{Log: quiet()})
	const body = `{"delay":"30m","payload":{"order":42,"lines":[{"sku":"a-1","n":2}]},"webhook":{"url":"http://127.0.0.1:9000/close"}}`
	r := httptest.NewRequest(http.MethodPut, aTask, nil)
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		r.Body = rewound{strings.NewReader(body)}
		r.ContentLength = int64(len(body))
		clear(w.header)
		h.ServeHTTP(w, r)
		if w.status != 201 {
			b.Fatal(w.status)
		}
	}
}

// BenchmarkBatch is the same of a batch, per task.
func BenchmarkBatch(b *testing.B) {
	var lines strings.Builder
	const n = 1000
	for i := range n {
		fmt.Fprintf(&lines, `{"queue":"orders","key":"%d","delay":"30m","payload":{"order":%d},"webhook":{"url":"http://127.0.0.1:9000/close"}}`+"\n", i, i)
	}
	array := `{"tasks":[` + strings.TrimSuffix(strings.ReplaceAll(lines.String(), "\n", ","), ",") + `]}`
	for _, form := range []struct{ name, contentType, body string }{
		{"lines", "application/x-ndjson", lines.String()}, {"array", "application/json", array},
	} {
		b.Run(form.name, func(b *testing.B) {
			h := api.New(&instant{}, api.Options{Log: quiet()})
			r := httptest.NewRequest(http.MethodPost, "/v1/tasks:batch", nil)
			r.Header.Set("Content-Type", form.contentType)
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				r.Body = rewound{strings.NewReader(form.body)}
				clear(w.header)
				h.ServeHTTP(w, r)
				if w.status != 200 {
					b.Fatal(w.status)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/task")
		})
	}
}

// instant is a Scheduler that takes no time.
type instant struct {
	recorder
	results []scheduler.ScheduleResult
}

var scheduled = &task.Task{
	Queue: "orders", Key: "42", State: task.Scheduled, Revision: 1, Due: 1 << 50, Next: 1 << 50, Created: 1 << 50, Updated: 1 << 50,
	Timeout: task.DefaultTimeout, Retention: task.DefaultRetention,
	Retry: task.Retry{MaxAttempts: task.DefaultMaxAttempts, MinBackoff: task.DefaultMinBackoff, MaxBackoff: task.DefaultMaxBackoff},
}

func (*instant) Schedule(ctx context.Context, _ scheduler.ScheduleRequest) scheduler.ScheduleResult {
	return scheduler.ScheduleResult{Task: scheduled, Err: ctx.Err()}
}

func (s *instant) ScheduleBatch(ctx context.Context, rs []scheduler.ScheduleRequest) ([]scheduler.ScheduleResult, error) {
	if s.results == nil {
		s.results = make([]scheduler.ScheduleResult, len(rs))
	}
	for i := range rs {
		s.results[i].Task = scheduled
	}
	return s.results, ctx.Err()
}

// rewound is a body that is read again and again.
type rewound struct{ *strings.Reader }

func (rewound) Close() error { return nil }

// sink is a client that listens to the status alone.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
