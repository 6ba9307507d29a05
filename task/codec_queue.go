package task

import (
	"encoding/binary"
	"fmt"
	"time"
)

// queueVersion is the first byte of a queue's binary form; see headVersion.
const queueVersion = 1

// AppendQueue appends the binary form of q to dst.
func AppendQueue(dst []byte, q *Queue) []byte {
	dst = append(dst, queueVersion)
	dst = appendString(dst, q.Name)
	dst = binary.AppendUvarint(dst, q.Revision)
	dst = appendBool(dst, q.Paused)
	dst = appendWebhook(dst, q.Defaults.Webhook)
	dst = binary.AppendUvarint(dst, uint64(q.Defaults.Retry.MaxAttempts))
	for _, v := range [...]int64{
		int64(q.Defaults.Retry.MinBackoff), int64(q.Defaults.Retry.MaxBackoff),
		int64(q.Defaults.Timeout), int64(q.Defaults.Retention), int64(q.Concurrency),
	} {
		dst = binary.AppendVarint(dst, v)
	}
	dst = binary.AppendUvarint(dst, uint64(len(q.SigningSecrets)))
	for _, s := range q.SigningSecrets {
		dst = appendString(dst, s)
	}
	return dst
}

// DecodeQueue reads what AppendQueue wrote. The Queue shares no memory with b.
func DecodeQueue(b []byte) (Queue, error) {
	r := reader{b: b}
	if v := r.byte(); v != queueVersion {
		return Queue{}, versionError("queue", v, queueVersion)
	}
	q := Queue{Name: r.string(), Revision: r.uvarint(), Paused: r.bool()}
	q.Defaults.Webhook = r.webhook()
	q.Defaults.Retry.MaxAttempts = r.uint32()
	q.Defaults.Retry.MinBackoff, q.Defaults.Retry.MaxBackoff = time.Duration(r.varint()), time.Duration(r.varint())
	q.Defaults.Timeout, q.Defaults.Retention = time.Duration(r.varint()), time.Duration(r.varint())
	q.Concurrency = int(r.varint())
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		q.SigningSecrets = append(q.SigningSecrets, r.string())
	}
	if err := r.done(); err != nil {
		return Queue{}, fmt.Errorf("queue: %w", err)
	}
	return q, nil
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// bool reads what appendBool wrote.
func (r *reader) bool() bool {
	v := r.byte()
	if v > 1 {
		r.bad = true
	}
	return v == 1
}

// appendWebhook writes whether there is one, and then it.
func appendWebhook(dst []byte, w *Webhook) []byte {
	dst = appendBool(dst, w != nil)
	if w == nil {
		return dst
	}
	return appendMap(appendString(dst, w.URL), w.Headers)
}

// webhook reads what appendWebhook wrote.
func (r *reader) webhook() *Webhook {
	if !r.bool() {
		return nil
	}
	return &Webhook{URL: r.string(), Headers: r.stringMap()}
}
