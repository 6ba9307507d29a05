package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// canned answers requests with fixed documents, so that the output can be
// compared with files.
var canned = map[string]string{
	"GET /v1/queues/orders/tasks/42": `{"id":"01a1fbef-5ceb-77bb-8921-5369e2d92063","queue":"orders","key":"42","state":"leased","revision":7,"attempt":3,"failures":2,
		"due":"2026-12-01T09:00:00Z","next":"2026-12-01T09:00:31.25Z","created_at":"2026-12-01T08:30:00.000001Z","updated_at":"2026-12-01T09:00:01.25Z","fired_at":"2026-12-01T09:00:01.25Z",
		"timeout":"30s","retention":"24h0m0s","retry":{"max_attempts":16,"min_backoff":"1s","max_backoff":"1h0m0s"},"last_error":"no answer\u001b[2J within 30s",
		"webhook":{"url":"http://127.0.0.1:9000/close","headers":{"X-Shop":"7","Accept":"*/*"}},"metadata":{"b":"2","a":"1"},"payload":{"order": 42,"html":"<b>"}}`,
	"GET /v1/queues/orders/tasks/file": `{"id":"01a1fbef-5ceb-77bb-8921-5369e2d92063","queue":"orders","key":"file","state":"completed","revision":3,"attempt":1,"failures":0,
		"due":"2026-12-01T09:00:00Z","next":"2026-12-02T09:00:00Z","created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T09:00:01Z","fired_at":"2026-12-01T09:00:00Z","finished_at":"2026-12-01T09:00:01Z",
		"timeout":"30s","retention":"24h0m0s","retry":{"max_attempts":16,"min_backoff":"1s","max_backoff":"1h0m0s"},"content_type":"image/png","payload_base64":"iVBORw0K"}`,
	"GET /v1/queues/orders/tasks/night@2026-12-01T03:00:00Z": `{"id":"01a1fbef-5ceb-77bb-8921-5369e2d92063","queue":"orders","key":"night@2026-12-01T03:00:00Z","schedule":"night","occurrence":"2026-12-01T03:00:00Z","missed":2,
		"state":"dead","revision":3,"attempt":1,"failures":1,"due":"2026-12-01T03:00:07Z","created_at":"2026-12-01T03:00:07Z","updated_at":"2026-12-01T03:00:09Z","finished_at":"2026-12-01T03:00:09Z",
		"timeout":"30s","retention":"24h0m0s","retry":{"max_attempts":1,"min_backoff":"1s","max_backoff":"1h0m0s"},"last_error":"exit code 3","output":"copying\n\u001b[31mdisk\tfull\n"}`,
	"PUT /v1/queues/orders/schedules/night": cannedSchedule,
	"GET /v1/queues/orders/schedules/night": cannedSchedule,
	"GET /v1/queues/orders/schedules":       `{"schedules":[` + cannedSchedule + `,{"id":"2","queue":"orders","key":"once\u2028","state":"finished","revision":2,"description":"at 2026-12-01T09:00:00Z","fired":1,"missed":0,"skipped":0,"created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","at":["2026-12-01T09:00:00Z"],"misfire":{"policy":"once"},"overlap":"allow","paused":false}]}`,
	"GET /v1/queues/orders/schedules/night/occurrences": `{"coming":[{"at":"2026-12-04T03:00:00Z","due":"2026-12-04T03:04:10.5Z"},{"at":"2026-12-05T03:00:00Z","due":"2026-12-05T03:00:11Z"}],"queued":["2026-12-03T03:00:00Z"],"past":[
		{"id":"4","queue":"orders","key":"night@2026-12-02T03:00:00Z","schedule":"night","occurrence":"2026-12-02T03:00:00Z","state":"leased","revision":3,"attempt":1,"failures":0,"due":"2026-12-02T03:00:01Z","created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","timeout":"30s","retention":"24h0m0s","retry":{}},
		{"id":"3","queue":"orders","key":"night@2026-12-01T03:00:00Z","schedule":"night","occurrence":"2026-12-01T03:00:00Z","state":"dead","revision":3,"attempt":1,"failures":1,"due":"2026-12-01T03:00:07Z","created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","timeout":"30s","retention":"24h0m0s","retry":{},"last_error":"exit code 3","output":"disk full"},
		{"id":"2","queue":"orders","key":"night@2026-11-30T03:00:00Z","schedule":"night","occurrence":"2026-11-30T03:00:00Z","state":"completed","revision":3,"attempt":2,"failures":1,"due":"2026-11-30T03:00:02Z","created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","timeout":"30s","retention":"24h0m0s","retry":{},"last_error":"of the first attempt","output":"copying\n1,234 files\n"}]}`,
	"POST /v1/queues/orders/schedules/night:trigger": `{"at":"2026-12-01T12:00:00Z","fate":"queued"}`,
	"DELETE /v1/queues/orders/schedules/night":       ``,

	"PUT /v1/queues/orders/tasks/42": `{"id":"01a1fbef-5ceb-77bb-8921-5369e2d92063","queue":"orders","key":"42","state":"scheduled","revision":2,"attempt":0,"failures":0,"due":"2026-12-01T09:00:00Z",
		"created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","timeout":"30s","retention":"24h0m0s","retry":{}}`,
	"GET /v1/queues/orders/tasks": `{"tasks":[
		{"id":"1","queue":"orders","key":"42","state":"scheduled","revision":1,"attempt":0,"failures":0,"due":"2026-12-01T09:00:00Z","created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","timeout":"30s","retention":"24h0m0s","retry":{}},
		{"id":"2","queue":"orders","key":"a rather\u2028long key with spaces","state":"dead","revision":9,"attempt":16,"failures":16,"due":"2026-12-01T09:00:00.5Z","created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T08:30:00Z","timeout":"30s","retention":"24h0m0s","retry":{},"last_error":"status 500: this is a long story that does not fit into a column of a table"}],
		"next_page_token":"more"}`,
	"POST /v1/queues/orders:claim": `{"tasks":[{"lease_token":"AQ3tBq","lease_until":"2026-12-01T09:00:30Z","epoch":5,"id":"1","queue":"orders","key":"42","state":"leased","revision":2,"attempt":1,"failures":0,"due":"2026-12-01T09:00:00Z",
		"created_at":"2026-12-01T08:30:00Z","updated_at":"2026-12-01T09:00:00Z","timeout":"30s","retention":"24h0m0s","retry":{},"payload":[1, 2]}]}`,
	"POST /v1/leases:complete": `{"results":[{"state":"completed","next":"2026-12-02T09:00:00Z"},{"problem":{"type":"urn:timewheel:problem:stale_lease","title":"The lease is stale","status":409,"detail":"stale lease: it ran out","code":"stale_lease"}}],"settled":1,"failed":1}`,
	"GET /v1/queues": `{"queues":[
		{"name":"mail","revision":0,"paused":false,"concurrency":0,"defaults":{},"counts":{"scheduled":1,"ready":2,"leased":3,"completed":4,"cancelled":5,"dead":6}},
		{"name":"orders","revision":4,"paused":true,"concurrency":8,"defaults":{},"counts":{"scheduled":1000000,"ready":0,"leased":0,"completed":0,"cancelled":0,"dead":0}}]}`,
	"GET /v1/queues/orders": `{"name":"orders","revision":4,"paused":true,"concurrency":8,"defaults":{"webhook":{"url":"http://127.0.0.1:9000/close"},"retry":{"max_attempts":3,"min_backoff":"2s","max_backoff":"1m0s"},"timeout":"5s","retention":"0s"},
		"signing_secrets":["whsec_AAAA","whsec_BBBB"],"counts":{"scheduled":1000000,"ready":0,"leased":0,"completed":0,"cancelled":0,"dead":0}}`,
	"POST /v1/queues/orders:purge":      `{"purged":12345}`,
	"DELETE /v1/queues/orders/tasks/42": ``,
}

