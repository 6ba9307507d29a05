package task_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// good is a spec without fault, with something in every field.
func good() task.Spec {
	return task.Spec{
		Queue: "orders", Key: "42", Delay: time.Minute,
		Payload: []byte(`{"order":42}`), ContentType: "application/json",
		Metadata:    map[string]string{"tenant": "7"},
		Webhook:     &task.Webhook{URL: "http://127.0.0.1:9000/close", Headers: map[string]string{"X-Shop": "1"}},
		Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		Timeout:     time.Second, Retention: time.Hour,
		Retry: task.Retry{MaxAttempts: 3, MinBackoff: time.Second, MaxBackoff: time.Minute},
	}
}

const maxPayload = 1000

// change is a case of a table: a good spec, changed, and what is then said of it.
type change struct {
	name   string
	change func(s *task.Spec)
	want   string // the start of the one fault, its field and reason; "" for none
}

func checkChanges(t *testing.T, changes []change) {
	t.Helper()
	for _, c := range changes {
		s := good()
		c.change(&s)
		checkFaults(t, c.name, s.Validate(maxPayload), c.want)
	}
}

// checkFaults holds err to be nil, if want is "", or one fault of which want is
// the start.
func checkFaults(t *testing.T, name string, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("%s: %v, want no fault", name, err)
		}
		return
	}
	var faults task.Invalid
	if !errors.As(err, &faults) || len(faults) != 1 || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%s: %.500s, want one fault: %s", name, fmt.Sprint(err), want)
		return
	}
	if len(err.Error()) > 400 {
		t.Errorf("%s: a fault of %d bytes", name, len(err.Error()))
	}
}

func TestQueueNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "Z": true, "9": true, "orders.eu-1_x": true, "a..": true,
		strings.Repeat("q", task.MaxQueueLen): true,

		"": false, ".": false, "..": false, "-a": false, "_a": false, "a b": false, "a/b": false, "a:b": false,
		"a\n": false, "a\x00": false, "é": false, "aé": false, "a\xff": false, "\xff": false, "ａ": false,
		strings.Repeat("q", task.MaxQueueLen+1): false,
	} {
		want := ""
		if !ok {
			want = fmt.Sprintf("queue must be 1 to 128 of the characters A–Z a–z 0–9 . _ -, the first a letter or digit, got %.10q", name)
			want = strings.TrimSuffix(want, `"`)
		}
		checkFaults(t, name, task.ValidateQueueName(name), want)
		checkFaults(t, name, task.ValidateRef(name, "key"), want)
		checkChanges(t, []change{{name, func(s *task.Spec) { s.Queue = name }, want}})
		checkFaults(t, name, (&task.Queue{Name: name}).Validate(), want)
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]string{
		"k": "", " ": "", "a/b?c#d%": "", "größe": "", "注文": "", ".": "", "\u2028": "", "\u00a0": "", "\u202e": "",
		strings.Repeat("k", task.MaxKeyLen):         "",
		strings.Repeat("é", task.MaxKeyLen/2):       "",
		strings.Repeat("k", task.MaxKeyLen+1):       "key must be 1 to 512 bytes long, got 513",
		strings.Repeat("é", task.MaxKeyLen/2) + "k": "key must be 1 to 512 bytes long, got 513",
		"a\n":     `key must not have control characters, got "a\n"`,
		"\x00":    `key must not have control characters, got "\x00"`,
		"\x7f":    `key must not have control characters, got "\x7f"`,
		"\u0085":  `key must not have control characters, got "\u0085"`,
		"a\xff":   `key must be valid UTF-8, got "a\xff"`,
		"\xc3":    `key must be valid UTF-8, got "\xc3"`,
		"\u00e9a": "",
	} {
		checkFaults(t, key, task.ValidateRef("orders", key), want)
		checkChanges(t, []change{{key, func(s *task.Spec) { s.Key = key }, want}})
	}
	checkChanges(t, []change{{"a spec without key gets one later", func(s *task.Spec) { s.Key = "" }, ""}})
	checkFaults(t, "a reference needs one", task.ValidateRef("orders", ""), "key must be 1 to 512 bytes long, got 0")
}

