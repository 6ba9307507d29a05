package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/task"
)

const (
	invalid   = wire.ProblemCodeInvalidRequest
	malformed = wire.ProblemCodeMalformedBody
)

// bad is a request that must be refused, and must change nothing.
type bad struct {
	name    string
	method  string
	target  string
	body    string
	headers []string
	status  int
	code    wire.ProblemCode
	fields  []string // of the faults, all of them
	detail  string   // part of it
}

const (
	aTask = "/v1/queues/orders/tasks/42" // pending, revision 1
	free  = "/v1/queues/orders/tasks/free"
)

// put is a bad PUT of a task.
func put(name, body string, fields ...string) bad {
	return bad{name: name, method: "PUT", target: free, body: body, status: 400, code: invalid, fields: fields}
}

// broken is a PUT whose body is no JSON.
func broken(name, body, detail string) bad {
	return bad{name: name, method: "PUT", target: free, body: body, status: 400, code: malformed, detail: detail}
}

func badTasks() []bad {
	long := strings.Repeat("k", 513)
	return []bad{
		put("unknown field", `{"delay":"1s","dealy":"1s"}`, "dealy"),
		put("unknown field in another case", `{"Delay":"1s","delay":"1s"}`, "Delay"),
		put("unknown field deep inside", `{"delay":"1s","retry":{"max":1}}`, "retry.max"),
		put("field given twice", `{"delay":"1s","delay":"2s"}`, "delay"),
		put("metadata given twice", `{"delay":"1s","metadata":{"a":"1","a":"2"}}`, "metadata.a"),
		put("neither due nor delay", `{"payload":1}`, "due"),
		put("both due and delay", `{"due":"2030-01-01T00:00:00Z","delay":"1s"}`, "due"),
		put("negative delay", `{"delay":"-1s"}`, "delay"),
		put("delay without unit", `{"delay":"30"}`, "delay"),
		put("delay in days", `{"delay":"2d"}`, "delay"),
		put("delay as a number", `{"delay":30}`, "delay"),
		put("delay is null", `{"delay":null}`, "delay"),
		put("due beyond 9999", `{"due":"10000-01-01T00:00:00Z"}`, "due"),
		put("due beyond 9999 by its zone", `{"due":"9999-12-31T23:59:59-01:00"}`, "due"),
		put("due before 1970", `{"due":"1969-12-31T23:59:59Z"}`, "due"),
		put("due in the year 1", `{"due":"0001-01-01T00:00:00Z"}`, "due"),
		put("due without zone", `{"due":"2030-01-01T00:00:00"}`, "due"),
		put("due on no day", `{"due":"2030-02-30T00:00:00Z"}`, "due"),
		put("due as a number", `{"due":1893456000}`, "due"),
		put("two payloads", `{"delay":"1s","payload":1,"payload_base64":"AA=="}`, "payload"),
		put("payload not base64", `{"delay":"1s","payload_base64":"%%%"}`, "payload_base64"),
		put("content type beside a JSON payload", `{"delay":"1s","payload":1,"content_type":"text/plain"}`, "content_type"),
		put("content type that is none", `{"delay":"1s","payload_base64":"AA==","content_type":"a b"}`, "content_type"),
		put("URL of another scheme", `{"delay":"1s","webhook":{"url":"ftp://example.com/"}}`, "webhook.url"),
		put("URL without host", `{"delay":"1s","webhook":{"url":"http:///x"}}`, "webhook.url"),
		put("webhook without URL", `{"delay":"1s","webhook":{}}`, "webhook.url"),
		put("webhook is a string", `{"delay":"1s","webhook":"http://example.com"}`, "webhook"),
		put("header of the delivery's own", `{"delay":"1s","webhook":{"url":"http://example.com/","headers":{"Webhook-Id":"1"}}}`, "webhook.headers"),
		put("header with a line break", `{"delay":"1s","webhook":{"url":"http://example.com/","headers":{"X-A":"1\r\nX-B: 2"}}}`, "webhook.headers"),
		put("metadata that is no text", `{"delay":"1s","metadata":{"a":1}}`, "metadata.a"),
		put("metadata too long", `{"delay":"1s","metadata":{"a":"`+strings.Repeat("x", 17<<10)+`"}}`, "metadata"),
		put("timeout of nothing", `{"delay":"1s","timeout":"0s"}`, "timeout"),
		put("timeout too long", `{"delay":"1s","timeout":"25h"}`, "timeout"),
		put("retention negative", `{"delay":"1s","retention":"-1s"}`, "retention"),
		put("no attempt", `{"delay":"1s","retry":{"max_attempts":0}}`, "retry.max_attempts"),
		put("attempts in halves", `{"delay":"1s","retry":{"max_attempts":2.5}}`, "retry.max_attempts"),
		put("attempts beyond", `{"delay":"1s","retry":{"max_attempts":99999999999999999999}}`, "retry.max_attempts"),
		put("backoffs crossed", `{"delay":"1s","retry":{"min_backoff":"1m","max_backoff":"1s"}}`, "retry.max_backoff"),
		put("all faults at once", `{"delay":"x","retry":{"max_attempts":"1"},"webhook":{"url":"gopher://x"},"x":1}`, "delay", "retry.max_attempts", "x", "webhook.url"),
		put("no fields", `{}`, "due"),

		broken("empty body", "", "the body is empty"),
		broken("blank body", " \n\t", "the body is empty"),
		broken("no JSON", "delay=30m", "line 1, column 1"),
		broken("cut short", `{"delay":"1s"`, "the document ends"),
		broken("two values", `{"delay":"1s"}{"delay":"2s"}`, "send one JSON value"),
		broken("an array", `[{"delay":"1s"}]`, "must be a JSON object, got an array"),
		broken("null", `null`, "must be a JSON object, got null"),
		broken("single quotes", `{'delay':'1s'}`, "column 2"),
		broken("trailing comma", `{"delay":"1s",}`, "column 15"),
		broken("not UTF-8", "{\"delay\":\"1s\",\"payload\":\"\xff\"}", "not UTF-8"),
		broken("too deep", `{"delay":"1s","payload":`+strings.Repeat("[", 300)+strings.Repeat("]", 300)+`}`, "nested deeper"),
		broken("byte order mark", "\ufeff{\"delay\":\"1s\"}", "byte order mark"),
		broken("lone surrogate", `{"delay":"1s","metadata":{"a":"\ud800"}}`, "surrogate"),

		{name: "key of no bytes", method: "PUT", target: "/v1/queues/orders/tasks/", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"key"}},
		{name: "key over 512 bytes", method: "PUT", target: "/v1/queues/orders/tasks/" + long, body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"key"}},
		{name: "key with control character", method: "PUT", target: "/v1/queues/orders/tasks/a%0Ab", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"key"}},
		{name: "key not UTF-8", method: "PUT", target: "/v1/queues/orders/tasks/%FF", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"key"}},
		{name: "queue of no bytes", method: "PUT", target: "/v1/queues//tasks/1", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"queue"}},
		{name: "queue with a space", method: "POST", target: "/v1/queues/a%20b/tasks", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"queue"}},
		{name: "payload over the limit", method: "PUT", target: free, body: `{"delay":"1s","payload":"` + strings.Repeat("x", 1<<20) + `"}`, status: 413, code: wire.ProblemCodeBodyTooLarge, detail: "the payload has 1048578 bytes: the limit is 1048576"},
		{name: "payload over the limit, to change", method: "PATCH", target: aTask, body: `{"payload":"` + strings.Repeat("x", 1<<20) + `"}`, status: 413, code: wire.ProblemCodeBodyTooLarge, detail: "the limit is 1048576"},
		{name: "body over the limit", method: "PUT", target: free, body: `{"delay":"1s","payload":"` + strings.Repeat("x", 2<<20) + `"}`, status: 413, code: wire.ProblemCodeBodyTooLarge, detail: "limit of 1660244 bytes"},
		{name: "another content type", method: "PUT", target: free, body: `{"delay":"1s"}`, headers: []string{"Content-Type: text/plain"}, status: 415, code: wire.ProblemCodeUnsupportedMediaType},
		{name: "content encoding", method: "PUT", target: free, body: `{"delay":"1s"}`, headers: []string{"Content-Encoding: gzip"}, status: 415, code: wire.ProblemCodeUnsupportedMediaType},
		{name: "unknown parameter", method: "PUT", target: free + "?if_absnet=true", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"if_absnet"}},
		{name: "condition that is none", method: "PUT", target: free + "?if_absent=1", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"if_absent"}},
		{name: "condition twice", method: "PUT", target: free + "?if_absent=true&if_absent=false", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"if_absent"}},
		{name: "conditions at odds", method: "PUT", target: free + "?if_absent=true", body: `{"delay":"1s"}`, headers: []string{`If-Match: "1"`}, status: 400, code: invalid, fields: []string{"If-Match"}},
		{name: "revision that is none", method: "PUT", target: free, body: `{"delay":"1s"}`, headers: []string{`If-Match: *`}, status: 400, code: invalid, fields: []string{"If-Match"}},
		{name: "weak revision", method: "DELETE", target: aTask, headers: []string{`If-Match: W/"1"`}, status: 400, code: invalid, fields: []string{"If-Match"}},
		{name: "none-match of a revision", method: "PUT", target: free, body: `{"delay":"1s"}`, headers: []string{`If-None-Match: "1"`}, status: 400, code: invalid, fields: []string{"If-None-Match"}},
		{name: "revision of no record", method: "PUT", target: free, body: `{"delay":"1s"}`, headers: []string{`If-Match: "1"`}, status: 412, code: wire.ProblemCodeRevisionMismatch},
		{name: "wrong revision", method: "PUT", target: aTask, body: `{"delay":"1s"}`, headers: []string{`If-Match: "7"`}, status: 412, code: wire.ProblemCodeRevisionMismatch},
		{name: "wrong revision to cancel", method: "DELETE", target: aTask, headers: []string{`If-Match: "7"`}, status: 412, code: wire.ProblemCodeRevisionMismatch},
		{name: "revision where none is heeded", method: "POST", target: aTask + ":run", headers: []string{`If-Match: "7"`}, status: 400, code: invalid, fields: []string{"If-Match"}},
		{name: "none-match where none is heeded", method: "DELETE", target: aTask, headers: []string{`If-None-Match: *`}, status: 400, code: invalid, fields: []string{"If-None-Match"}},
		{name: "wrong revision to change", method: "PATCH", target: aTask, body: `{"delay":"1s"}`, headers: []string{`If-Match: "7"`}, status: 412, code: wire.ProblemCodeRevisionMismatch},
		{name: "key that is taken", method: "PUT", target: aTask + "?if_absent=true", body: `{"delay":"1s"}`, status: 409, code: wire.ProblemCodeAlreadyExists},
		{name: "key that is taken, by header", method: "PUT", target: aTask, body: `{"delay":"1s"}`, headers: []string{"If-None-Match: *"}, status: 409, code: wire.ProblemCodeAlreadyExists},
		{name: "change of nothing", method: "PATCH", target: aTask, body: `{}`, status: 400, code: invalid, fields: []string{"body"}},
		{name: "change to both", method: "PATCH", target: aTask, body: `{"due":"2030-01-01T00:00:00Z","delay":"1s"}`, status: 400, code: invalid, fields: []string{"due"}},
		{name: "change to a negative delay", method: "PATCH", target: aTask, body: `{"delay":"-1s"}`, status: 400, code: invalid, fields: []string{"delay"}},
		{name: "change of the key", method: "PATCH", target: aTask, body: `{"key":"x"}`, status: 400, code: invalid, fields: []string{"key"}},
		{name: "change of no task", method: "PATCH", target: free, body: `{"delay":"1s"}`, status: 404, code: wire.ProblemCodeNotFound},
		{name: "no task to cancel", method: "DELETE", target: free, status: 404, code: wire.ProblemCodeNotFound},
		{name: "no dead task", method: "POST", target: aTask + ":redrive", status: 409, code: wire.ProblemCodeWrongState},
		{name: "body where none is", method: "POST", target: aTask + ":run", body: `{"delay":"1s"}`, status: 400, code: invalid, fields: []string{"delay"}},
	}
}

