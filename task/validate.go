package task

import (
	"fmt"
	"maps"
	"mime"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits on what a task may hold. Sizes are in bytes.
const (
	MaxQueueLen       = 128
	MaxKeyLen         = 512
	MaxContentTypeLen = 255
	MaxTraceparentLen = 128
	MaxURLLen         = 2048
	MaxPairs          = 64       // metadata entries, and webhook headers
	MaxPairsLen       = 16 << 10 // all keys and values of one map together
	MaxErrorLen       = 1 << 10
	MaxOutputLen      = 4 << 10
	MaxTimeout        = 24 * time.Hour
	MaxRetention      = 10 * 365 * 24 * time.Hour
	MaxBackoff        = 30 * 24 * time.Hour
	MaxAttempts       = 10_000
	DefaultMaxPayload = 1 << 20
)

// Fault says what is wrong with one field of a request, and what is allowed.
type Fault struct {
	Field  string
	Reason string
}

// Invalid is the error for a request that breaks the rules. It lists every
// fault that was found.
type Invalid []Fault //nolint:errname // it reads as what it is: task.Invalid

// Error joins the faults.
func (e Invalid) Error() string {
	parts := make([]string, len(e))
	for i, f := range e {
		parts[i] = f.Field + " " + f.Reason
	}
	return strings.Join(parts, "; ")
}

// faults collects what is wrong.
type faults Invalid

func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, Fault{field, fmt.Sprintf(format, args...)})
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return Invalid(f)
}

// Validate reports all that is wrong with s, as an Invalid, or nil. maxPayload
// is in bytes. It does not look at the clock: an instant in the past is legal
// and due at once.
func (s *Spec) Validate(maxPayload int) error {
	var f faults
	f.queue(s.Queue)
	if s.Key != "" {
		f.key(s.Key)
	}
	f.when(s.Due, s.Delay)
	f.payload(s.Payload, s.ContentType, maxPayload)
	f.pairs("metadata", s.Metadata)
	f.webhook(s.Webhook)
	f.traceparent(s.Traceparent)
	f.policy(Defaults{Retry: s.Retry, Timeout: s.Timeout, Retention: s.Retention})
	return f.err()
}

// ValidateQueueName reports what is wrong with a queue's name, or nil.
func ValidateQueueName(name string) error {
	var f faults
	f.queue(name)
	return f.err()
}

// ValidateRef reports what is wrong with a queue's name and a key, or nil.
func ValidateRef(queue, key string) error {
	var f faults
	f.queue(queue)
	f.key(key)
	return f.err()
}

// ValidateDue reports what is wrong with a due instant or delay, or nil.
func ValidateDue(due time.Time, delay time.Duration) error {
	var f faults
	f.when(due, delay)
	return f.err()
}

// Validate reports all that is wrong with the settings of q, or nil.
func (q *Queue) Validate() error {
	var f faults
	f.queue(q.Name)
	f.webhook(q.Defaults.Webhook)
	f.policy(q.Defaults)
	if q.Concurrency < 0 || q.Concurrency > 10_000 {
		f.add("concurrency", "must be from 0 (the default) to 10000, got %d", q.Concurrency)
	}
	if len(q.SigningSecrets) > 2 {
		f.add("signing_secrets", "can be two at most, the present one and one that is rotated out, got %d", len(q.SigningSecrets))
	}
	for _, s := range q.SigningSecrets {
		f.secret(s)
	}
	return f.err()
}

func (f *faults) queue(name string) {
	ok := name != "" && len(name) <= MaxQueueLen && alphanumeric(rune(name[0]))
	for _, r := range name {
		ok = ok && (alphanumeric(r) || strings.ContainsRune("._-", r))
	}
	if !ok {
		f.add("queue", "must be 1 to %d of the characters A–Z a–z 0–9 . _ -, the first a letter or digit, got %q", MaxQueueLen, clip(name))
	}
}

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func (f *faults) key(key string) {
	switch {
	case key == "" || len(key) > MaxKeyLen:
		f.add("key", "must be 1 to %d bytes long, got %d", MaxKeyLen, len(key))
	case !utf8.ValidString(key):
		f.add("key", "must be valid UTF-8, got %q", clip(key))
	case strings.ContainsFunc(key, unicode.IsControl):
		f.add("key", "must not have control characters, got %q", clip(key))
	}
}

func (f *faults) when(due time.Time, delay time.Duration) {
	switch {
	case due.IsZero():
		if delay < 0 {
			f.add("delay", "must not be negative, got %s", delay)
		}
	case delay != 0:
		f.add("delay", "must not be set beside due: give one of them")
	case due.Unix() < 1 || CeilInstant(due) > MaxInstant:
		f.add("due", "must be from 1970 to 9999, got %s", due.UTC().Format(time.RFC3339))
	}
}