func TestDueAndDelay(t *testing.T) {
	end := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for _, tc := range []struct {
		name  string
		due   time.Time
		delay time.Duration
		want  string
	}{
		{"neither, which is now", time.Time{}, 0, ""},
		{"a delay", time.Time{}, 1, ""},
		{"the longest delay", time.Time{}, math.MaxInt64, ""},
		{"a negative delay", time.Time{}, -1, "delay must not be negative, got -1ns"},
		{"the most negative delay", time.Time{}, math.MinInt64, "delay must not be negative, got -2562047h47m"},
		{"a due instant", noon, 0, ""},
		{"both", noon, 1, "delay must not be set beside due: give one of them"},
		{"both, the delay negative", noon, -1, "delay must not be set beside due: give one of them"},
		{"the last instant", end, 0, ""},
		{"a nanosecond later", end.Add(1), 0, "due must be from 1970 to 9999, got 9999-12-31T23:59:59Z"},
		{"the year 10000", end.Add(time.Second), 0, "due must be from 1970 to 9999, got 10000-01-01T00:00:00Z"},
		{"the year 10000 elsewhere is 9999 here", end.In(time.FixedZone("", 3600)), 0, ""},
		{"the year 300000, whose microseconds overflow", time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC), 0, "due must be from 1970 to 9999, got 300000-"},
		{"the first second", time.Unix(1, 0), 0, ""},
		{"a nanosecond earlier", time.Unix(1, -1), 0, "due must be from 1970 to 9999, got 1970-01-01T00:00:00Z"},
		{"the epoch, which would be none", time.Unix(0, 0), 0, "due must be from 1970 to 9999, got 1970-01-01T00:00:00Z"},
		{"the year 1", time.Time{}.Add(1), 0, "due must be from 1970 to 9999, got 0001-01-01T00:00:00Z"},
	} {
		checkFaults(t, tc.name, task.ValidateDue(tc.due, tc.delay), tc.want)
		checkChanges(t, []change{{tc.name, func(s *task.Spec) { s.Due, s.Delay = tc.due, tc.delay }, tc.want}})
	}
}

func TestPayload(t *testing.T) {
	checkChanges(t, []change{
		{"none", func(s *task.Spec) { s.Payload = nil }, ""},
		{"the largest", func(s *task.Spec) { s.Payload = make([]byte, maxPayload) }, ""},
		{"too large", func(s *task.Spec) { s.Payload = make([]byte, maxPayload+1) }, "payload must not be over 1000 bytes, got 1001"},
	})
}

func TestContentTypes(t *testing.T) {
	const bad = "content_type must be a media type such as application/json, got "
	long := "a/" + strings.Repeat("b", task.MaxContentTypeLen-2)
	for contentType, want := range map[string]string{
		"":                         "",
		"application/json":         "",
		"text/plain; charset=utf8": "",
		`a/b; c="d e"`:             "",
		"application/vnd.x+json":   "",
		long:                       "",
		long + "b":                 bad + `"a/bbb`,
		"json":                     bad + `"json"`,
		"/":                        bad + `"/"`,
		"a/":                       bad + `"a/"`,
		"a/b/c":                    bad + `"a/b/c"`,
		"a b/c":                    bad + `"a b/c"`,
		"a/b;":                     "",
		"a/b; c":                   bad + `"a/b; c"`,
		"a/b;\r\n c=d":             bad + `"a/b;\r\n c=d"`,
		"a/b\n":                    bad + `"a/b\n"`,
		"a/b; c=\"\x00\"":          bad + `"a/b; c=\"\x00\""`,
		"a/b; c=\"\xff\"":          bad + `"a/b; c=\"\xff\""`,
	} {
		checkChanges(t, []change{{contentType, func(s *task.Spec) { s.ContentType = contentType }, want}})
	}
}