func badOthers() []bad {
	const list, batch, ndjson = "/v1/queues/orders/tasks", "/v1/tasks:batch", "Content-Type: application/x-ndjson"
	lines := strings.Repeat(`{"queue":"orders","delay":"1s"}`+"\n", 10_001)
	array := `{"tasks":[` + strings.TrimSuffix(strings.ReplaceAll(lines, "\n", ","), ",") + `]}`
	stale := task.Token{Queue: "orders", Key: "42", Attempt: 1, Nonce: 2}.String()
	return []bad{
		{name: "page token", method: "GET", target: list + "?page_token=xyz", status: 400, code: invalid, fields: []string{"page_token"}},
		{name: "page token of queues", method: "GET", target: "/v1/queues?page_token=%21", status: 400, code: invalid, fields: []string{"page_token"}},
		{name: "page size", method: "GET", target: list + "?page_size=1001", status: 400, code: invalid, fields: []string{"page_size"}},
		{name: "page size of nothing", method: "GET", target: "/v1/queues?page_size=0", status: 400, code: invalid, fields: []string{"page_size"}},
		{name: "state and more", method: "GET", target: list + "?state=asleep&due_before=now&x=1", status: 400, code: invalid, fields: []string{"state", "due_before", "due_before", "x"}},
		{name: "instant without state", method: "GET", target: list + "?due_before=2030-01-01T00:00:00Z", status: 400, code: invalid, fields: []string{"due_before"}},
		{name: "query that is none", method: "GET", target: list + "?a=%zz", status: 400, code: invalid, fields: []string{"query"}},

		{name: "batch of nothing", method: "POST", target: batch, body: "\n\n", headers: []string{ndjson}, status: 400, code: invalid, fields: []string{"tasks"}},
		{name: "array of nothing", method: "POST", target: batch, body: `{"tasks":[]}`, status: 400, code: invalid, fields: []string{"tasks"}},
		{name: "batch without body", method: "POST", target: batch, status: 400, code: malformed, detail: "is empty"},
		{name: "batch that is no object", method: "POST", target: batch, body: `[]`, status: 400, code: malformed, detail: "a batch is"},
		{name: "batch in lines of another type", method: "POST", target: batch, body: `{"queue":"orders"}`, status: 400, code: malformed, detail: "application/x-ndjson"},
		{name: "batch and more", method: "POST", target: batch, body: `{"tasks":[{"queue":"orders","delay":"1s"}],"more":1}`, status: 400, code: malformed, detail: `found "more"`},
		{name: "batch twice", method: "POST", target: batch, body: `{"tasks":[{"queue":"orders","delay":"1s"}]}{}`, status: 400, code: malformed, detail: "the end"},
		{name: "batch cut short", method: "POST", target: batch, body: `{"tasks":[{"queue":"orders","delay":"1s"},`, status: 400, code: malformed, detail: "cut short"},
		{name: "batch that breaks off", method: "POST", target: batch, body: `{"tasks":[{"queue":"orders","delay":"1s"},}`, status: 400, code: malformed, detail: "not well-formed"},
		{name: "batch of too many lines", method: "POST", target: batch, body: lines, headers: []string{ndjson}, status: 413, code: wire.ProblemCodeBatchTooLarge, detail: "10000"},
		{name: "batch of too many items", method: "POST", target: batch, body: array, status: 413, code: wire.ProblemCodeBatchTooLarge, detail: "10000"},
		{name: "batch of too many bytes", method: "POST", target: batch, body: lines[:31*7000] + strings.Repeat(" ", 1<<20), headers: []string{ndjson}, status: 413, code: wire.ProblemCodeBodyTooLarge, detail: "1048576"},
		{name: "batch of another type", method: "POST", target: batch, body: lines, headers: []string{"Content-Type: text/csv"}, status: 415, code: wire.ProblemCodeUnsupportedMediaType},

		{name: "claim of none", method: "POST", target: "/v1/queues/orders:claim", body: `{"max":0}`, status: 400, code: invalid, fields: []string{"max"}},
		{name: "claim of too much", method: "POST", target: "/v1/queues/orders:claim", body: `{"max":1001,"wait":"2m","lease":"25h"}`, status: 400, code: invalid, fields: []string{"max", "wait", "lease"}},
		{name: "claim of a queue that is none", method: "POST", target: "/v1/queues/-:claim", status: 400, code: invalid, fields: []string{"queue"}},
		{name: "no leases", method: "POST", target: "/v1/leases:complete", body: `{"leases":[]}`, status: 400, code: invalid, fields: []string{"leases"}},
		{name: "leases left out", method: "POST", target: "/v1/leases:renew", body: `{}`, status: 400, code: invalid, fields: []string{"leases"}},
		{name: "leases that are no list", method: "POST", target: "/v1/leases:renew", body: `{"leases":"` + stale + `"}`, status: 400, code: invalid, fields: []string{"leases"}},
		{name: "too many leases", method: "POST", target: "/v1/leases:complete", body: `{"leases":[` + strings.Repeat("{},", 10_000) + `{}]}`, status: 413, code: wire.ProblemCodeBatchTooLarge},

		{name: "queue setting", method: "PATCH", target: "/v1/queues/new", body: `{"concurrency":-1,"paused":"no","defaults":{"retry":{"max_attempts":-1}},"signing_secrets":["abc",1]}`, status: 400, code: invalid, fields: []string{"concurrency", "paused", "defaults.retry.max_attempts", "signing_secrets[1]"}},
		{name: "queue secret", method: "PATCH", target: "/v1/queues/new", body: `{"signing_secrets":["abc"]}`, status: 400, code: invalid, fields: []string{"signing_secrets"}},
		{name: "queue change of nothing", method: "PATCH", target: "/v1/queues/new", body: `{}`, status: 400, code: invalid, fields: []string{"body"}},
		{name: "queue name", method: "POST", target: "/v1/queues/%2F:pause", status: 400, code: invalid, fields: []string{"queue"}},
		{name: "delay beyond all", method: "PUT", target: free, body: `{"delay":"99999999h"}`, status: 400, code: invalid, fields: []string{"delay"}, detail: "delay must be from 0s to 2562047h0m0s, got 99999999h"},
		{name: "delay long before", method: "PUT", target: free, body: `{"delay":"-99999999h"}`, status: 400, code: invalid, fields: []string{"delay"}, detail: "delay must be from 0s to 2562047h0m0s, got -99999999h"},
		{name: "timeout beyond all", method: "PUT", target: free, body: `{"delay":"1s","timeout":"99999999h"}`, status: 400, code: invalid, fields: []string{"timeout"}, detail: "timeout must be over 0s and up to 24h0m0s, got 99999999h"},
		{name: "delay that is none", method: "PUT", target: free, body: `{"delay":"99999999 hours"}`, status: 400, code: invalid, fields: []string{"delay"}, detail: "delay must be a duration such as"},
		{name: "field where there are none", method: "POST", target: aTask + ":run", body: `{"now":true}`, status: 400, code: invalid, fields: []string{"now"}, detail: "now is unknown, at line 1, column 2: there are no fields here"},
		{name: "end of a pause of a queue never used", method: "POST", target: "/v1/queues/new:resume", status: 404, code: wire.ProblemCodeNotFound, detail: "\"new\" was never used"},
		{name: "queue never used", method: "GET", target: "/v1/queues/new", status: 404, code: wire.ProblemCodeNotFound},
		{name: "purge of no state", method: "POST", target: "/v1/queues/orders:purge", body: `{"state":"all"}`, status: 400, code: invalid, fields: []string{"state"}},
		{name: "purge of the running", method: "POST", target: "/v1/queues/orders:purge", body: `{"state":"leased"}`, status: 400, code: invalid, fields: []string{"state"}},
		{name: "no path", method: "GET", target: "/v1/tasks", status: 404, code: wire.ProblemCodeUnknownPath},
		{name: "no version", method: "PUT", target: "/queues/orders/tasks/1", body: `{"delay":"1s"}`, status: 404, code: wire.ProblemCodeUnknownPath},
		{name: "slash in a key", method: "PUT", target: "/v1/queues/orders/tasks/a/b", body: `{"delay":"1s"}`, status: 404, code: wire.ProblemCodeUnknownPath},
		{name: "no verb", method: "POST", target: "/v1/leases:drop", body: `{}`, status: 404, code: wire.ProblemCodeUnknownPath},
		{name: "method", method: "DELETE", target: "/v1/queues/orders", status: 405, code: wire.ProblemCodeMethodNotAllowed, detail: "GET, PATCH"},
	}
}

