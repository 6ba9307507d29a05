package task

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Versions of a schedule's two binary forms; see headVersion.
const (
	scheduleVersion = 1
	planVersion     = 1
)

// AppendSchedule appends the binary form of s without its Plan to dst.
func AppendSchedule(dst []byte, s *Schedule) []byte {
	dst = append(dst, scheduleVersion)
	dst = append(dst, s.ID[:]...)
	dst = appendString(dst, s.Queue)
	dst = appendString(dst, s.Key)
	dst = binary.AppendUvarint(dst, s.Revision)
	dst = appendBool(dst, s.Paused)
	for _, i := range [...]Instant{s.Created, s.Updated, s.Anchor, s.Cursor, s.Next, s.Turn, s.Last} {
		dst = binary.AppendVarint(dst, int64(i))
	}
	for _, n := range [...]uint64{s.Fired, s.Triggered, s.Missed, s.Skipped} {
		dst = binary.AppendUvarint(dst, n)
	}
	dst = appendQueued(dst, s.Queued)
	return appendString(dst, s.Zones)
}

// DecodeSchedule reads what AppendSchedule wrote. The Schedule shares no memory
// with b.
func DecodeSchedule(b []byte) (*Schedule, error) {
	r := reader{b: b}
	if v := r.byte(); v != scheduleVersion {
		return nil, versionError("schedule head", v, scheduleVersion)
	}
	s := &Schedule{}
	copy(s.ID[:], r.take(len(s.ID)))
	s.Queue, s.Key = r.string(), r.string()
	s.Revision, s.Paused = r.uvarint(), r.bool()
	for _, i := range [...]*Instant{&s.Created, &s.Updated, &s.Anchor, &s.Cursor, &s.Next, &s.Turn, &s.Last} {
		*i = Instant(r.varint())
	}
	for _, n := range [...]*uint64{&s.Fired, &s.Triggered, &s.Missed, &s.Skipped} {
		*n = r.uvarint()
	}
	s.Queued, s.Zones = r.queued(), r.string()
	if err := r.done(); err != nil {
		return nil, fmt.Errorf("schedule head: %w", err)
	}
	return s, nil
}

// appendQueued writes the number of instants and of each what it is more than
// the one before, which takes fewer bytes than the instant.
func appendQueued(dst []byte, queued []Instant) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(queued)))
	var last Instant
	for _, i := range queued {
		dst = binary.AppendVarint(dst, int64(i-last))
		last = i
	}
	return dst
}

// queued reads what appendQueued wrote. None are nil.
func (r *reader) queued() []Instant {
	n := r.uvarint()
	if n > MaxQueueLimit || n > uint64(len(r.b)) {
		r.bad = true
	}
	if r.bad || n == 0 {
		return nil
	}
	all := make([]Instant, n)
	var last Instant
	for at := range all {
		last += Instant(r.varint())
		all[at] = last
	}
	return all
}

// AppendPlan appends the binary form of p to dst. What its Task has in a
// task's body comes last, as a task's body is written.
func AppendPlan(dst []byte, p *Plan) []byte {
	dst = append(dst, planVersion)
	dst = append(binary.AppendUvarint(dst, uint64(len(p.Rule))), p.Rule...)
	dst = binary.AppendUvarint(dst, p.Times)
	dst = append(dst, byte(p.Misfire.Policy), byte(p.Overlap))
	for _, n := range [...]uint32{p.Misfire.Limit, p.QueueLimit, p.Task.Retry.MaxAttempts} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	t := &p.Task
	for _, d := range [...]time.Duration{
		p.Jitter, p.Misfire.Window, p.Misfire.Grace,
		t.Timeout, t.Retention, t.Retry.MinBackoff, t.Retry.MaxBackoff,
	} {
		dst = binary.AppendVarint(dst, int64(d))
	}
	return AppendBody(dst, &Body{
		Payload: t.Payload, ContentType: t.ContentType, Metadata: t.Metadata, Webhook: t.Webhook, Traceparent: t.Traceparent,
	})
}

// DecodePlan reads what AppendPlan wrote. The Plan shares no memory with b.
func DecodePlan(b []byte) (*Plan, error) {
	r := reader{b: b}
	if v := r.byte(); v != planVersion {
		return nil, versionError("plan", v, planVersion)
	}
	p := &Plan{Rule: r.payload(), Times: r.uvarint()}
	p.Misfire.Policy, p.Overlap = MisfirePolicy(r.byte()), Overlap(r.byte())
	t := &p.Task
	for _, n := range [...]*uint32{&p.Misfire.Limit, &p.QueueLimit, &t.Retry.MaxAttempts} {
		*n = r.uint32()
	}
	for _, d := range [...]*time.Duration{
		&p.Jitter, &p.Misfire.Window, &p.Misfire.Grace,
		&t.Timeout, &t.Retention, &t.Retry.MinBackoff, &t.Retry.MaxBackoff,
	} {
		*d = time.Duration(r.varint())
	}
	if r.bad {
		return nil, fmt.Errorf("plan: %w", r.done())
	}
	if int(p.Misfire.Policy) >= len(MisfirePolicies) || int(p.Overlap) >= len(Overlaps) {
		return nil, fmt.Errorf("plan: %w: misfire policy %d, overlap policy %d", ErrCorrupt, p.Misfire.Policy, p.Overlap)
	}
	body, err := DecodeBody(r.b)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	t.Payload, t.ContentType, t.Metadata = body.Payload, body.ContentType, body.Metadata
	t.Webhook, t.Traceparent = body.Webhook, body.Traceparent
	return p, nil
}
