package api_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
)

// transcript is a conversation with the door, to be compared with a golden
// file.
type transcript struct {
	*door
	text  strings.Builder
	names map[string]string // ids and tokens, which are random, to names
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	tokens = regexp.MustCompile(`"lease_token":"[^"]+"`)
)

func (c *transcript) say(method, target, body string, headers ...string) answer {
	c.t.Helper()
	synctest.Wait() // for what the call before has set going
	a := c.do(method, target, body, headers...)
	fmt.Fprintf(&c.text, "> %s %s\n", method, target)
	for _, line := range append(headers, strings.Split(strings.TrimSpace(body), "\n")...) {
		if line != "" {
			fmt.Fprintf(&c.text, "> %s\n", line)
		}
	}
	fmt.Fprintf(&c.text, "< %d\n", a.Code)
	for _, name := range []string{"Content-Type", "Location", "ETag", "Allow", "WWW-Authenticate", "Retry-After"} {
		if v := a.Header().Get(name); v != "" {
			fmt.Fprintf(&c.text, "< %s: %s\n", name, v)
		}
	}
	if a.Body.Len() > 0 {
		fmt.Fprintf(&c.text, "< %s\n", strings.ReplaceAll(strings.TrimSpace(a.Body.String()), "\n", "\n< "))
	}
	c.text.WriteByte('\n')
	return a
}

// result returns the conversation with names for what is random.
func (c *transcript) result() string {
	name := func(kind string) func(string) string {
		return func(s string) string {
			if c.names[s] == "" {
				c.names[s] = fmt.Sprintf("<%s %d>", kind, len(c.names)+1)
			}
			return c.names[s]
		}
	}
	text := uuids.ReplaceAllStringFunc(c.text.String(), name("id"))
	return tokens.ReplaceAllStringFunc(text, func(s string) string {
		return `"lease_token":"` + name("token")(s) + `"`
	})
}

func record(t *testing.T, file string, f func(c *transcript)) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		c := &transcript{door: d, names: map[string]string{}}
		f(c)
		golden(t, file, c.result())
	})
}

// The golden files are the wire form, to the byte. They change only on
// purpose.
func TestWireForm(t *testing.T) {
	t.Run("tasks", func(t *testing.T) { record(t, "tasks.golden", talkAboutTasks) })
	t.Run("leases", func(t *testing.T) { record(t, "leases.golden", talkAboutLeases) })
	t.Run("queues", func(t *testing.T) { record(t, "queues.golden", talkAboutQueues) })
	t.Run("schedules", func(t *testing.T) { record(t, "schedules.golden", talkAboutSchedules) })
	t.Run("batch", func(t *testing.T) { record(t, "batch.golden", talkAboutBatches) })
}

