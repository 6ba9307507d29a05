package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"

	"github.com/timewheel-dev/timewheel/task"
)

// Options tune a Deliverer. The zero value is ready to use.
type Options struct {
	// UserAgent names the sender to receivers. Default: "timewheel".
	UserAgent string

	// MaxIdlePerHost is how many connections to one host are kept for the next
	// attempt. It should be as high as the number of attempts that run against
	// one host at once. Default: 64.
	MaxIdlePerHost int

	// AllowLinkLocal lets webhooks reach link-local addresses. The metadata
	// services of clouds stay out of reach. Default: they are refused.
	AllowLinkLocal bool

	// TLS is for receivers with certificates of a private authority, or that ask
	// for one. Default: the system's authorities, no certificate of our own.
	TLS *tls.Config
}

// withDefaults fills in what o leaves open.
func (o Options) withDefaults() Options {
	if o.UserAgent == "" {
		o.UserAgent = "timewheel"
	}
	if o.MaxIdlePerHost <= 0 {
		o.MaxIdlePerHost = 64
	}
	return o
}

// Deliverer posts tasks to their webhooks.
type Deliverer struct {
	userAgent string
	transport *http.Transport
}

// New returns a Deliverer. Whoever made it should Close it.
func New(o Options) *Deliverer {
	o = o.withDefaults()
	return &Deliverer{userAgent: o.UserAgent, transport: newTransport(o)}
}

// Close closes the idle connections. Running attempts go on; their connections
// close by themselves soon after.
func (d *Deliverer) Close() { d.transport.CloseIdleConnections() }

// Push runs one attempt: it posts the lease's task to its webhook, signed with
// each of the secrets, and returns what came of it. The attempt ends with ctx:
// as Failed if its deadline has passed, and as Released if it was cancelled.
// The lease is only read.
func (d *Deliverer) Push(ctx context.Context, lease task.Lease, secrets []string) task.Outcome {
	req, err := d.request(ctx, lease, secrets)
	if err != nil {
		return failed(err.Error())
	}
	// Not by an http.Client, which would add redirects, cookies and a second
	// timer, none of which are wanted here.
	resp, err := d.transport.RoundTrip(req) //nolint:bodyclose // answered closes it, where the linter does not look
	if err != nil {
		return unanswered(ctx, lease.Task, err)
	}
	return answered(resp, lease.Task)
}

// unanswered is the outcome of an attempt that ended without an answer. It asks
// ctx, not err, whose deadline has passed: connecting has one of its own, with
// an error of the same kind.
func unanswered(ctx context.Context, t *task.Task, err error) task.Outcome {
	switch ended := ctx.Err(); {
	case errors.Is(ended, context.DeadlineExceeded):
		return failed("no answer within " + t.Timeout.String())
	case ended != nil:
		return task.Outcome{Verdict: task.Released}
	case errors.Is(err, io.EOF):
		return failed("no answer: the receiver closed the connection")
	}
	return failed("no answer: " + err.Error())
}

// failed is a failed attempt, to be repeated.
func failed(why string) task.Outcome {
	return task.Outcome{Verdict: task.Failed, Error: printable(why, task.MaxErrorLen)}
}