// Whatever is refused is refused with its own status and code, names what was
// wrong, and changes nothing.
func TestBadInput(t *testing.T) {
	for _, b := range slices.Concat(badTasks(), badOthers(), badSchedules()) {
		t.Run(b.name, func(t *testing.T) {
			bubble(t, api.Options{MaxBatchBody: 1 << 20}, func(t *testing.T, d *door) {
				d.do("PUT", aTask, `{"delay":"1h","payload":{"n":1}}`).must(201)
				d.do("PUT", aSchedule, `{"cron":"0 3 * * *","overlap":"skip"}`).must(201)
				before := snapshot(d)
				p := d.do(b.method, b.target, b.body, b.headers...).problem(b.status, b.code)
				var fields []string
				for _, f := range p.Errors {
					fields = append(fields, f.Field)
				}
				if !slices.Equal(fields, b.fields) || !strings.Contains(p.Detail, b.detail) {
					t.Errorf("fields %q, want %q; detail %q, want %q", fields, b.fields, p.Detail, b.detail)
				}
				if after := snapshot(d); after != before {
					t.Errorf("it had an effect: %s, before it %s", after, before)
				}
			})
		})
	}
}

// snapshot returns all that the door shows of its state.
func snapshot(d *door) string {
	return fmt.Sprint(d.do("GET", "/v1/queues", "").Body, d.do("GET", "/v1/queues/orders/tasks", "").Body, d.do("GET", aTask, "").Body, d.do("GET", "/v1/queues/orders/schedules", "").Body)
}

