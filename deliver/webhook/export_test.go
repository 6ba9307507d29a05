package webhook

import (
	"context"
	"net"

	"github.com/timewheel-dev/timewheel/task"
)

// What the tests in webhook_test need of the insides.
var (
	ForbiddenKind = forbiddenKind
	Guard         = guard
	Printable     = printable
	Escape        = escape
	RetryAfter    = retryAfter
	Sign          = sign
)

// Bounds that the tests probe on both sides.
const (
	MaxAnswer     = maxAnswer
	AnswerTime    = answerTime
	IdleTimeout   = idleTimeout
	TLSTimeout    = tlsTimeout
	MaxRetryAfter = maxRetryAfter
	MaxQuote      = maxQuote
)

// DialWith replaces the dialer, and the guard with it.
func (d *Deliverer) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	d.transport.DialContext = dial
}

// ResolveWith keeps the dialer and its guard, and lets r resolve names.
func (d *Deliverer) ResolveWith(o Options, r *net.Resolver) {
	dialer := newDialer(o)
	dialer.Resolver = r
	d.transport.DialContext = dialer.DialContext
}

// Request builds a request and forgets it.
func (d *Deliverer) Request(ctx context.Context, lease task.Lease, secrets []string) error {
	_, err := d.request(ctx, lease, secrets)
	return err
}
