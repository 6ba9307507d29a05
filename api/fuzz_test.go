package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// recorder is a Scheduler that keeps what it is asked for.
type recorder struct {
	api.Scheduler
	asked       []scheduler.ScheduleRequest
	settlements []scheduler.Settlement
	put         []scheduler.PutScheduleRequest
}

func (r *recorder) PutSchedule(_ context.Context, q scheduler.PutScheduleRequest) scheduler.PutScheduleResult {
	r.put = append(r.put, q)
	return scheduler.PutScheduleResult{Err: scheduler.ErrScheduleExists}
}

func (r *recorder) Schedule(ctx context.Context, q scheduler.ScheduleRequest) scheduler.ScheduleResult {
	results, _ := r.ScheduleBatch(ctx, []scheduler.ScheduleRequest{q}) // it has no errors
	return results[0]
}

func (r *recorder) ScheduleBatch(_ context.Context, qs []scheduler.ScheduleRequest) ([]scheduler.ScheduleResult, error) {
	r.asked = append(r.asked, qs...)
	results := make([]scheduler.ScheduleResult, len(qs))
	for i, q := range qs {
		results[i].Err = q.Validate(task.DefaultMaxPayload)
		results[i].Task = &task.Task{Queue: q.Queue, Key: q.Key}
	}
	return results, nil
}

func (r *recorder) Settle(_ context.Context, ss []scheduler.Settlement) ([]scheduler.SettleResult, error) {
	r.settlements = append(r.settlements, ss...)
	results := make([]scheduler.SettleResult, len(ss))
	for i := range results {
		results[i].Err = scheduler.ErrStaleLease
	}
	return results, nil
}

var taskDocs = []string{
	`{"delay":"30m","payload":{"order":42},"webhook":{"url":"http://127.0.0.1:9000/close"}}`,
	`{"due":"2030-01-02T03:04:05.123456789+01:00","payload_base64":"AAEC","content_type":"text/plain","metadata":{"a":"\u00e9"}}`,
	`{"delay":"0s","retry":{"max_attempts":3,"min_backoff":"1s","max_backoff":"1m"},"timeout":"5s","retention":"0s","payload":null}`,
	`{"delay":"1s","payload":" \ud83d\ude00 \\ \" "}`,
	`{"due":1,"delay":null,"x":[{}]}`, `{"delay":"1s"`, ``, `[]`,
}

// FuzzTask holds the decoder against encoding/json: what the door takes, the
// generated type reads the same, and the payload is passed on byte for byte.
func FuzzTask(f *testing.F) {
	for _, doc := range taskDocs {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		r := &recorder{}
		a := answer{serve(api.New(r, api.Options{Log: quiet()}), "PUT", aTask, doc), t}
		if a.Code != 201 {
			if p := read[wire.Problem](a); a.Code != 400 && a.Code != 413 || len(r.asked) > 0 && p.Code != invalid {
				t.Fatalf("%q: %d %s", doc, a.Code, a.Body)
			}
			return
		}
		var want wire.NewTask
		strict := json.NewDecoder(strings.NewReader(doc))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&want); err != nil {
			t.Fatalf("%q was taken, but encoding/json says %v", doc, err)
		}
		agree(t, doc, r.asked[0], want)
	})
}

func agree(t *testing.T, doc string, got scheduler.ScheduleRequest, want wire.NewTask) {
	t.Helper()
	payload := []byte(want.Payload)
	if got.ContentType != "application/json" {
		payload = want.PayloadBase64
	}
	var delay wire.Duration
	if want.Delay != nil {
		delay = *want.Delay
	}
	switch {
	case !bytes.Equal(got.Payload, payload),
		wire.Duration(got.Delay) != delay,
		got.Due.Before(want.Due) || got.Due.Sub(want.Due) > 1,
		wire.Duration(got.Timeout) != want.Timeout,
		wire.Duration(got.Retry.MinBackoff) != want.Retry.MinBackoff || got.Retry.MaxAttempts != want.Retry.MaxAttempts,
		len(got.Metadata) != len(want.Metadata) || len(want.Metadata) > 0 && !reflect.DeepEqual(got.Metadata, want.Metadata),
		(got.Webhook == nil) != (want.Webhook == nil) || got.Webhook != nil && got.Webhook.URL != want.Webhook.URL:
		t.Fatalf("%q: the door read\n%+v\nencoding/json\n%+v", doc, got.Spec, want)
	}
}

// FuzzBatch looks for bodies that the door answers with anything but results
// for each line or a refusal of the whole.
func FuzzBatch(f *testing.F) {
	for _, doc := range taskDocs {
		f.Add(doc+"\n"+doc, true)
		f.Add(fmt.Sprintf(`{"tasks":[%s,{"queue":"q","delay":"1s"}]}`, doc), false)
	}
	f.Fuzz(func(t *testing.T, body string, lines bool) {
		contentType := map[bool]string{true: ndjson, false: "Content-Type: application/json"}[lines]
		r := &recorder{}
		a := answer{serve(api.New(r, api.Options{Log: quiet()}), "POST", "/v1/tasks:batch?queue=q", body, contentType), t}
		if a.Code != 200 {
			if read[wire.Problem](a); a.Code != 400 && a.Code != 413 || len(r.asked) > 0 {
				t.Fatalf("%q: %d %s, asked for %d", body, a.Code, a.Body, len(r.asked))
			}
			return
		}
		got := read[wire.BatchResponse](a)
		if len(got.Results) != got.Created+got.Replaced+got.Failed || len(r.asked) < got.Created {
			t.Fatalf("%q: %s", body, a.Body)
		}
		if lines && len(got.Results) > strings.Count(body, "\n")+1 {
			t.Fatalf("%q has %d results", body, len(got.Results))
		}
	})
}

