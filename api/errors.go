package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// code is a row of the table of problems.
type code struct {
	name   wire.ProblemCode
	status int
	title  string
	about  string // the paragraph of docs/reference/http-api.md
}

// codes is the one table of problems. Names never change their meaning.
var codes = []code{
	{
		wire.ProblemCodeInvalidRequest, http.StatusBadRequest, "The request is invalid",
		"A field, a query parameter or a header is unknown, missing or out of its bounds. `errors` lists every fault that was found, each with `field` and `reason`. Nothing was changed.",
	},
	{
		wire.ProblemCodeMalformedBody, http.StatusBadRequest, "The body is not well-formed",
		"The body is empty, cut short, not JSON in UTF-8, nested too deep, or more than one value. `detail` names the line and the column. Nothing was changed.",
	},
	{
		wire.ProblemCodeUnauthorized, http.StatusUnauthorized, "The token is missing or wrong",
		"The daemon was given a token, and the request must bring it: `Authorization: Bearer <token>`.",
	},
	{
		wire.ProblemCodeCrossOrigin, http.StatusForbidden, "The request comes from another site's page",
		"A browser sent this for a page of another origin. That page has no business with this daemon, so nothing but reading is allowed, and the browser does not show it what was read.",
	},
	{
		wire.ProblemCodeForeignHost, http.StatusForbidden, "The host name is not this machine's",
		"Where no token is asked for, only requests for `localhost` and loopback addresses are answered: a web page could have a name of its own resolved to this machine. `detail` names the host of the request. Use one of those names, or set a token; behind a proxy that decides who may call, serve with `--insecure-no-auth`.",
	},
	{
		wire.ProblemCodeNotFound, http.StatusNotFound, "No such task, schedule or queue",
		"The queue has no record under this key: it never had one, or the record was purged after its retention. Or it has no schedule under this key. Or the queue was never used.",
	},
	{
		wire.ProblemCodeUnknownPath, http.StatusNotFound, "No such path",
		"Nothing is served under this path. Look for a missing `/v1`, a `/` in a key that is not written `%2F`, or a misspelled `:verb` (where the path without it is a name, that is a 405).",
	},
	{
		wire.ProblemCodeMethodNotAllowed, http.StatusMethodNotAllowed, "The method is not allowed here",
		"The path exists, for other methods; the `Allow` header lists them.",
	},
	{
		wire.ProblemCodeAlreadyExists, http.StatusConflict, "The key is taken already",
		"`if_absent` was asked for and the key has a record: pending, running, or finished and not yet purged; or, for a schedule, the key has one. Nothing was changed.",
	},
	{
		wire.ProblemCodeAlreadyClaimed, http.StatusConflict, "The task was already claimed",
		"An attempt is running, so the task can't be changed or cancelled any more. Wait for the attempt to end, or schedule the key anew.",
	},
	{
		wire.ProblemCodeOverlap, http.StatusConflict, "An earlier occurrence is not finished",
		"The schedule was not triggered: an earlier occurrence of it waits or runs, and its overlap policy lets no other one begin or wait. Wait for that one to end, or cancel it.",
	},
	{
		wire.ProblemCodeWrongState, http.StatusConflict, "The task's state does not allow this",
		"Only pending tasks can be changed, run or cancelled, and only dead ones redriven. `detail` names the present state.",
	},
	{
		wire.ProblemCodeStaleLease, http.StatusConflict, "The lease is stale",
		"The lease token is not that of the present attempt: the lease ran out, or the attempt was settled already, or the task was replaced. Drop the result; if the lease ran out, the task is tried again.",
	},
	{
		wire.ProblemCodeRevisionMismatch, http.StatusPreconditionFailed, "The revision is another by now",
		"`If-Match` names a revision that is no longer, or not yet, the present one. Read it again and decide anew.",
	},
	{
		wire.ProblemCodeBodyTooLarge, http.StatusRequestEntityTooLarge, "The body is too large",
		"The body, one line of a batch, or the payload in it is over the limit that `detail` names. Nothing of it was taken.",
	},
	{
		wire.ProblemCodeBatchTooLarge, http.StatusRequestEntityTooLarge, "The batch has too many items",
		"A batch has at most as many items as `detail` names. Nothing of it was taken: send it in parts.",
	},
	{
		wire.ProblemCodeUnsupportedMediaType, http.StatusUnsupportedMediaType, "The content type is not taken here",
		"Bodies are `application/json` or a `+json` type, and for `tasks:batch` also `application/x-ndjson`, without a content encoding. curl's default type is taken for JSON.",
	},
	{
		wire.ProblemCodeInternal, http.StatusInternalServerError, "Something went wrong inside",
		"A defect, or a store that failed. The daemon's log says more. It is open whether the call had its effect: read the task, or repeat the call under the same key, which is safe.",
	},
	{
		wire.ProblemCodeDraining, http.StatusServiceUnavailable, "The daemon is stopping",
		"It hands out no more tasks. Ask another node, or again after the restart.",
	},
	{
		wire.ProblemCodeUnavailable, http.StatusServiceUnavailable, "Not available now",
		"The call was given up before it ended, or the scheduler is closed, or its shard moved to another node. It is open whether it had its effect. Try again soon.",
	},
}

