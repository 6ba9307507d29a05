package webhook_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

// date is what the receivers' clocks show: not what ours does.
var date = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   task.Outcome
	}{
		{"200", 200, nil, "thanks", task.Outcome{Verdict: task.Succeeded}},
		{"201", 201, nil, "", task.Outcome{Verdict: task.Succeeded}},
		{"204", 204, nil, "", task.Outcome{Verdict: task.Succeeded}},
		{"299, which nobody ever defined", 299, nil, "", task.Outcome{Verdict: task.Succeeded}},
		{
			"300", 300, nil, "",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 300 Multiple Choices; redirects are not followed: give the final URL"},
		},
		{
			"302", 302,
			map[string]string{"Location": "/elsewhere"},
			"moved",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 302 Found; redirects are not followed: give the final URL: /elsewhere"},
		},
		{
			"308", 308,
			map[string]string{"Location": "http://127.0.0.1:1/"},
			"",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 308 Permanent Redirect; redirects are not followed: give the final URL: http://127.0.0.1:1/"},
		},
		{
			"400", 400, nil, "no such order",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 400 Bad Request: no such order"},
		},
		{
			"404", 404,
			map[string]string{"Retry-After": "9"},
			"",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 404 Not Found"},
		},
		{
			"410", 410, nil, "gone for good",
			task.Outcome{Verdict: task.Refused, Error: "the receiver answered 410 Gone: gone for good"},
		},
		{
			"429", 429, nil, "",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 429 Too Many Requests"},
		},
		{
			"429 with seconds", 429,
			map[string]string{"Retry-After": "120"},
			"slow down",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 429 Too Many Requests: slow down", After: 2 * time.Minute},
		},
		{
			"503 with a date", 503,
			map[string]string{"Retry-After": date.Add(90 * time.Second).Format(http.TimeFormat)},
			"",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 503 Service Unavailable", After: 90 * time.Second},
		},
		{
			"500", 500, nil, "line one\nline two\x1b[31m red",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 500 Internal Server Error: line one line two [31m red"},
		},
		{
			"799, which nobody ever defined", 799, nil, "",
			task.Outcome{Verdict: task.Failed, Error: "the receiver answered 799"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			receiver := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", date.Format(http.TimeFormat))
				for k, v := range tc.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tc.status)
				write(t, w, tc.body)
			})
			got := newDeliverer(t, webhook.Options{}).Push(t.Context(), leaseFor(receiver.URL), nil)
			if got != tc.want {
				t.Errorf("outcome %+v, want %+v", got, tc.want)
			}
		})
	}
}

func write(t *testing.T, w io.Writer, s string) {
	t.Helper()
	if s == "" {
		return
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Error(err)
	}
}

// TestRedirectsAreNotFollowed looks at the place that a redirect leads to.
func TestRedirectsAreNotFollowed(t *testing.T) {
	visited := false
	elsewhere := answering(t, func(http.ResponseWriter, *http.Request) { visited = true })
	receiver := answering(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	o := newDeliverer(t, webhook.Options{}).Push(t.Context(), leaseFor(receiver.URL), nil)
	if o.Verdict != task.Failed || !strings.Contains(o.Error, elsewhere.URL) || visited {
		t.Errorf("outcome %+v, visited %v, want a failure that names %s, and no visit", o, visited, elsewhere.URL)
	}
}

// TestHostileAnswerStaysSmall: all that a receiver says is as long as it can be
// and full of what must not reach a log.
func TestHostileAnswerStaysSmall(t *testing.T) {
	hostile := strings.Repeat("é\x00\u202e\xff\x1b]", 100_000)
	for _, status := range []int{302, 410, 429, 500} {
		receiver := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/"+strings.Repeat("é", 8000))
			w.WriteHeader(status)
			_, _ = io.WriteString(w, hostile) // ends early: the sender hangs up
		})
		o := newDeliverer(t, webhook.Options{}).Push(t.Context(), leaseFor(receiver.URL), nil)
		if len(o.Error) > 400 || len(o.Error) > task.MaxErrorLen {
			t.Errorf("%d: an error of %d bytes", status, len(o.Error))
		}
		if !utf8.ValidString(o.Error) || strings.ContainsFunc(o.Error, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%d: not printable: %q", status, o.Error)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tc := range []struct {
		name, value, date string
		want              time.Duration
	}{
		{"none", "", "", 0},
		{"0", "0", "", 0},
		{"1", "1", "", time.Second},
		{"with spaces", " 7 ", "", 7 * time.Second},
		{"a day", "86400", "", 24 * time.Hour},
		{"over a day", "86401", "", 24 * time.Hour},
		{"over all integers", "99999999999999999999", "", 24 * time.Hour},
		{"negative", "-1", "", 0},
		{"a fraction", "1.5", "", 0},
		{"words", "soon", "", 0},
		{"date, from the answer's own", "Sat, 03 Feb 2001 04:06:06 GMT", "Sat, 03 Feb 2001 04:05:06 GMT", time.Minute},
		{"date, from the attempt's start", "Fri, 01 May 2026 12:00:10 GMT", "", 9750 * time.Millisecond},
		{"date, from the attempt's start for want of a good one", "Fri, 01 May 2026 12:00:10 GMT", "today", 9750 * time.Millisecond},
		{"date in the old form", "Friday, 01-May-26 12:00:10 GMT", "", 9750 * time.Millisecond},
		{"past date", "Thu, 01 Jan 1970 00:00:00 GMT", "", 0},
		{"date in a thousand years", "Fri, 01 May 3026 12:00:10 GMT", "", 24 * time.Hour},
	} {
		h := http.Header{"Retry-After": {tc.value}, "Date": {tc.date}}
		if got := webhook.RetryAfter(h, fired); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func FuzzRetryAfterIsWithinBounds(f *testing.F) {
	f.Add("120", "")
	f.Add("Sat, 03 Feb 2001 04:06:06 GMT", "Sat, 03 Feb 2001 04:05:06 GMT")
	f.Fuzz(func(t *testing.T, value, date string) {
		got := webhook.RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, fired)
		if got < 0 || got > webhook.MaxRetryAfter {
			t.Errorf("%s", got)
		}
	})
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"plain":               "plain",
		"  a \t\r\n b  ":      "a b",
		"\x1b[2Jclear":        "[2Jclear",
		"bad \xff\xfe utf-8":  "bad utf-8",
		"\u202eright to left": "right to left",
		"a\u200bb":            "a b",
		"größe 注文":            "größe 注文",
		"0123456789abcdefg":   "0123456789abcdef",
		"0123456789abcdé":     "0123456789abcdé",
		"0123456789abcdeé":    "0123456789abcde",
		"0123456789abcde f":   "0123456789abcde",
	} {
		if got := webhook.Printable(in, 16); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x00b", 5)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = max(0, most%2000)
		got := webhook.Printable(s, most)
		if len(got) > most || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q, with at most %d bytes: %q", s, most, got)
		}
		if again := webhook.Printable(got, most); again != got {
			t.Errorf("%q changes to %q when done again", got, again)
		}
	})
}