// FuzzSchedule holds the decoder against encoding/json and package recurrence:
// what the door takes, the generated type reads the same, and the rule is one.
func FuzzSchedule(f *testing.F) {
	for _, doc := range []string{
		`{"cron":"0 9 * * mon-fri","time_zone":"Europe/Berlin","dst":{"gap":"skip","overlap":"both"},"exclude":["12-24..01-01"]}`,
		`{"cron":["@daily","*/5 * * * *"],"day_rule":"and","jitter":"5m","misfire":{"policy":"all","limit":3,"window":"1h","grace":"1s"}}`,
		`{"every":"10m","anchor":"2026-01-01T00:00:00Z","times":3,"overlap":"queue","queue_limit":7,"paused":true}`,
		`{"every":"1h","spread":true,"task":{"payload":{"a": 1},"webhook":{"url":"http://a/"},"timeout":"1s","retention":"0s","metadata":{"k":"v"}}}`,
		`{"at":["2030-01-01T00:00:00+01:00"],"start":"2029-01-01T00:00:00Z","end":"2031-01-01T00:00:00Z","task":{"payload_base64":"AA=="}}`,
		`{"cron":["0 0 31 2 *",5],"every":"1ms","time_zone":"x","dst":1,"task":[],"misfire":{"limit":0}}`, `{"every":`, ``,
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		r := &recorder{}
		a := answer{serve(api.New(r, api.Options{Log: quiet()}), "PUT", aSchedule, doc), t}
		if len(r.put) == 0 {
			if read[wire.Problem](a); a.Code != 400 && a.Code != 413 {
				t.Fatalf("%q: %d %s", doc, a.Code, a.Body)
			}
			return
		}
		var want wire.NewSchedule
		strict := json.NewDecoder(strings.NewReader(doc))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&want); err != nil {
			t.Fatalf("%q was taken, but encoding/json says %v", doc, err)
		}
		agreeOnSchedule(t, doc, r.put[0], want)
	})
}

func agreeOnSchedule(t *testing.T, doc string, got scheduler.PutScheduleRequest, want wire.NewSchedule) {
	t.Helper()
	payload := []byte(want.Task.Payload)
	if got.Plan.Task.ContentType != "application/json" {
		payload = want.Task.PayloadBase64
	}
	switch r, p := got.Rule, got.Plan; {
	case !slices.Equal(r.Cron, want.Cron),
		wire.Duration(r.Every) != want.Every || r.Spread != want.Spread || r.Zone != want.TimeZone,
		len(r.At) != len(want.At) || !slices.Equal(r.Exclude, want.Exclude),
		want.DayRule != "" && r.Days.String() != want.DayRule,
		r.Gap.String() != want.DST.Gap || r.Fold.String() != want.DST.Overlap,
		p.Times != want.Times || wire.Duration(p.Jitter) != want.Jitter || p.QueueLimit != want.QueueLimit,
		want.Overlap != "" && p.Overlap.String() != string(want.Overlap),
		want.Misfire.Policy != "" && p.Misfire.Policy.String() != string(want.Misfire.Policy),
		p.Misfire.Limit != want.Misfire.Limit || wire.Duration(p.Misfire.Window) != want.Misfire.Window,
		(got.Paused == nil) != (want.Paused == nil) || got.Paused != nil && *got.Paused != *want.Paused,
		!bytes.Equal(p.Task.Payload, payload) || wire.Duration(p.Task.Timeout) != want.Task.Timeout:
		t.Fatalf("%q: the door read\n%+v\nencoding/json\n%+v", doc, got, want)
	}
}

// FuzzLeases does the same for the four outcomes.
func FuzzLeases(f *testing.F) {
	token := task.Token{Queue: "q", Key: "k", Attempt: 1, Nonce: 2}.String()
	verbs := []string{"complete", "fail", "snooze", "renew"}
	for i := range verbs {
		f.Add(i, `{"leases":[{"lease_token":"`+token+`"}]}`)
		f.Add(i, `{"leases":[{"lease_token":"`+token+`","error":"x","delay":"1s","lease":"1s","retry_after":"1s","dead":true},{},1]}`)
	}
	f.Fuzz(func(t *testing.T, verb int, body string) {
		r := &recorder{}
		a := answer{serve(api.New(r, api.Options{Log: quiet()}), "POST", "/v1/leases:"+verbs[uint(verb)%4], body), t}
		if a.Code != 200 {
			if read[wire.Problem](a); a.Code != 400 && a.Code != 413 || len(r.settlements) > 0 {
				t.Fatalf("%q: %d %s", body, a.Code, a.Body)
			}
			return
		}
		for _, s := range r.settlements {
			if s.Token == (task.Token{}) || s.Renew < 0 || s.Outcome.After < 0 {
				t.Fatalf("%q asks for %+v", body, s)
			}
		}
	})
}