// problem is an error that knows its code.
type problem struct {
	code   wire.ProblemCode
	detail string
}

func (p *problem) Error() string { return p.detail }

func problemf(code wire.ProblemCode, format string, args ...any) error {
	return &problem{code, fmt.Sprintf(format, args...)}
}

// fault is the error for one wrong field.
func fault(field, format string, args ...any) error {
	return task.Invalid{{Field: field, Reason: fmt.Sprintf(format, args...)}}
}

// known are the errors of lower floors that have a code of their own.
var known = []struct {
	err  error
	code wire.ProblemCode
}{
	{scheduler.ErrNotFound, wire.ProblemCodeNotFound},
	{scheduler.ErrAlreadyExists, wire.ProblemCodeAlreadyExists},
	{scheduler.ErrAlreadyClaimed, wire.ProblemCodeAlreadyClaimed},
	{scheduler.ErrNoSchedule, wire.ProblemCodeNotFound},
	{scheduler.ErrScheduleExists, wire.ProblemCodeAlreadyExists},
	{scheduler.ErrOverlap, wire.ProblemCodeOverlap},
	{scheduler.ErrStaleLease, wire.ProblemCodeStaleLease},
	{scheduler.ErrDraining, wire.ProblemCodeDraining},
	{scheduler.ErrClosed, wire.ProblemCodeUnavailable},
	{store.ErrClosed, wire.ProblemCodeUnavailable},
	{store.ErrFenced, wire.ProblemCodeUnavailable},
	{store.ErrHeld, wire.ProblemCodeUnavailable},
	{context.Canceled, wire.ProblemCodeUnavailable},
	{context.DeadlineExceeded, wire.ProblemCodeUnavailable},
}

// codeOf returns the code that stands for err.
func codeOf(err error) wire.ProblemCode {
	if p, ok := errors.AsType[*problem](err); ok {
		return p.code
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	switch {
	case is[task.Invalid](err):
		return wire.ProblemCodeInvalidRequest
	case is[*strictjson.SyntaxError](err):
		return wire.ProblemCodeMalformedBody
	case is[*http.MaxBytesError](err):
		return wire.ProblemCodeBodyTooLarge
	case is[*scheduler.StateError](err):
		return wire.ProblemCodeWrongState
	case is[*scheduler.RevisionError](err):
		return wire.ProblemCodeRevisionMismatch
	}
	return wire.ProblemCodeInternal
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// problemOf returns err as it goes over the wire.
func problemOf(err error) *wire.Problem {
	p := &wire.Problem{Code: codeOf(err), Detail: err.Error()}
	for _, c := range codes {
		if c.name == p.Code {
			p.Type, p.Title, p.Status = "urn:timewheel:problem:"+string(c.name), c.title, c.status
		}
	}
	if p.Code == wire.ProblemCodeInternal {
		p.Detail = "the daemon's log says what went wrong"
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Detail = fmt.Sprintf("the body is over the limit of %d bytes", e.Limit)
	}
	if faults, ok := errors.AsType[task.Invalid](err); ok {
		for _, f := range faults {
			p.Errors = append(p.Errors, wire.Fault{Field: f.Field, Reason: f.Reason})
		}
	}
	return p
}
