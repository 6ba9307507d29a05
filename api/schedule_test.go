package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
)

// drawSchedule makes any schedule that the door takes.
func drawSchedule(t *rapid.T) wire.NewSchedule {
	some := func(label string) bool { return rapid.Bool().Draw(t, label) }
	duration := func(label string, low, high time.Duration) wire.Duration {
		if !some(label + " given") {
			return 0
		}
		return wire.Duration(rapid.Int64Range(int64(low), int64(high)).Draw(t, label))
	}
	var s wire.NewSchedule
	switch rapid.SampledFrom([]string{"cron", "every", "at"}).Draw(t, "kind") {
	case "cron":
		s.Cron = rapid.SampledFrom([]wire.Cron{{"0 9 * * mon-fri"}, {"@daily"}, {"H 3 * * *"}, {"*/5 * 1 * 1", "0 0 12 L * ?"}}).Draw(t, "cron")
		s.TimeZone = rapid.SampledFrom([]string{"", "Europe/Berlin", "Asia/Shanghai"}).Draw(t, "zone")
		s.DST.Gap = rapid.SampledFrom([]string{"", "after", "skip"}).Draw(t, "gap")
		s.DST.Overlap = rapid.SampledFrom([]string{"", "first", "second", "both"}).Draw(t, "fold")
	case "every":
		s.Every = wire.Duration(rapid.Int64Range(1000, 1e9).Draw(t, "ms")) * wire.Duration(time.Millisecond)
		if s.Spread = some("spread"); !s.Spread && some("anchor") {
			s.Anchor = drawInstant(t, "anchor at")
		}
	case "at":
		s.At = []time.Time{drawInstant(t, "first"), drawInstant(t, "second")}
	}
	if s.At == nil && some("exclude") {
		s.Exclude = []string{"12-24..12-26", "sun"}
	}
	s.Times = rapid.Uint64Range(0, 5).Draw(t, "times")
	s.Jitter = duration("jitter", 0, 24*time.Hour)
	s.Misfire = wire.Misfire{
		Policy: rapid.SampledFrom([]wire.MisfirePolicy{"", "once", "all", "last", "skip"}).Draw(t, "policy"),
		Window: duration("window", 1, time.Hour), Grace: duration("grace", 1, time.Hour),
	}
	s.Overlap = rapid.SampledFrom([]wire.Overlap{"", "allow", "skip", "queue", "replace"}).Draw(t, "overlap")
	if s.Misfire.Policy == "all" {
		s.Misfire.Limit = rapid.Uint32Range(0, 10_000).Draw(t, "limit")
	}
	if s.Overlap == "queue" {
		s.QueueLimit = rapid.Uint32Range(0, 1000).Draw(t, "queue limit")
	}
	if some("paused") {
		s.Paused = new(some("is paused"))
	}
	drawScheduleTask(t, &s.Task)
	return s
}

func drawInstant(t *rapid.T, label string) time.Time {
	return time.UnixMicro(rapid.Int64Range(1e15, 4e15).Draw(t, label)).UTC()
}

func drawScheduleTask(t *rapid.T, s *wire.ScheduleTask) {
	switch rapid.SampledFrom([]string{"none", "JSON", "bytes", "no bytes"}).Draw(t, "payload") {
	case "JSON":
		s.Payload = rapid.SampledFrom([]json.RawMessage{[]byte(`{"a": "<&>"}`), []byte("null"), []byte("[1,\n2]")}).Draw(t, "JSON")
	case "bytes":
		s.PayloadBase64, s.ContentType = []byte{0, 1, 0xff}, "application/octet-stream"
	case "no bytes":
		s.PayloadBase64, s.ContentType = []byte{}, "text/plain"
	}
	if rapid.Bool().Draw(t, "webhook") {
		s.Webhook = &wire.Webhook{URL: "http://127.0.0.1:9000/", Headers: map[string]string{"X-A": "b"}}
	}
	s.Retry = wire.Retry{MaxAttempts: rapid.Uint32Range(0, 9).Draw(t, "attempts"), MinBackoff: wire.Duration(rapid.IntRange(0, 1).Draw(t, "backoff")) * wire.Duration(time.Second)}
	if rapid.Bool().Draw(t, "retention") {
		s.Retention = new(wire.Duration(rapid.IntRange(0, 2).Draw(t, "kept")) * wire.Duration(time.Hour))
	}
	if rapid.Bool().Draw(t, "metadata") {
		s.Metadata = map[string]string{"k": "v"}
	}
}

