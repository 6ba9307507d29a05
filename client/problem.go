package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// Problem is the error of a call that the daemon refused: a status, a stable
// code, and what was wrong. Results of batches have one each.
type Problem = wire.Problem //nolint:errname // RFC 9457 calls it so

// problemOf reads the problem from a response. What is none of the daemon's,
// such as a proxy's page, becomes one without a code.
func problemOf(r *http.Response) error {
	const most = 1 << 20
	body, err := io.ReadAll(io.LimitReader(r.Body, most))
	if err != nil {
		return err
	}
	p := &Problem{}
	if json.Unmarshal(body, p) == nil && p.Code != "" {
		return p
	}
	text := string(bytes.TrimSpace(body[:min(len(body), 200)]))
	return &Problem{Type: "about:blank", Title: http.StatusText(r.StatusCode), Status: r.StatusCode, Detail: r.Status + ": " + text}
}

func has(err error, codes ...wire.ProblemCode) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && slices.Contains(codes, p.Code)
}

// IsInvalid reports whether the request itself was wrong; Problem.Errors says
// which fields.
func IsInvalid(err error) bool {
	return has(err, wire.ProblemCodeInvalidRequest, wire.ProblemCodeMalformedBody)
}

// IsNotFound reports whether there is no such task, schedule or queue.
func IsNotFound(err error) bool { return has(err, wire.ProblemCodeNotFound) }

// IsAlreadyExists reports whether IfAbsent was asked for and the key has a record, or
// a schedule.
func IsAlreadyExists(err error) bool { return has(err, wire.ProblemCodeAlreadyExists) }

// IsAlreadyClaimed reports whether an attempt is running, so that the task can't be
// changed or cancelled any more.
func IsAlreadyClaimed(err error) bool { return has(err, wire.ProblemCodeAlreadyClaimed) }

// IsOverlap reports whether a trigger was refused, since an earlier occurrence is
// not finished.
func IsOverlap(err error) bool { return has(err, wire.ProblemCodeOverlap) }

// IsWrongState reports whether the task's state does not allow the call.
func IsWrongState(err error) bool { return has(err, wire.ProblemCodeWrongState) }

// IsStaleLease reports whether a lease is no more the present one.
func IsStaleLease(err error) bool { return has(err, wire.ProblemCodeStaleLease) }

// IsRevisionMismatch reports whether IfRevision named another revision than the
// present one.
func IsRevisionMismatch(err error) bool { return has(err, wire.ProblemCodeRevisionMismatch) }

// IsUnauthorized reports whether the token is missing or wrong.
func IsUnauthorized(err error) bool { return has(err, wire.ProblemCodeUnauthorized) }

// IsTooLarge reports whether a body or a batch is over a limit.
func IsTooLarge(err error) bool {
	return has(err, wire.ProblemCodeBodyTooLarge, wire.ProblemCodeBatchTooLarge)
}

// IsUnavailable reports whether the daemon is stopping, or can't serve the call
// at present: try again soon, or elsewhere.
func IsUnavailable(err error) bool {
	return has(err, wire.ProblemCodeDraining, wire.ProblemCodeUnavailable)
}