// An item of a batch that is wrong fails alone.
func TestBadItemsFailAlone(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		items := []struct {
			doc  string
			code wire.ProblemCode
		}{
			{`{"queue":"q","key":"1","delay":"1s"}`, ""},
			{`{"queue":"q","key":"2","delay":"-1s"}`, invalid},
			{`{"queue":"q","key":"3","delay":"1s","x":1}`, invalid},
			{`{"queue":"","key":"4","delay":"1s"}`, invalid},
			{`{"key":"5","delay":"1s"}`, invalid},
			{`{"queue":"q","key":"","delay":"1s"}`, invalid},
			{`{"queue":"q","key":"` + strings.Repeat("k", 513) + `","delay":"1s"}`, invalid},
			{`{"queue":"q","key":"a\nb","delay":"1s"}`, invalid},
			{`{"queue":"q","key":"1","delay":"1s","if_absent":true}`, wire.ProblemCodeAlreadyExists},
			{`[]`, malformed},
			{`{"queue":"q","key":"9","delay":"1s"}`, ""},
		}
		var docs []string
		for _, i := range items {
			docs = append(docs, i.doc)
		}
		check := func(a answer, created, replaced int) {
			t.Helper()
			got := read[wire.BatchResponse](a.must(200))
			if got.Created != created || got.Replaced != replaced || got.Failed != len(items)-2 || len(got.Results) != len(items) {
				t.Fatalf("created %d, replaced %d, failed %d of %d", got.Created, got.Replaced, got.Failed, len(got.Results))
			}
			for i, r := range got.Results {
				switch {
				case items[i].code == "" && (r.Problem != nil || r.Key == "" || r.ID == "" || r.Due.IsZero()):
					t.Errorf("%s: %+v", items[i].doc, r)
				case items[i].code != "" && (r.Problem == nil || r.Problem.Code != items[i].code || r.Key != ""):
					t.Errorf("%s: %+v, want %s", items[i].doc, r.Problem, items[i].code)
				}
			}
		}
		check(d.do("POST", "/v1/tasks:batch", `{"tasks":[`+strings.Join(docs, ",")+`]}`), 2, 0)
		check(d.do("POST", "/v1/tasks:batch", strings.Join(docs, "\r\n\r\n")+"\n", "Content-Type: application/x-ndjson; charset=utf-8"), 0, 2)
	})
}

