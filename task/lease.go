package task

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"
)

// Lease is one attempt handed to a worker: the right to settle it until Until.
type Lease struct {
	Task  *Task // with its Body
	Token Token
	Until Instant
	Epoch uint64 // of the shard when the attempt was claimed; only ever grows
}

// Token names one attempt of one task. Whoever holds it may settle the attempt
// while it is the present one.
type Token struct {
	Queue   string
	Key     string
	Attempt uint32
	Nonce   uint64
}

var errToken = errors.New("not a lease token: pass it on exactly as the claim returned it")

// String returns the token in the form that workers send back: URL-safe
// base64 of version, attempt, nonce, queue and key. Its inside is ours to change.
func (t Token) String() string {
	b := make([]byte, 0, 32+len(t.Queue)+len(t.Key))
	b = append(b, 1)
	b = binary.AppendUvarint(b, uint64(t.Attempt))
	b = binary.BigEndian.AppendUint64(b, t.Nonce)
	b = appendString(b, t.Queue)
	b = appendString(b, t.Key)
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseToken is the inverse of String.
func ParseToken(s string) (Token, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) == 0 || b[0] != 1 {
		return Token{}, errToken
	}
	r := reader{b: b[1:]}
	t := Token{Attempt: r.uint32(), Nonce: r.fixed64(), Queue: r.string(), Key: r.string()}
	if r.done() != nil {
		return Token{}, errToken
	}
	return t, nil
}

// Verdict is how an attempt ended.
type Verdict uint8

// The verdicts on an attempt.
const (
	Succeeded Verdict = iota + 1 // the task is completed
	Failed                       // try again after a backoff, if attempts are left
	Refused                      // the task is dead at once: trying again is no use
	Snoozed                      // not now: again after Outcome.After; costs no attempt
	Released                     // not run: due again at once; costs no attempt
)

// Outcome is the verdict on one attempt and its details.
type Outcome struct {
	Verdict Verdict
	Error   string        // for Failed and Refused: why
	Output  string        // the end of what the attempt wrote, kept with the task
	After   time.Duration // for Snoozed: how long; for Failed: at least how long, 0 leaves it to the Retry policy
}