func (f *faults) payload(p []byte, contentType string, most int) {
	if len(p) > most {
		f.add("payload", "must not be over %d bytes, got %d", most, len(p))
	}
	if contentType != "" && !isMediaType(contentType) {
		f.add("content_type", "must be a media type such as application/json, got %q", clip(contentType))
	}
}

// isMediaType is stricter than package mime, which lets pass "json" without a
// type before it, and line breaks, which no header can carry.
func isMediaType(s string) bool {
	if len(s) > MaxContentTypeLen || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	name, _, err := mime.ParseMediaType(s)
	return err == nil && strings.Contains(name, "/")
}

// traceparent lets pass all that a header can carry: receivers ignore what they
// can't read, and later versions are longer than the present one.
func (f *faults) traceparent(s string) {
	if len(s) > MaxTraceparentLen || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		f.add("traceparent", "must be at most %d visible ASCII characters, as W3C Trace Context has it, got %q", MaxTraceparentLen, clip(s))
	}
}

// pairs judges a map. Of one that is too large it says only that: the faults
// of its entries could be longer than the request.
func (f *faults) pairs(field string, m map[string]string) {
	size := 0
	for k, v := range m {
		size += len(k) + len(v)
	}
	if len(m) > MaxPairs || size > MaxPairsLen {
		f.add(field, "must not be over %d entries and %d bytes, got %d entries and %d bytes", MaxPairs, MaxPairsLen, len(m), size)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v := m[k]
		if k == "" || !utf8.ValidString(k) || !utf8.ValidString(v) {
			f.add(field, "must have names that are not empty, and be valid UTF-8, got %q: %q", clip(k), clip(v))
		}
	}
}

func (f *faults) webhook(w *Webhook) {
	if w == nil {
		return
	}
	if reason := urlFault(w.URL); reason != "" {
		f.add("webhook.url", "%s, got %q", reason, clip(w.URL))
	}
	f.pairs("webhook.headers", w.Headers)
	if len(w.Headers) <= MaxPairs {
		f.headers(w.Headers)
	}
}

func (f *faults) headers(headers map[string]string) {
	seen := make(map[string]bool, len(headers))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		reason := headerFault(name, headers[name])
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if reason == "" && seen[canonical] {
			reason = "must not name a header twice"
		}
		if reason != "" {
			f.add("webhook.headers", "%s, got %q", reason, clip(name))
		}
		seen[canonical] = true
	}
}

func urlFault(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > MaxURLLen:
		return fmt.Sprintf("must not be over %d bytes", MaxURLLen)
	case err != nil:
		return "must be a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with http:// or https://"
	case u.Hostname() == "":
		return "must name a host"
	case u.User != nil:
		return "must not have a user and password: use a header"
	case !portInRange(u.Port()):
		return "must have a port from 1 to 65535"
	}
	return ""
}

// portInRange judges the digits after a host; none are the scheme's own port.
func portInRange(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 16)
	return digits == "" || err == nil && n > 0
}

// ownHeaders are set by the delivery itself or belong to the connection.
var ownHeaders = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Upgrade": true,
	"Trailer": true, "Te": true, "Keep-Alive": true, "Proxy-Connection": true, "Expect": true, "Content-Type": true,
	"Traceparent": true, "User-Agent": true,
}

func headerFault(name, value string) string {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case name == "" || strings.ContainsFunc(name, notToken):
		return "must have names of letters, digits and hyphens"
	case ownHeaders[canonical], strings.HasPrefix(canonical, "Webhook-"), strings.HasPrefix(canonical, "Timewheel-"):
		return "must not name headers that the delivery sets itself"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "must have values without control characters"
	}
	return ""
}

func notToken(r rune) bool {
	return !alphanumeric(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func (f *faults) policy(d Defaults) {
	f.within("timeout", d.Timeout, 0, MaxTimeout)
	f.within("retention", d.Retention, -1<<63, MaxRetention)
	f.within("retry.min_backoff", d.Retry.MinBackoff, 0, MaxBackoff)
	f.within("retry.max_backoff", d.Retry.MaxBackoff, 0, MaxBackoff)
	if d.Retry.MaxAttempts > MaxAttempts {
		f.add("retry.max_attempts", "must not be over %d, got %d", MaxAttempts, d.Retry.MaxAttempts)
	}
	if d.Retry.MaxBackoff != 0 && d.Retry.MaxBackoff < d.Retry.MinBackoff {
		f.add("retry.max_backoff", "must not be under retry.min_backoff, %s", d.Retry.MinBackoff)
	}
}

func (f *faults) within(field string, d, low, high time.Duration) {
	if d < low || d > high {
		f.add(field, "must be from %s to %s, got %s", max(low, 0), high, d)
	}
}

// clip keeps an error message short whatever was sent.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
