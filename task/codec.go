package task

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Versions of a task's two binary forms, the first byte of each. They only go up;
// a reader refuses what is newer than itself. docs/internals/formats.md draws
// the bytes.
const (
	headVersion = 2 // 1 ends with LastError
	bodyVersion = 1
)

// ErrCorrupt is returned for bytes that are not a record.
var ErrCorrupt = errors.New("corrupt record")

// AppendHead appends the binary form of t without its Body to dst.
func AppendHead(dst []byte, t *Task) []byte {
	dst = append(dst, headVersion, byte(t.State))
	dst = append(dst, t.ID[:]...)
	dst = appendString(dst, t.Queue)
	dst = appendString(dst, t.Key)
	dst = binary.AppendUvarint(dst, t.Revision)
	dst = binary.AppendUvarint(dst, uint64(t.Attempt))
	dst = binary.AppendUvarint(dst, uint64(t.Failures))
	for _, i := range [...]Instant{t.Due, t.Expiry, t.Next, t.Created, t.Updated, t.Fired, t.Finished} {
		dst = binary.AppendVarint(dst, int64(i))
	}
	dst = binary.BigEndian.AppendUint64(dst, t.Nonce)
	dst = binary.AppendUvarint(dst, t.RunBy)
	for _, d := range [...]time.Duration{t.Timeout, t.Retention, t.Retry.MinBackoff, t.Retry.MaxBackoff} {
		dst = binary.AppendVarint(dst, int64(d))
	}
	dst = binary.AppendUvarint(dst, uint64(t.Retry.MaxAttempts))
	dst = binary.AppendUvarint(dst, uint64(t.Size))
	dst = appendString(dst, t.Host)
	dst = appendString(dst, t.LastError)
	dst = appendString(dst, t.Output)
	dst = binary.AppendVarint(dst, int64(t.Occurrence))
	dst = binary.AppendUvarint(dst, uint64(t.Missed))
	return appendBool(dst, t.Chained)
}

// DecodeHead reads what AppendHead wrote. The Task shares no memory with b.
func DecodeHead(b []byte) (*Task, error) {
	r := reader{b: b}
	v := r.byte()
	if v == 0 || v > headVersion {
		return nil, versionError("task head", v, headVersion)
	}
	t := &Task{State: State(r.byte())}
	copy(t.ID[:], r.take(len(t.ID)))
	t.Queue, t.Key = r.string(), r.string()
	t.Revision = r.uvarint()
	t.Attempt, t.Failures = r.uint32(), r.uint32()
	for _, i := range [...]*Instant{&t.Due, &t.Expiry, &t.Next, &t.Created, &t.Updated, &t.Fired, &t.Finished} {
		*i = Instant(r.varint())
	}
	t.Nonce, t.RunBy = r.fixed64(), r.uvarint()
	for _, d := range [...]*time.Duration{&t.Timeout, &t.Retention, &t.Retry.MinBackoff, &t.Retry.MaxBackoff} {
		*d = time.Duration(r.varint())
	}
	t.Retry.MaxAttempts, t.Size = r.uint32(), r.uint32()
	t.Host, t.LastError = r.string(), r.string()
	if v >= 2 {
		t.Output, t.Occurrence = r.string(), Instant(r.varint())
		t.Missed, t.Chained = r.uint32(), r.bool()
	}
	if err := r.done(); err != nil {
		return nil, fmt.Errorf("task head: %w", err)
	}
	if !t.State.Valid() {
		return nil, fmt.Errorf("task head: %w: state %d", ErrCorrupt, t.State)
	}
	return t, nil
}

// AppendBody appends the binary form of b to dst.
func AppendBody(dst []byte, b *Body) []byte {
	dst = append(dst, bodyVersion)
	dst = appendString(dst, b.ContentType)
	dst = appendString(dst, b.Traceparent)
	dst = appendMap(dst, b.Metadata)
	dst = appendWebhook(dst, b.Webhook)
	return append(binary.AppendUvarint(dst, uint64(len(b.Payload))), b.Payload...)
}

// DecodeBody reads what AppendBody wrote. The Body shares no memory with b.
func DecodeBody(b []byte) (*Body, error) {
	r := reader{b: b}
	if v := r.byte(); v != bodyVersion {
		return nil, versionError("task body", v, bodyVersion)
	}
	body := &Body{ContentType: r.string(), Traceparent: r.string(), Metadata: r.stringMap(), Webhook: r.webhook()}
	body.Payload = r.payload()
	if err := r.done(); err != nil {
		return nil, fmt.Errorf("task body: %w", err)
	}
	return body, nil
}

func versionError(what string, got, most byte) error {
	if got == 0 {
		return fmt.Errorf("%s: %w: no version", what, ErrCorrupt)
	}
	return fmt.Errorf("%s: written in format %d, this program reads up to %d: use a newer timewheel", what, got, most)
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendMap writes the pairs in the order of their keys, so that equal maps
// have equal bytes.
func appendMap(dst []byte, m map[string]string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		dst = appendString(appendString(dst, k), m[k])
	}
	return dst
}

// reader takes values off b. After the first fault all values are zero and
// done reports the fault, so that callers check once.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) byte() byte {
	if p := r.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (r *reader) fixed64() uint64 {
	if p := r.take(8); p != nil {
		return binary.BigEndian.Uint64(p)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.bad || n <= 0 {
		r.bad = true
		return 0
	}
	r.take(n)
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if r.bad || n <= 0 {
		r.bad = true
		return 0
	}
	r.take(n)
	return v
}

func (r *reader) uint32() uint32 {
	v := r.uvarint()
	if v > 1<<32-1 {
		r.bad = true
		return 0
	}
	return uint32(v)
}

func (r *reader) string() string {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad = true
		return ""
	}
	return string(r.take(int(n)))
}

// payload reads a length and so many bytes. None are nil.
func (r *reader) payload() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	if n == 0 {
		return nil
	}
	return slices.Clone(r.take(int(n)))
}

func (r *reader) stringMap() map[string]string {
	n := r.uvarint()
	if r.bad || n == 0 {
		return nil
	}
	if n > uint64(len(r.b)/2) { // each pair takes two bytes at least
		r.bad = true
		return nil
	}
	m := make(map[string]string, n)
	for range n {
		k := r.string()
		m[k] = r.string()
	}
	return m
}

func (r *reader) done() error {
	if r.bad {
		return fmt.Errorf("%w: cut short", ErrCorrupt)
	}
	if len(r.b) > 0 {
		return fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(r.b))
	}
	return nil
}
