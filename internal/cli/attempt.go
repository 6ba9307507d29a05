package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// attempt runs the command for one task and settles what came of it.
func (w *worker) attempt(t client.ClaimedTask, received time.Time) {
	limit := w.Timeout
	if limit == 0 {
		limit = time.Duration(t.Timeout)
	}
	ctx, end := context.WithCancelCause(w.ctx)
	defer end(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it ran for longer than %s", limit))
	defer cancel()
	stopKeeping := w.keep(t.LeaseToken, received, end)
	defer stopKeeping()

	e := execution{
		line: w.Exec, env: append(slices.Clip(w.environ), taskEnv(t)...), stdin: payload(t),
		out: w.out, err: w.err, grace: w.KillAfter,
	}
	w.conclude(t, w.verdict(e.run(ctx), t.LeaseToken), time.Since(received))
}

// giveBack releases a task that was not begun.
func (w *worker) giveBack(t client.ClaimedTask) {
	w.conclude(t, w.verdict(ending{fault: errStopping}, t.LeaseToken), 0)
}

// conclude says the verdict to the daemon and to the log.
func (w *worker) conclude(t client.ClaimedTask, v verdict, took time.Duration) {
	log := w.log.With("key", t.Key, "attempt", t.Attempt, "took", took.Round(time.Millisecond).String())
	if err := w.settle(v.settle); err != nil {
		log.Warn("the outcome could not be stored: the task is tried again when its lease has run out", "outcome", v.outcome, "err", explain(err))
		return
	}
	log.Info("attempt ended", "outcome", v.outcome)
}

// taskEnv is what a command is told of its task.
func taskEnv(t client.ClaimedTask) []string {
	env := []string{
		"TIMEWHEEL_QUEUE=" + t.Queue,
		"TIMEWHEEL_KEY=" + t.Key,
		"TIMEWHEEL_ID=" + t.ID,
		"TIMEWHEEL_ATTEMPT=" + strconv.FormatUint(uint64(t.Attempt), 10),
		"TIMEWHEEL_DUE=" + instant(t.Due),
		"TIMEWHEEL_EPOCH=" + strconv.FormatUint(t.Epoch, 10),
	}
	if t.Schedule != "" {
		env = append(env,
			"TIMEWHEEL_SCHEDULE="+t.Schedule,
			"TIMEWHEEL_OCCURRENCE="+instant(t.Occurrence),
			"TIMEWHEEL_MISSED="+strconv.FormatUint(uint64(t.Missed), 10))
	}
	return env
}

func payload(t client.ClaimedTask) []byte {
	if t.Payload != nil {
		return t.Payload
	}
	return t.PayloadBase64
}

// verdict is what an ending means: a word for the log, and the call that says
// it to the daemon, nil if there is nothing to say.
type verdict struct {
	outcome string
	settle  settleCall
}

type settleCall func(ctx context.Context) error

func (w *worker) verdict(e ending, token string) verdict {
	switch {
	case errors.Is(e.fault, errLeaseLost):
		return verdict{"lease lost", nil}
	case errors.Is(e.fault, errStopping):
		return verdict{"released", w.snoozed(token, 0)}
	case e.fault != nil:
		return verdict{"failed", w.failed(token, e.fault.Error(), e, false)}
	case e.code == 0:
		return verdict{"completed", w.completed(token, e.output)}
	case e.code == exitTempFail:
		return verdict{"snoozed", w.snoozed(token, w.Snooze)}
	}
	dead := e.code == exitDataError
	outcome := "failed"
	if dead {
		outcome = "dead"
	}
	return verdict{outcome, w.failed(token, "exit code "+strconv.Itoa(e.code), e, dead)}
}

func (w *worker) snoozed(token string, d time.Duration) settleCall {
	return func(ctx context.Context) error { return w.remote.Snooze(ctx, token, d) }
}

func (w *worker) completed(token, output string) settleCall {
	return func(ctx context.Context) error {
		resp, err := w.remote.CompleteBatch(ctx, []client.Complete{{LeaseToken: token, Output: output}})
		if err == nil && len(resp.Results) == 1 && resp.Results[0].Problem != nil {
			return resp.Results[0].Problem
		}
		return err
	}
}

// failed says why in few words, then what the command said last.
func (w *worker) failed(token, why string, e ending, dead bool) settleCall {
	text := strings.TrimSuffix(why+": "+e.tail, ": ")
	return func(ctx context.Context) error {
		return w.remote.Fail(ctx, client.Fail{LeaseToken: token, Error: text, Output: e.output, Dead: dead})
	}
}

// settle says an outcome to the daemon, again and again for as long as the
// lease may last if it can't be reached.
func (w *worker) settle(call settleCall) error {
	if call == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), w.Lease)
	defer cancel()
	for {
		err := call(ctx)
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		sleep(ctx, settlePause)
	}
}