// onlyInAnswers are the fields of a Schedule that a PUT does not take.
func onlyInAnswers() map[string]bool {
	fields := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[wire.Schedule]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !inRequests(name) {
			fields[name] = true
		}
	}
	return fields
}

func inRequests(name string) bool {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[wire.NewSchedule]()) {
		if n, _, _ := strings.Cut(f.Tag.Get("json"), ","); n == name {
			return true
		}
	}
	return false
}

// What is read can be put again, under another key too, and reads the same then.
func TestWhatIsReadCanBePutAgain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var body bytes.Buffer
		if err := wire.Encode(&body, new(drawSchedule(rt))); err != nil {
			rt.Fatal(err)
		}
		var fault string
		bubble(t, api.Options{}, func(_ *testing.T, d *door) { fault = putAgain(d, body.String()) })
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// putAgain puts a schedule, reads it, and puts what it read. It returns what
// differs.
func putAgain(d *door, body string) (fault string) {
	first := d.do("PUT", aSchedule, body)
	if first.Code != 201 {
		return fmt.Sprintf("%s: %d %s", body, first.Code, first.Body)
	}
	before := read[wire.Schedule](first)
	asked := whatWasAsked(d, aSchedule)
	for target, status := range map[string]int{aSchedule: 200, freeSchedule: 201} {
		a := d.do("PUT", target, asked)
		if a.Code != status {
			return fmt.Sprintf("%s: %d %s", asked, a.Code, a.Body)
		}
		if got := whatWasAsked(d, target); got != asked {
			return fmt.Sprintf("put %s\nread %s", asked, got)
		}
		if after := read[wire.Schedule](a); target == aSchedule && !after.Next.Equal(before.Next) {
			return fmt.Sprintf("%s: next was %s, and is %s after the same was put", body, before.Next, after.Next)
		}
	}
	return ""
}

// whatWasAsked reads a schedule without the fields that only answers have.
func whatWasAsked(d *door, target string) string {
	doc := read[map[string]json.RawMessage](d.do("GET", target, "").must(200))
	for name := range onlyInAnswers() {
		delete(doc, name)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// An occurrence tells its schedule, its instant and what it stands for, and
// keeps the end of what its attempt wrote.
func TestOccurrencesAndOutput(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		d.do("PUT", aSchedule, `{"every":"1m","overlap":"skip","task":{"payload":{"n":  1}}}`).must(201)
		time.Sleep(61 * time.Second) // in the bubble
		claimed := read[wire.ClaimResponse](d.do("POST", "/v1/queues/orders:claim", `{}`).must(200)).Tasks
		at := time.Date(2000, 1, 1, 0, 1, 0, 0, time.UTC)
		if len(claimed) != 1 || claimed[0].Schedule != "nightly" || !claimed[0].Occurrence.Equal(at) || string(claimed[0].Payload) != `{"n":  1}` {
			t.Fatalf("claimed %+v", claimed)
		}
		long := strings.Repeat("é", 4<<10) + "the end"
		d.do("POST", "/v1/leases:fail", fmt.Sprintf(`{"leases":[{"lease_token":%q,"error":"exit status 3","retry_after":"0s","output":"first"}]}`, claimed[0].LeaseToken)).must(200)
		path := "/v1/queues/orders/tasks/" + wire.PathSegment(claimed[0].Key)
		if got := read[wire.Task](d.do("GET", path, "").must(200)); got.Output != "first" || got.LastError != "exit status 3" {
			t.Errorf("after the failure: output %q, error %q", got.Output, got.LastError)
		}
		d.do("POST", path+":run", "").must(200)
		synctest.Wait()
		claimed = read[wire.ClaimResponse](d.do("POST", "/v1/queues/orders:claim", `{"wait":"1s"}`).must(200)).Tasks
		if len(claimed) != 1 {
			t.Fatalf("claimed %+v", claimed)
		}
		d.do("POST", "/v1/leases:complete", fmt.Sprintf(`{"leases":[{"lease_token":%q,"output":%q}]}`, claimed[0].LeaseToken, long)).must(200)
		past := read[wire.Occurrences](d.do("GET", aSchedule+"/occurrences?n=3", "").must(200))
		if len(past.Coming) != 3 || len(past.Past) != 1 || past.Past[0].State != "completed" {
			t.Fatalf("occurrences %+v", past)
		}
		if out := past.Past[0].Output; !strings.HasSuffix(out, "é"+"the end") || len(out) > 4<<10 || len(out) < 4000 {
			t.Errorf("%d bytes of output were kept", len(out))
		}
		before := read[wire.Occurrences](d.do("GET", aSchedule+"/occurrences?before="+at.Format(time.RFC3339), "").must(200))
		if len(before.Past) != 0 || len(before.Coming) != 10 {
			t.Errorf("%d past ones before the first, %d coming", len(before.Past), len(before.Coming))
		}
	})
}

