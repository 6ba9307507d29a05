package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/client"
)

// explain turns an error of a call into one that says what to do.
func explain(err error) error {
	var p *client.Problem
	var call *url.Error
	switch {
	case errors.As(err, &p):
		return explainProblem(p)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case errors.As(err, &call):
		return unreachable(call)
	}
	return err
}

func explainProblem(p *client.Problem) error {
	if p.Code == wire.ProblemCodeUnauthorized {
		return errors.New("the daemon asks for a token, and this is not it: give it with --token-file or TIMEWHEEL_TOKEN")
	}
	return errors.New(problemText(p))
}

// problemText is a problem in a person's words.
func problemText(p *client.Problem) string {
	if p.Detail != "" {
		return p.Detail
	}
	return strings.ToLower(p.Title)
}

// unreachable says that the daemon did not answer.
func unreachable(call *url.Error) error {
	at := call.URL
	if u, err := url.Parse(call.URL); err == nil {
		at = u.Scheme + "://" + u.Host
	}
	var op *net.OpError
	if errors.As(call, &op) && op.Op == "dial" {
		return fmt.Errorf("can't reach a daemon at %s (%w): start one with timewheel serve, or name another with --addr or TIMEWHEEL_ADDR", at, op.Err)
	}
	return fmt.Errorf("no answer from the daemon at %s: %w: it may have been stopped; it is open whether the call had its effect", at, call.Err)
}

// taskProblem returns the problem of an error that is about one task or schedule
// alone, so that the next one can be tried.
func taskProblem(err error) (*client.Problem, bool) {
	p, ok := errors.AsType[*client.Problem](err)
	if !ok {
		return nil, false
	}
	switch p.Code {
	case wire.ProblemCodeNotFound, wire.ProblemCodeAlreadyExists, wire.ProblemCodeAlreadyClaimed,
		wire.ProblemCodeWrongState, wire.ProblemCodeStaleLease, wire.ProblemCodeRevisionMismatch,
		wire.ProblemCodeInvalidRequest, wire.ProblemCodeOverlap:
		return p, true
	default:
		return nil, false
	}
}

// passing reports whether the same call may succeed later: the daemon could not
// be reached, or was not able to answer.
func passing(err error) bool {
	if p, ok := errors.AsType[*client.Problem](err); ok {
		return p.Status >= http.StatusInternalServerError
	}
	_, unanswered := errors.AsType[*url.Error](err)
	return unanswered
}