func TestTraceparents(t *testing.T) {
	const bad = "traceparent must be at most 128 visible ASCII characters, as W3C Trace Context has it, got "
	const usual = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	longest := strings.Repeat("0", task.MaxTraceparentLen)
	for traceparent, want := range map[string]string{
		"":                     "",
		usual:                  "",
		"cc" + usual + "-more": "",
		longest:                "",
		longest + "0":          bad + `"0000`,
		"00 01":                bad + `"00 01"`,
		"00\r\nX: 1":           bad + `"00\r\nX: 1"`,
		"é":                    bad + `"é"`,
	} {
		checkChanges(t, []change{{traceparent, func(s *task.Spec) { s.Traceparent = traceparent }, want}})
	}
}

// pairs returns n entries, of size bytes in all.
func pairs(n, size int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("k%07d", i)] = ""
	}
	m["k0000000"] = strings.Repeat("v", size-8*n)
	return m
}

func TestPairs(t *testing.T) {
	const limit = " must not be over 64 entries and 16384 bytes, got "
	const text = " must have names that are not empty, and be valid UTF-8, got "
	for field, set := range map[string]func(s *task.Spec, m map[string]string){
		"metadata":        func(s *task.Spec, m map[string]string) { s.Metadata = m },
		"webhook.headers": func(s *task.Spec, m map[string]string) { s.Webhook.Headers = m },
	} {
		for _, tc := range []struct {
			name string
			m    map[string]string
			want string
		}{
			{"none", nil, ""},
			{"the most", pairs(task.MaxPairs, task.MaxPairsLen), ""},
			{"one entry more", pairs(task.MaxPairs+1, task.MaxPairsLen), field + limit + "65 entries and 16384 bytes"},
			{"one byte more", pairs(task.MaxPairs, task.MaxPairsLen+1), field + limit + "64 entries and 16385 bytes"},
			{"a value that is not UTF-8", map[string]string{"a": "\xff"}, field + text + `"a": "\xff"`},
		} {
			checkChanges(t, []change{{field + ", " + tc.name, func(s *task.Spec) { set(s, tc.m) }, tc.want}})
		}
	}
	checkChanges(t, []change{
		{"a name that is empty", func(s *task.Spec) { s.Metadata = map[string]string{"": "v"} }, "metadata" + text + `"": "v"`},
		{"a name that is not UTF-8", func(s *task.Spec) { s.Metadata = map[string]string{"\xff": ""} }, "metadata" + text + `"\xff": ""`},
		{"an empty value", func(s *task.Spec) { s.Metadata = map[string]string{"a": ""} }, ""},
		{"any text", func(s *task.Spec) { s.Metadata = map[string]string{"a b\n": "größe\x00"} }, ""},
	})
}

// TestTooManyBadPairsAreOneFault: the answer to a bad request must not be longer
// than the request.
func TestTooManyBadPairsAreOneFault(t *testing.T) {
	bad := map[string]string{}
	for i := range 10_000 {
		bad[fmt.Sprintf("\xff%d", i)] = ""
	}
	checkChanges(t, []change{
		{"metadata", func(s *task.Spec) { s.Metadata = bad }, "metadata must not be over 64 entries"},
		{"headers", func(s *task.Spec) { s.Webhook.Headers = bad }, "webhook.headers must not be over 64 entries"},
	})
}

// TestFaultsHaveAnOrder, so that one request gets one answer, however often it
// is sent. Faults of one map stand in the order of its names.
func TestFaultsHaveAnOrder(t *testing.T) {
	s := good()
	s.Metadata = map[string]string{"a": "\xff", "b": "\xff", "c": "\xff", "d": "\xff"}
	s.Webhook.Headers = map[string]string{"Host": "", "Te": "", "Upgrade": "", "X Y": ""}
	first := s.Validate(maxPayload).Error()
	for range 50 {
		if again := s.Validate(maxPayload).Error(); again != first {
			t.Fatalf("%s\nand then\n%s", first, again)
		}
	}
	if i, j := strings.Index(first, `"a"`), strings.Index(first, `"d"`); i < 0 || i > j {
		t.Errorf("not in order: %s", first)
	}
}

