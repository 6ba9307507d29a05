package webhook

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/textproto"
	"strconv"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// The headers that the delivery sets. Those of the Standard Webhooks come first.
const (
	headerID          = "Webhook-Id"
	headerTimestamp   = "Webhook-Timestamp"
	headerSignature   = "Webhook-Signature"
	headerQueue       = "Timewheel-Queue"
	headerKey         = "Timewheel-Key"
	headerAttempt     = "Timewheel-Attempt"
	headerDue         = "Timewheel-Due"
	headerEpoch       = "Timewheel-Epoch"
	headerSchedule    = "Timewheel-Schedule"
	headerOccurrence  = "Timewheel-Occurrence"
	headerMissed      = "Timewheel-Missed"
	headerTraceparent = "Traceparent"
	headerContentType = "Content-Type"
	headerUserAgent   = "User-Agent"

	ownHeaders = 14 // how many those are
)

const defaultContentType = "application/octet-stream"

// request builds the request of one attempt.
func (d *Deliverer) request(ctx context.Context, lease task.Lease, secrets []string) (*http.Request, error) {
	t := lease.Task
	if t.Body == nil || t.Body.Webhook == nil {
		return nil, errors.New("the task has no webhook: it is for workers to claim")
	}
	hook := t.Body.Webhook
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(t.Body.Payload))
	if err != nil {
		return nil, err
	}
	h := newHeaders(ownHeaders + len(hook.Headers))
	for name, value := range hook.Headers {
		h.set(foreignName(name), value)
	}
	h.set(headerUserAgent, d.userAgent)
	h.describe(t, lease.Epoch)
	if err := h.sign(t, secrets); err != nil {
		return nil, err
	}
	req.Header = h.fields
	return req, nil
}

// foreignName returns the spelling under which a task's own header is sent.
// Names are canonical, so that ours replace theirs, with two exceptions: when
// package http sees an idempotency key under its canonical name, it repeats a
// request whose connection broke down. A repeat has to be an attempt with its own
// number. To receivers the spelling makes no difference (RFC 9110, section 5.1).
func foreignName(name string) string {
	switch canonical := textproto.CanonicalMIMEHeaderKey(name); canonical {
	case "Idempotency-Key":
		return "idempotency-key"
	case "X-Idempotency-Key":
		return "x-idempotency-key"
	default:
		return canonical
	}
}

// headers is a header under construction. The values lie side by side in one
// slice, which saves an allocation for each.
type headers struct {
	fields http.Header
	values []string
}

func newHeaders(n int) headers {
	return headers{make(http.Header, n), make([]string, 0, n)}
}

// set sets a header to one value. The name is not changed.
func (h *headers) set(name, value string) {
	h.values = append(h.values, value)
	n := len(h.values)
	h.fields[name] = h.values[n-1 : n : n]
}

// describe sets what tells the receiver which task this is.
func (h *headers) describe(t *task.Task, epoch uint64) {
	h.set(headerContentType, orElse(t.Body.ContentType, defaultContentType))
	h.set(headerQueue, t.Queue)
	h.set(headerKey, escape(t.Key))
	h.set(headerAttempt, strconv.FormatUint(uint64(t.Attempt), 10))
	h.set(headerDue, t.Due.Time().Format(time.RFC3339Nano))
	h.set(headerEpoch, strconv.FormatUint(epoch, 10))
	if t.Body.Traceparent != "" {
		h.set(headerTraceparent, t.Body.Traceparent)
	}
	if t.Occurrence != 0 {
		h.describeOccurrence(t)
	}
}

// describeOccurrence sets what tells the receiver which occurrence of a schedule
// this is, and how many missed ones it stands for.
func (h *headers) describeOccurrence(t *task.Task) {
	schedule, _, _ := task.CutOccurrence(t.Key)
	h.set(headerSchedule, escape(schedule))
	h.set(headerOccurrence, t.Occurrence.Time().Format(time.RFC3339Nano))
	if t.Missed > 0 {
		h.set(headerMissed, strconv.FormatUint(uint64(t.Missed), 10))
	}
}

// sign sets the three headers of the Standard Webhooks; without secrets, two of
// them. The timestamp is the instant when the attempt was claimed.
func (h *headers) sign(t *task.Task, secrets []string) error {
	id := t.ID.String()
	timestamp := strconv.FormatInt(int64(t.Fired)/1_000_000, 10)
	h.set(headerID, id)
	h.set(headerTimestamp, timestamp)
	if len(secrets) == 0 {
		return nil
	}
	signatures, err := sign(secrets, id, timestamp, t.Body.Payload)
	if err != nil {
		return err
	}
	h.set(headerSignature, signatures)
	return nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