func talkAboutTasks(c *transcript) {
	const path = "/v1/queues/orders/tasks/42"
	c.say("PUT", path, `{"delay":"30m","payload":{"order": 42, "note": "a<b & c"},"webhook":{"url":"http://127.0.0.1:9000/close?a=1&b=2","headers":{"X-Shop":"7"}}}`)
	c.say("PUT", path, `{"due":"2000-01-01T01:30:00.0000001+01:00","payload":[1,
  2],"metadata":{"b":"2","a":"1"},"retry":{"max_attempts":3,"min_backoff":"2s"},"timeout":"90s","retention":"0s"}`,
		"Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	c.say("GET", path, "")
	c.say("PATCH", path, `{"delay":"1h","payload_base64":"AAEC/w==","content_type":"application/octet-stream"}`, `If-Match: "2"`)
	c.say("GET", path, "")
	c.say("POST", path+":run", "")
	c.say("POST", path+":redrive", "{}")
	c.say("PUT", path+"?if_absent=true", `{"delay":"0s"}`)
	c.say("PUT", "/v1/queues/orders/tasks/43", `{"delay":"48h"}`)
	c.say("DELETE", "/v1/queues/orders/tasks/43", "")
	c.say("GET", "/v1/queues/orders/tasks?page_size=1", "")
	c.say("GET", "/v1/queues/orders/tasks?state=cancelled", "")
	c.say("DELETE", "/v1/queues/orders/tasks/44", "")
	c.say("POST", "/v1/queues/orders/tasks", `{"due":"2030-06-01T00:00:00Z"}`)
	c.say("GET", "/v1/queues/orders/tasks/a/b", "")
	c.say("POST", "/v1/queues/orders/tasks/a:jump", "")
	c.say("PUT", path, `{"due":"tomorrow","dely":"30m","retry":{"max_attempts":"3"}}`)
	c.say("PUT", path, `{"delay":"30m"`)
}

func talkAboutLeases(c *transcript) {
	for i := range 4 {
		c.say("PUT", fmt.Sprintf("/v1/queues/mail/tasks/%d", i), `{"delay":"1s","payload": {"n":  1} }`)
	}
	a := c.say("POST", "/v1/queues/mail:claim", `{"max":4,"wait":"10s"}`)
	got := read[wire.ClaimResponse](a).Tasks
	for len(got) < 4 { // the shards deliver one after the other
		a = c.do("POST", "/v1/queues/mail:claim", `{"max":4,"wait":"10s"}`)
		got = append(got, read[wire.ClaimResponse](a).Tasks...)
	}
	c.text.Reset() // which tasks came first is up to the shards
	for _, verb := range []struct{ name, rest string }{
		{"renew", `,"lease":"5m"`},
		{"complete", ``},
		{"fail", `,"error":"no <answer>","retry_after":"10m"`},
		{"fail", `,"error":"gone","dead":true`},
		{"snooze", `,"delay":"1h"`},
	} {
		c.say("POST", "/v1/leases:"+verb.name, `{"leases":[{"lease_token":"`+got[0].LeaseToken+`"`+verb.rest+`},{"lease_token":"x"`+verb.rest+`}]}`)
		if verb.name != "renew" {
			got = got[1:]
		}
	}
	for _, lease := range got {
		c.t.Errorf("lease of %s is left", lease.Key)
	}
	c.say("POST", "/v1/queues/mail:claim", ``)
	c.say("PUT", "/v1/queues/mail/tasks/last", `{"delay":"0s","payload": {"n":  1} ,"metadata":{"k":"v"}}`)
	last := c.say("POST", "/v1/queues/mail:claim", `{"wait":"1s","lease":"10s"}`)
	time.Sleep(11 * time.Second) // in the bubble
	c.say("POST", "/v1/leases:complete", `{"leases":[{"lease_token":"`+read[wire.ClaimResponse](last).Tasks[0].LeaseToken+`"}]}`)
}

func talkAboutQueues(c *transcript) {
	c.say("GET", "/v1/queues", "")
	c.say("GET", "/v1/queues/mail", "")
	c.say("PATCH", "/v1/queues/mail", `{"concurrency":3,"defaults":{"webhook":{"url":"https://example.com/in"},"retry":{"max_attempts":2},"timeout":"1m","retention":"0s"},
  "signing_secrets":["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"]}`)
	c.say("GET", "/v1/queues/mail", "")
	c.say("PATCH", "/v1/queues/mail", `{"paused":true}`, `If-Match: "9"`)
	c.say("POST", "/v1/queues/mail:pause", "")
	c.say("POST", "/v1/queues/mail:resume", "")
	c.say("PUT", "/v1/queues/mail/tasks/1", `{"delay":"1h"}`)
	c.say("GET", "/v1/queues", "")
	c.say("POST", "/v1/queues/mail:purge", `{"state":"scheduled"}`)
	c.say("POST", "/v1/queues/mail:purge", `{"state":"leased"}`)
	c.say("POST", "/v1/queues/maill:pause", "")
	c.say("POST", "/v1/queues/maill:resume", "")
	c.say("POST", "/v1/queues/maill:pause", "")
}

func talkAboutSchedules(c *transcript) {
	const path = "/v1/queues/reports/schedules/nightly"
	const whole = `{"cron":["30 2 * * mon-fri","0 12 1 * *"],"time_zone":"Europe/Berlin","day_rule":"and","dst":{"gap":"skip","overlap":"second"},
  "exclude":["12-24..01-01"],"start":"2000-01-02T00:00:00+01:00","end":"2001-01-01T00:00:00Z","times":100,"jitter":"5m",
  "misfire":{"policy":"all","limit":5,"window":"48h","grace":"10s"},"overlap":"queue","queue_limit":2,
  "task":{"payload":{"report": "a<b & c"},"webhook":{"url":"http://127.0.0.1:9000/?a=1&b=2"},"retry":{"max_attempts":3},"timeout":"90s","retention":"0s","metadata":{"a":"1"}}}`
	c.say("PUT", path, whole)
	c.say("GET", path, "")
	c.say("PUT", path+"?if_absent=true", `{"every":"1h"}`)
	c.say("PUT", path, `{"every":"90m","anchor":"2000-01-01T00:10:00Z","paused":true,"task":{"payload_base64":"","content_type":"text/plain"}}`, `If-Match: "1"`)
	c.say("GET", path, "")
	c.say("POST", path+":resume", "")
	c.say("POST", path+":trigger", "{}")
	c.say("GET", path+"/occurrences?n=2", "")
	c.say("POST", path+":pause", "")
	c.say("PUT", "/v1/queues/reports/schedules/once", `{"at":["2030-01-01T00:00:00+01:00"],"overlap":"skip"}`)
	c.say("POST", "/v1/queues/reports/schedules/once:trigger", "")
	c.say("POST", "/v1/queues/reports/schedules/once:trigger", "")
	c.say("GET", "/v1/queues/reports/schedules?page_size=1", "")
	c.say("GET", "/v1/queues", "")
	c.say("DELETE", path, "")
	c.say("DELETE", path, "")
	c.say("PUT", path, `{"cron":"0 0 31 2 *","time_zone":"Europe/Berln","misfire":{"policy":"never"},"task":{"webhook":{"url":"ftp://x"}}}`)
	c.say("POST", "/v1/schedules:batch", `
{"queue":"reports","key":"a","every":"1h"}
{"queue":"reports","key":"once","every":"2h"}
{"queue":"reports","key":"a","every":"2h","if_absent":true}
{"queue":"reports","key":"a@2026-01-01T00:00:00Z","every":"2h"}
{"queue":"reports","every":"2h"}`, "Content-Type: application/x-ndjson")
}

func talkAboutBatches(c *transcript) {
	const ndjson = "Content-Type: application/x-ndjson"
	c.say("POST", "/v1/tasks:batch", `
{"queue":"orders","key":"1","delay":"1h","payload":{"n":1}}
{"queue":"orders","key":"1","delay":"2h"}
{"queue":"orders","key":"1","delay":"2h","if_absent":true}
{"queue":"orders","key":"2"}
{"queue":"orders","key":"3","delay":"1h"
{"queue":"orders","delay":"1h"}`, ndjson)
	c.say("POST", "/v1/tasks:batch?queue=orders", `{"tasks":[{"key":"4","delay":"1h"},{"key":"","delay":"1h"},7]}`)
	c.say("POST", "/v1/tasks:batch", `{"queue":"orders","key":"5","delay":"1h"}`)
}