// A lease that is wrong fails alone too.
func TestBadLeasesFailAlone(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		d.do("PUT", "/v1/queues/q/tasks/1", `{"delay":"0s"}`).must(201)
		lease := read[wire.ClaimResponse](d.do("POST", "/v1/queues/q:claim", `{"wait":"1s"}`).must(200)).Tasks[0].LeaseToken
		stale := task.Token{Queue: "q", Key: "1", Attempt: 7, Nonce: 9}.String()
		items := []struct {
			doc  string
			code wire.ProblemCode
		}{
			{`{"lease_token":"` + stale + `","error":"x"}`, wire.ProblemCodeStaleLease},
			{`{"lease_token":"` + lease + `"}`, invalid},
			{`{"lease_token":"` + lease + `","error":"x","retry_after":"-1s"}`, invalid},
			{`{"lease_token":"` + lease + `","error":"x","delay":"1s"}`, invalid},
			{`{"lease_token":7,"error":"x"}`, invalid},
			{`{"error":"x"}`, invalid},
			{`"` + lease + `"`, invalid},
			{`{"lease_token":"` + lease + `","error":"x"}`, ""},
			{`{"lease_token":"` + lease + `","error":"x"}`, wire.ProblemCodeStaleLease},
		}
		var docs []string
		for _, i := range items {
			docs = append(docs, i.doc)
		}
		got := read[wire.SettleResponse](d.do("POST", "/v1/leases:fail", `{"leases":[`+strings.Join(docs, ",")+`]}`).must(200))
		if got.Settled != 1 || got.Failed != len(items)-1 || len(got.Results) != len(items) {
			t.Fatalf("settled %d, failed %d", got.Settled, got.Failed)
		}
		for i, r := range got.Results {
			if ok := r.Problem == nil; ok != (items[i].code == "") || !ok && r.Problem.Code != items[i].code {
				t.Errorf("%s: %+v, want %q", items[i].doc, r, items[i].code)
			}
		}
		if after := read[wire.Task](d.do("GET", "/v1/queues/q/tasks/1", "").must(200)); after.Failures != 1 || after.LastError != "x" {
			t.Errorf("the task has %d failures and last error %q", after.Failures, after.LastError)
		}
	})
}