// What a schedule passes over while it is paused is not missed.
func TestPause(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		d.do("PUT", aSchedule, `{"at":["2000-01-01T00:10:00Z","2000-01-01T00:20:00Z","2000-01-01T00:20:00.5Z"]}`).must(201)
		d.do("POST", aSchedule+":pause", "").must(200)
		if s := read[wire.Schedule](d.do("GET", aSchedule, "").must(200)); s.State != wire.ScheduleStatePaused || !s.Next.IsZero() {
			t.Errorf("paused: state %s, next %s", s.State, s.Next)
		}
		time.Sleep(15 * time.Minute) // in the bubble
		d.do("POST", aSchedule+":resume", "").must(200)
		time.Sleep(15 * time.Minute)
		s := read[wire.Schedule](d.do("GET", aSchedule, "").must(200))
		if s.State != wire.ScheduleStateFinished || s.Fired != 2 || s.Missed != 0 || !s.Last.Equal(time.Date(2000, 1, 1, 0, 20, 0, 5e8, time.UTC)) {
			t.Errorf("in the end %+v", s)
		}
	})
}

// A listing has all schedules once, in their order, whatever the page size.
func TestScheduleListing(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		var lines strings.Builder
		for i := range 25 {
			fmt.Fprintf(&lines, `{"key":"k%02d","every":"1h","task":{"payload":%d}}`+"\n", i, i)
		}
		r := read[wire.ScheduleBatchResponse](d.do("POST", "/v1/schedules:batch?queue=q", lines.String(), ndjson).must(200))
		if r.Created != 25 || r.Failed != 0 || r.Results[7].Key != "k07" || r.Results[7].Queue != "q" || r.Results[7].Next.IsZero() {
			t.Fatalf("%+v", r)
		}
		for _, size := range []int{1, 7, 25, 1000} {
			var keys []string
			token := ""
			for more := true; more; more = token != "" {
				page := read[wire.ScheduleList](d.do("GET", fmt.Sprintf("/v1/queues/q/schedules?page_size=%d&page_token=%s", size, token), "").must(200))
				for _, s := range page.Schedules {
					if s.Task.Payload != nil || s.Description == "" {
						t.Errorf("listed with payload %s, description %q", s.Task.Payload, s.Description)
					}
					keys = append(keys, s.Key)
				}
				token = page.NextPageToken
			}
			if len(keys) != 25 || keys[0] != "k00" || keys[24] != "k24" {
				t.Errorf("pages of %d: %q", size, keys)
			}
		}
		again := read[wire.ScheduleBatchResponse](d.do("POST", "/v1/schedules:batch?queue=q", lines.String(), ndjson).must(200))
		if again.Replaced != 25 || again.Created != 0 {
			t.Errorf("put again: %d replaced, %d created", again.Replaced, again.Created)
		}
	})
}

// A schedule of a batch that is wrong fails alone, and changes nothing.
func TestBadSchedulesFailAlone(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		good := `{"queue":"q","key":"good","every":"1h"}`
		bad := badItems()
		for name, a := range map[string]answer{
			"lines":    d.do("POST", "/v1/schedules:batch", strings.Join(append(bad, good, "{"), "\n"), ndjson),
			"document": d.do("POST", "/v1/schedules:batch", `{"schedules":[`+strings.Join(append(bad, good, "7"), ",")+`]}`),
		} {
			r := read[wire.ScheduleBatchResponse](a.must(http.StatusOK))
			if r.Failed != len(bad)+1 || r.Created+r.Replaced != 1 || r.Results[len(bad)].Problem != nil {
				t.Errorf("%s: %d failed, want %d: %s", name, r.Failed, len(bad)+1, a.Body)
			}
			for i := range bad {
				if p := r.Results[i].Problem; p == nil || p.Code != invalid || len(p.Errors) != 1 {
					t.Errorf("%s: %.80s has problem %+v", name, bad[i], p)
				}
			}
		}
		if list := read[wire.ScheduleList](d.do("GET", "/v1/queues/q/schedules", "")); len(list.Schedules) != 1 {
			t.Errorf("%d schedules are there, want the good one", len(list.Schedules))
		}
	})
}
