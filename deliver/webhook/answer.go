package webhook

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// Bounds on the body of an answer. What goes beyond them costs the connection,
// which is closed, and nothing else: the verdict is in the status.
const (
	maxAnswer  = 16 << 10        // bytes that are read, so that the connection can be used again
	answerTime = 2 * time.Second // how long the body may take after the head
	maxQuote   = 256             // bytes that are quoted in an error
)

// answered is the outcome of an attempt that was answered. It closes the body.
func answered(resp *http.Response, t *task.Task) task.Outcome {
	code := resp.StatusCode
	if code >= 200 && code < 300 {
		finish(resp.Body, 0)
		return task.Outcome{Verdict: task.Succeeded}
	}
	o := failed(describe(resp))
	switch code {
	case http.StatusGone:
		o.Verdict = task.Refused
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		o.After = retryAfter(resp.Header, t.Fired.Time())
	}
	return o
}

// describe says what the receiver answered. The words for the status are ours;
// the receiver's own are quoted after them, up to a limit.
func describe(resp *http.Response) string {
	what := fmt.Sprintf("the receiver answered %d", resp.StatusCode)
	if name := http.StatusText(resp.StatusCode); name != "" {
		what += " " + name
	}
	quote := printable(finish(resp.Body, maxQuote), maxQuote)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		what += "; redirects are not followed: give the final URL"
		quote = printable(resp.Header.Get("Location"), maxQuote)
	}
	if quote == "" {
		return what
	}
	return what + ": " + quote
}

// finish ends the reading of an answer and returns the first bytes of it, up to
// keep. A connection whose answer was read to its end is used again.
func finish(body io.ReadCloser, keep int) string {
	if body == http.NoBody {
		return ""
	}
	// Closing ends a Read that waits. Neither Close has an error that matters
	// here: all that can go wrong is that the connection is not used again.
	late := time.AfterFunc(answerTime, func() { _ = body.Close() })
	defer func() { late.Stop(); _ = body.Close() }()
	var head []byte
	if keep > 0 {
		head, _ = io.ReadAll(io.LimitReader(body, int64(keep))) // cut short is as good
	}
	_, _ = io.CopyN(io.Discard, body, maxAnswer-int64(len(head))+1) // one more than allowed, to see the end
	return string(head)
}
