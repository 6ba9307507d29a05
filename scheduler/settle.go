package scheduler

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/timewheel-dev/timewheel/internal/backoff"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// backoffJitter spreads retries, by so much of the wait both ways, so that what
// failed together does not come back together.
const backoffJitter = 0.2

// Settle ends or extends leased attempts, each for itself: result i says what
// became of settlement i. It returns when all are durable.
func (s *Scheduler) Settle(ctx context.Context, ss []Settlement) ([]SettleResult, error) {
	if len(ss) > MaxBatch {
		return nil, task.Invalid{{Field: "leases", Reason: fmt.Sprintf("must not be over %d in one batch, got %d", MaxBatch, len(ss))}}
	}
	ops := make([]*settleOp, len(ss))
	results := make([]SettleResult, len(ss))
	groups := newGroups(len(s.shards))
	for i := range ss {
		if err := ss[i].validate(); err != nil {
			results[i].Err = err
			continue
		}
		ops[i] = &settleOp{Settlement: ss[i]}
		groups.add(s.shardOf(ss[i].Token.Queue, ss[i].Token.Key).n, i, ops[i], 0)
	}
	s.doGroups(ctx, groups, func(i int, err error) { results[i].Err = err })
	for i, o := range ops {
		if o != nil && results[i].Err == nil {
			results[i] = o.result
		}
	}
	return results, nil
}

func (st *Settlement) validate() error {
	o := &st.Outcome
	switch {
	case st.Renew < 0 || st.Renew > task.MaxTimeout:
		return task.Invalid{{Field: "lease", Reason: fmt.Sprintf("must be over 0s and at most %s, got %s", task.MaxTimeout, st.Renew)}}
	case st.Renew > 0:
		return nil
	case o.Verdict < task.Succeeded || o.Verdict > task.Released:
		return task.Invalid{{Field: "verdict", Reason: fmt.Sprintf("must be one of the five, got %d", o.Verdict)}}
	case o.After < 0 || o.After > task.MaxRetention:
		return task.Invalid{{Field: "delay", Reason: fmt.Sprintf("must be from 0s to %s, got %s", task.MaxRetention, o.After)}}
	}
	return nil
}

type settleOp struct {
	Settlement
	result SettleResult
}

func (o *settleOp) ref() store.Ref { return store.Ref{Queue: o.Token.Queue, Key: o.Token.Key} }

func (o *settleOp) target() target { return target{Ref: o.ref()} }

func (o *settleOp) fail(err error) { o.result.Err = err }

func (o *settleOp) apply(_ context.Context, tx *tx) error {
	r := tx.records[o.ref()]
	t := r.cur
	if t == nil || t.State != task.Leased || t.Attempt != o.Token.Attempt || t.Nonce != o.Token.Nonce {
		o.result.Err = ErrStaleLease
		return nil
	}
	if o.Renew > 0 {
		t = t.Clone()
		t.Next = tx.now.Add(o.Renew)
		tx.put(r, t)
		o.result.Task = t
		return nil
	}
	o.result.Task = tx.settle(r, o.Outcome, false)
	return nil
}

// settle moves a leased record on by the outcome of its attempt. A lease that
// ran out has used up time enough: its task is due again without a backoff.
func (tx *tx) settle(r *record, o task.Outcome, ranOut bool) *task.Task {
	t := r.cur.Clone()
	o.Error = clipError(o.Error)
	t.Output = clipOutput(o.Output)
	switch o.Verdict {
	case task.Succeeded:
		t.State = task.Completed
		tx.conclude(r, t, t.Retention)
	case task.Snoozed:
		tx.reschedule(r, t, tx.up.Add(o.After))
	case task.Released:
		tx.reschedule(r, t, tx.now)
	case task.Failed, task.Refused:
		t.Failures++
		t.LastError = o.Error
		switch {
		case o.Verdict == task.Refused || t.Failures >= t.Retry.MaxAttempts:
			t.State = task.Dead
			tx.conclude(r, t, max(t.Retention, task.DeadRetention))
		case ranOut:
			tx.reschedule(r, t, tx.now)
		default:
			tx.reschedule(r, t, tx.up.Add(max(o.After, retryDelay(t))))
		}
	}
	if f := tx.sh.s.o.Events.Settled; f != nil {
		tx.then(func() { f(t, o) })
	}
	return t
}

// retryDelay returns how long a task that failed waits for its next attempt.
func retryDelay(t *task.Task) time.Duration {
	p := backoff.Policy{Min: t.Retry.MinBackoff, Max: t.Retry.MaxBackoff, Jitter: backoffJitter}
	return backoff.Delay(p, int(t.Failures), rand.Float64())
}

// clipOutput keeps the end of what an attempt wrote, as valid UTF-8.
func clipOutput(s string) string {
	if over := len(s) - task.MaxOutputLen; over > 0 {
		s = s[over:]
		for s != "" && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= task.MaxOutputLen {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-task.MaxOutputLen:], "")
}

// clipError keeps what is stored of an error short and valid UTF-8.
func clipError(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= task.MaxErrorLen {
		return s
	}
	return strings.ToValidUTF8(s[:task.MaxErrorLen], "")
}