const cannedSchedule = `{"id":"01a1fbef-5ceb-77bb-8921-5369e2d92063","queue":"orders","key":"night","state":"active","revision":7,"description":"at 03:00 every day, in UTC",
	"next":"2026-12-04T03:00:00Z","next_due":"2026-12-04T03:04:10.5Z","last":"2026-12-02T03:00:00Z","fired":12,"missed":3,"skipped":1,"queued":["2026-12-03T03:00:00Z"],"zone_data":"2025c","created_at":"2026-11-01T08:30:00Z","updated_at":"2026-12-02T03:00:00Z",
	"cron":["0 3 * * *"],"day_rule":"or","jitter":"5m0s","times":100,"misfire":{"policy":"all","limit":10,"window":"48h0m0s","grace":"2m0s"},"overlap":"queue","queue_limit":5,"paused":false,
	"task":{"webhook":{"url":"http://127.0.0.1:9000/report"},"retry":{"max_attempts":3},"timeout":"5m0s","retention":"168h0m0s","metadata":{"by":"me"},"payload":{"report": 1}}}`

func cannedDaemon(t *testing.T) *shellOf {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := canned[r.Method+" "+r.URL.Path]
		switch {
		case !ok:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			answer = `{"type":"urn:timewheel:problem:not_found","title":"No such task","status":404,"detail":"no such task","code":"not_found"}`
		case answer == "":
			w.WriteHeader(http.StatusNoContent)
		}
		if _, err := w.Write([]byte(answer)); err != nil && answer != "" {
			t.Error(err)
		}
	}))
	t.Cleanup(srv.Close)
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = srv.URL
	return s
}