func TestWebhookURLs(t *testing.T) {
	stem := "http://h/"
	longest := stem + strings.Repeat("p", task.MaxURLLen-len(stem))
	for url, want := range map[string]string{
		"http://h":                      "",
		"https://shop.test:8443/a?b=c":  "",
		"HTTP://h/":                     "",
		"http://[::1]:9000/":            "",
		"http://[fe80::1%25eth0]/":      "",
		"http://größe.test/é":           "",
		"http://h:65535/":               "",
		longest:                         "",
		longest + "p":                   "must not be over 2048 bytes",
		"":                              "must begin with http:// or https://",
		"h/path":                        "must begin with http:// or https://",
		"ftp://h/":                      "must begin with http:// or https://",
		"file:///etc/passwd":            "must begin with http:// or https://",
		"javascript:alert(1)":           "must begin with http:// or https://",
		"http:h":                        "must name a host",
		"http:///path":                  "must name a host",
		"http://:80/":                   "must name a host",
		"http://user@h/":                "must not have a user and password: use a header",
		"http://u:p@h/":                 "must not have a user and password: use a header",
		"http://h:65536/":               "must have a port from 1 to 65535",
		"http://h:0/":                   "must have a port from 1 to 65535",
		"http://h:99999999999999999999": "must have a port from 1 to 65535",
		"http://h:x/":                   "must be a URL",
		"http://a b/":                   "must be a URL",
		"http://h/\n":                   "must be a URL",
		"http://[::1/":                  "must be a URL",
		"http://h/%zz":                  "must be a URL",
	} {
		if want != "" {
			want = "webhook.url " + want + ", got "
		}
		checkChanges(t, []change{{url, func(s *task.Spec) { s.Webhook.URL = url }, want}})
		checkFaults(t, url, (&task.Queue{Name: "q", Defaults: task.Defaults{Webhook: &task.Webhook{URL: url}}}).Validate(), want)
	}
	checkChanges(t, []change{{"no webhook", func(s *task.Spec) { s.Webhook = nil }, ""}})
}

func TestWebhookHeaders(t *testing.T) {
	const own, name, value = "must not name headers that the delivery sets itself",
		"must have names of letters, digits and hyphens", "must have values without control characters"
	cases := map[[2]string]string{
		{"X-Shop", "1"}: "", {"x", ""}: "", {"authorization", "Bearer größe"}: "", {"Idempotency-Key", "k"}: "",
		{"X_Y.Z~", ""}: "", {"Webhook", ""}: "", {"Webhooks-Id", ""}: "", {"Timewheel", ""}: "",

		{"X Y", ""}: name, {"X:", ""}: name, {"X\n", ""}: name, {"é", ""}: name, {" X", ""}: name,
		{"X", "a\r\nB: c"}: value, {"X", "\t"}: value, {"X", "\x00"}: value, {"X", "\u0085"}: value,
	}
	for _, n := range []string{
		"Host", "host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Trailer", "TE", "Keep-Alive",
		"Proxy-Connection", "Expect", "content-TYPE", "traceparent", "user-agent",
		"webhook-id", "Webhook-Signature", "webhook-", "timewheel-key", "TIMEWHEEL-EPOCH", "Timewheel-Later",
	} {
		cases[[2]string{n, "x"}] = own
	}
	for _, pair := range slices.SortedFunc(maps.Keys(cases), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		want := cases[pair]
		if want != "" {
			want = fmt.Sprintf("webhook.headers %s, got %q", want, pair[0])
		}
		checkChanges(t, []change{{
			fmt.Sprintf("%q", pair), func(s *task.Spec) { s.Webhook.Headers = map[string]string{pair[0]: pair[1]} }, want,
		}})
	}
	checkChanges(t, []change{{"two spellings of one name", func(s *task.Spec) {
		s.Webhook.Headers = map[string]string{"X-Shop": "1", "x-shop": "2"}
	}, `webhook.headers must not name a header twice, got "x-shop"`}})
}
