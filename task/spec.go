package task

import (
	"time"
)

// Spec is what somebody asks for: the task to be.
type Spec struct {
	Queue string
	Key   string // "": one is generated, the task's id

	// Due says when to fire. If it is the zero Time, the task fires Delay after
	// it was accepted. Setting both is a fault.
	Due   time.Time
	Delay time.Duration

	Payload     []byte
	ContentType string
	Metadata    map[string]string
	Webhook     *Webhook // nil: the queue's default; if that is nil too, workers pull the task
	Traceparent string

	Timeout   time.Duration // 0: the queue's default, then DefaultTimeout
	Retention time.Duration // 0: the queue's default, then DefaultRetention; negative: not kept
	Retry     Retry         // zero fields: the queue's default, then the package's
}

// What a task gets where neither it nor its queue says otherwise.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultRetention   = 24 * time.Hour
	DefaultMaxAttempts = 16
	DefaultMinBackoff  = time.Second
	DefaultMaxBackoff  = time.Hour
)

// DeadRetention is how long a dead task is kept at the least, whatever its
// Retention: somebody has to look at it.
const DeadRetention = 14 * 24 * time.Hour

// WithDefaults returns s with what it leaves open taken from d, then from the
// package's defaults.
func (s Spec) WithDefaults(d Defaults) Spec {
	if s.Webhook == nil {
		s.Webhook = d.Webhook
	}
	s.Timeout = first(s.Timeout, d.Timeout, DefaultTimeout)
	s.Retention = max(0, first(s.Retention, d.Retention, DefaultRetention))
	s.Retry = Retry{
		MaxAttempts: first(s.Retry.MaxAttempts, d.Retry.MaxAttempts, DefaultMaxAttempts),
		MinBackoff:  first(s.Retry.MinBackoff, d.Retry.MinBackoff, DefaultMinBackoff),
		MaxBackoff:  first(s.Retry.MaxBackoff, d.Retry.MaxBackoff, DefaultMaxBackoff),
	}
	s.Retry.MaxBackoff = max(s.Retry.MaxBackoff, s.Retry.MinBackoff)
	return s
}

// first returns the first of vs that is not zero.
func first[T comparable](vs ...T) T {
	var zero T
	for _, v := range vs {
		if v != zero {
			return v
		}
	}
	return zero
}

// DueAt returns when a task of this spec is due if it is accepted at now, which
// is to be rounded up, so that a delay is never cut short.
func (s Spec) DueAt(now Instant) Instant {
	if s.Due.IsZero() {
		return now.Add(s.Delay)
	}
	return CeilInstant(s.Due)
}
