package webhook_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

func TestRequest(t *testing.T) {
	receiver, got := recording(t)
	lease := leaseFor(receiver.URL + "/close?shop=1")
	lease.Task.Body.ContentType = "application/json"
	lease.Task.Body.Traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	lease.Task.Body.Webhook.Headers = map[string]string{"authorization": "Bearer x", "X-Shop": "1"}
	o := newDeliverer(t, webhook.Options{UserAgent: "shop/1"}).Push(t.Context(), lease, []string{vectorSecret})
	if o != (task.Outcome{Verdict: task.Succeeded}) {
		t.Fatalf("outcome %+v, want success", o)
	}
	r := <-got
	if r.method != "POST" || r.uri != "/close?shop=1" || r.body != `{"order":42}` {
		t.Errorf("got %s %s with %q", r.method, r.uri, r.body)
	}
	want := http.Header{
		"Authorization":     {"Bearer x"},
		"Content-Length":    {"12"},
		"Content-Type":      {"application/json"},
		"Timewheel-Attempt": {"3"},
		"Timewheel-Due":     {"2026-05-01T11:59:59.999999Z"},
		"Timewheel-Epoch":   {"7"},
		"Timewheel-Key":     {"42"},
		"Timewheel-Queue":   {"orders"},
		"Traceparent":       {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
		"User-Agent":        {"shop/1"},
		"Webhook-Id":        {"01904b3c-5d6e-7f80-8192-a3b4c5d6e7f8"},
		"Webhook-Signature": r.header["Webhook-Signature"], // see TestSignatureIsThatOfTheSpecification
		"Webhook-Timestamp": {"1777636800"},
		"X-Shop":            {"1"},
	}
	if !maps.EqualFunc(r.header, want, slices.Equal) {
		t.Errorf("headers\n%v\nwant\n%v", r.header, want)
	}
	if len(want["Webhook-Signature"]) != 1 {
		t.Errorf("signature %q, want one", want["Webhook-Signature"])
	}
}

func TestRequestOfAnOccurrence(t *testing.T) {
	receiver, got := recording(t)
	at := time.Date(2026, 5, 1, 9, 0, 0, 5e8, time.UTC)
	for missed, want := range map[uint32]string{0: "", 3: "3"} {
		lease := leaseFor(receiver.URL)
		lease.Task.Occurrence, lease.Task.Missed = task.CeilInstant(at), missed
		lease.Task.Key = task.OccurrenceKey("größe@home", lease.Task.Occurrence)
		newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, nil)
		r := <-got
		for name, want := range map[string]string{
			"Timewheel-Key":        "gr%C3%B6%C3%9Fe@home@2026-05-01T09:00:00.5Z",
			"Timewheel-Schedule":   "gr%C3%B6%C3%9Fe@home",
			"Timewheel-Occurrence": "2026-05-01T09:00:00.5Z",
			"Timewheel-Missed":     want,
		} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

func TestRequestOfATaskThatLeavesAllOpen(t *testing.T) {
	receiver, got := recording(t)
	lease := leaseFor(receiver.URL)
	lease.Task.Body.Payload = nil
	newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, nil)
	r := <-got
	for name, want := range map[string]string{
		"Content-Type":      "application/octet-stream",
		"Content-Length":    "0",
		"User-Agent":        "timewheel",
		"Webhook-Signature": "",
		"Traceparent":       "",
		"Accept-Encoding":   "", // answers are not asked for compressed
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestOwnHeadersWin: such headers are refused when a task is scheduled. Should
// one be on record all the same, it must not pass for ours.
func TestOwnHeadersWin(t *testing.T) {
	receiver, got := recording(t)
	lease := leaseFor(receiver.URL)
	lease.Task.Body.Webhook.Headers = map[string]string{
		"timewheel-attempt": "1", "WEBHOOK-ID": "forged", "content-type": "forged", "user-agent": "forged",
	}
	newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, nil)
	r := <-got
	for name, want := range map[string]string{
		"Timewheel-Attempt": "3",
		"Webhook-Id":        lease.Task.ID.String(),
		"Content-Type":      "application/octet-stream",
		"User-Agent":        "timewheel",
	} {
		if got := r.header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q alone", name, got, want)
		}
	}
}

func TestTaskWithoutWebhookFails(t *testing.T) {
	lease := leaseFor("")
	lease.Task.Body.Webhook = nil
	o := newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, nil)
	if o.Verdict != task.Failed || !strings.Contains(o.Error, "no webhook") {
		t.Errorf("outcome %+v, want a failure that says why", o)
	}
}

// TestBrokenRequestFails: what package http refuses to send is a failed attempt
// with its reason, whatever got past the validation.
func TestBrokenRequestFails(t *testing.T) {
	receiver := answering(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	for name, spoil := range map[string]func(*task.Body){
		"URL":          func(b *task.Body) { b.Webhook.URL = "http://[" },
		"scheme":       func(b *task.Body) { b.Webhook.URL = "gopher://127.0.0.1/" },
		"host":         func(b *task.Body) { b.Webhook.URL = "http:///" },
		"header name":  func(b *task.Body) { b.Webhook.Headers = map[string]string{"a b": ""} },
		"header value": func(b *task.Body) { b.Webhook.Headers = map[string]string{"A": "1\r\nB: 2"} },
		"content type": func(b *task.Body) { b.ContentType = "text/plain\n" },
		"traceparent":  func(b *task.Body) { b.Traceparent = "00\r\nHost: x" },
	} {
		t.Run(name, func(t *testing.T) {
			lease := leaseFor(receiver.URL)
			spoil(lease.Task.Body)
			o := newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, nil)
			if o.Verdict != task.Failed || o.Error == "" {
				t.Errorf("outcome %+v, want a failure that says why", o)
			}
		})
	}
}

func TestKeyTravelsThroughAHeader(t *testing.T) {
	for key, want := range map[string]string{
		"42":        "42",
		"a/b?c=d&e": "a/b?c=d&e",
		"100%":      "100%25",
		"two words": "two%20words",
		" edges ":   "%20edges%20",
		"größe":     "gr%C3%B6%C3%9Fe",
		"a+b":       "a+b",
		"\u202emoc": "%E2%80%AEmoc",
		"注文:42":     "%E6%B3%A8%E6%96%87:42",
	} {
		receiver, got := recording(t)
		lease := leaseFor(receiver.URL)
		lease.Task.Key = key
		newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, nil)
		if value := (<-got).header.Get("Timewheel-Key"); value != want {
			t.Errorf("key %q: header %q, want %q", key, value, want)
		}
	}
}

func TestEscapeIsUndoneByPercentDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "key"))
		e := webhook.Escape(s)
		if strings.ContainsFunc(e, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Fatalf("%q escapes to %q, which is not visible ASCII", s, e)
		}
		if back, err := url.PathUnescape(e); err != nil || back != s {
			t.Fatalf("%q escapes to %q, which decodes to %q, %v", s, e, back, err)
		}
	})
}
