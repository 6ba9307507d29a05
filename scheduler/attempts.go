package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// attempts are the pushes and handler calls that run in this process. Pushes are
// counted by the hub, as slots; handler calls by handling.
type attempts struct {
	handling sync.WaitGroup
	ctx      context.Context // done when the attempts are to be abandoned
	abandon  context.CancelCauseFunc

	mu      sync.Mutex
	running map[task.Token]context.CancelCauseFunc // guarded by mu
	revoked map[task.Token]bool                    // guarded by mu: attempts that were handed out and have not begun
}

// errAbandoned is the cause of a cancelled attempt when the scheduler stops.
var errAbandoned = errors.New("the scheduler is stopping")

// errRevoked is the cause of an attempt that was cancelled since another
// occurrence took its task's place.
var errRevoked = errors.New("a later occurrence of the schedule takes its place")

func (a *attempts) init() {
	a.ctx, a.abandon = context.WithCancelCause(context.Background())
	a.running = make(map[task.Token]context.CancelCauseFunc)
	a.revoked = make(map[task.Token]bool)
}

// begin returns the context of an attempt, which ends with all others or when the
// attempt is revoked, and what is to be called when it is over.
func (a *attempts) begin(token task.Token) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	a.mu.Lock()
	a.running[token] = cancel
	if a.revoked[token] {
		cancel(errRevoked)
	}
	delete(a.revoked, token)
	a.mu.Unlock()
	return ctx, func() {
		a.mu.Lock()
		delete(a.running, token)
		a.mu.Unlock()
		cancel(nil)
	}
}

// maxRevoked bounds the memory for attempts that never begin, since their claim
// failed.
const maxRevoked = 1000

// revoke ends an attempt of this process whose lease was taken away.
func (a *attempts) revoke(token task.Token) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.running[token]; cancel != nil {
		cancel(errRevoked)
		return
	}
	if len(a.revoked) >= maxRevoked {
		clear(a.revoked)
	}
	a.revoked[token] = true
}

// end waits for all running attempts, and abandons them when the time is up, at
// once if timeUp is nil. Abandoned ones end with their leases released. The hub
// drains already, and the handlers' loops have ended.
func (a *attempts) end(h *hub, timeUp <-chan time.Time) {
	handled := make(chan struct{})
	go func() {
		a.handling.Wait()
		close(handled)
	}()
	for _, done := range []<-chan struct{}{handled, h.pushed()} {
		if timeUp != nil {
			select {
			case <-done:
				continue
			case <-timeUp:
				timeUp = nil
			}
		}
		a.abandon(errAbandoned)
		<-done
	}
}

// startPushes runs each lease in a goroutine of its own. The push slots were
// reserved.
func (a *attempts) startPushes(s *Scheduler, leases []task.Lease) {
	for _, l := range leases {
		ctx, end := a.begin(l.Token)
		go s.push(ctx, end, l)
	}
}

// push delivers one attempt and stores its outcome. Its slots stay taken until
// then, so that unstored outcomes do not pile up.
func (s *Scheduler) push(ctx context.Context, end func(), l task.Lease) {
	defer end()
	defer s.hub.releaseSlots(l.Task.Lane(), 1)
	s.settleOwn(l, s.pushOutcome(ctx, l))
}

func (s *Scheduler) pushOutcome(ctx context.Context, l task.Lease) (o task.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, l.Task.Timeout)
	defer cancel()
	settings, err := s.settings.get(ctx, l.Task.Queue)
	if err != nil {
		return task.Outcome{Verdict: task.Released}
	}
	defer func() {
		if p := recover(); p != nil {
			o = task.Outcome{Verdict: task.Failed, Error: fmt.Sprintf("the pusher panicked: %v", p)}
		}
	}()
	o = s.o.Pusher.Push(ctx, l, settings.SigningSecrets)
	if o.Verdict != task.Succeeded && errors.Is(context.Cause(ctx), errAbandoned) {
		return task.Outcome{Verdict: task.Released}
	}
	return o
}

// settleOwn stores the outcome of an attempt that ran here. If the store fails
// it tries again until the lease runs out or the scheduler stops; the attempt is
// repeated then. A stale lease is no fault: an earlier try took effect, or the
// task was replaced meanwhile.
func (s *Scheduler) settleOwn(l task.Lease, o task.Outcome) {
	for {
		rs, err := s.Settle(context.Background(), []Settlement{{Token: l.Token, Outcome: o}})
		if err == nil {
			err = rs[0].Err
		}
		if err == nil || errors.Is(err, ErrStaleLease) {
			return
		}
		s.trouble("storing an outcome", err)
		if s.now() >= l.Until || !pause(s.attempts.ctx, retryPause) {
			return
		}
	}
}

// Run pushes webhooks and runs handlers until ctx is done. Then it drains:
// nothing more is claimed, waiting Claims end with ErrDraining, and running
// attempts are awaited for Options.DrainTimeout; those that are not done by
// then are cancelled, and their leases released, so that they are due again at
// once elsewhere. Workers' leases stay as they are. Run can be called once.
func (s *Scheduler) Run(ctx context.Context) error {
	if s.isClosed() {
		return ErrClosed
	}
	if s.o.Pusher != nil {
		s.hub.startPushing()
	}
	ctx, stopLoops := context.WithCancel(ctx)
	defer stopLoops()
	loops := s.handlers.start(ctx, s)
	select {
	case <-ctx.Done():
	case <-s.closed:
	}
	s.hub.drain()
	stopLoops()
	loops.Wait()
	timer := time.NewTimer(s.o.DrainTimeout)
	defer timer.Stop()
	s.attempts.end(s.hub, timer.C)
	return nil
}

func (s *Scheduler) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}