func TestOutput(t *testing.T) {
	s := cannedDaemon(t)
	for name, args := range map[string]string{
		"get":            "get --queue orders --key 42",
		"get-bytes":      "get --queue orders --key file",
		"get-missing":    "get --queue orders --key none",
		"schedule":       "schedule --queue orders --key 42 --in 30m",
		"list":           "list --queue orders --limit 2 --state dead",
		"cancel":         "cancel --queue orders --key 42",
		"claim":          "claim --queue orders",
		"complete":       "leases complete AQ3tBq AQ3tBr",
		"queues-list":    "queues list",
		"queues-get":     "queues get orders",
		"queues-purge":   "queues purge orders --all",
		"get-occurrence": "get --queue orders --key night@2026-12-01T03:00:00Z",

		"schedules-put":     "schedules put --queue orders --key night --cron @daily",
		"schedules-get":     "schedules get --queue orders --key night",
		"schedules-missing": "schedules get --queue orders --key none",
		"schedules-list":    "schedules list --queue orders",
		"schedules-next":    "schedules next --queue orders --key night",
		"schedules-trigger": "schedules trigger --queue orders --key night",
		"schedules-delete":  "schedules delete --queue orders --key night",

		"redrive-found": "redrive --queue orders --key none",
	} {
		for _, kind := range []string{".txt", ".json"} {
			line := strings.Fields(args)
			if kind == ".json" {
				line = append(line, "--json")
			}
			out, err, _ := s.run(line...)
			if err != "" {
				out += "stderr: " + err
			}
			golden(t, "output/"+name+kind, out)
		}
	}
}

func TestFormats(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567", 100000: "100,000"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) is %q, want %q", n, got, want)
		}
	}
	if got := rate(3, 1500*time.Millisecond); got != "2/s" {
		t.Errorf("rate is %q", got)
	}
	if got := short("äöü€x", 4); got != "äöü…" {
		t.Errorf("short is %q", got)
	}
	if got := visible("a\x1b[2J\nb\u009bc"); got != "a·[2J·b·c" {
		t.Errorf("visible is %q", got)
	}
}
