package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// HandleOptions tune a handler. The zero value is ready to use.
type HandleOptions struct {
	// Concurrency bounds how many attempts of the queue run at once here.
	// Default: 16.
	Concurrency int
}

// handlers are the queues that this process works on itself.
type handlers struct {
	mu      sync.Mutex
	started bool                // guarded by mu
	byQueue map[string]*handler // guarded by mu
}

type handler struct {
	queue string
	f     HandlerFunc
	slots chan struct{} // one in it for each running attempt
}

// Handle has f run the attempts of queue's pull tasks in this process. It is
// to be called before Run, once for a queue; anything else is a bug of the
// program and panics.
func (s *Scheduler) Handle(queue string, f HandlerFunc, o HandleOptions) {
	if err := task.ValidateQueueName(queue); err != nil {
		panic("scheduler: Handle: " + err.Error())
	}
	setDefault(&o.Concurrency, 16)
	s.handlers.mu.Lock()
	defer s.handlers.mu.Unlock()
	if s.handlers.started || s.handlers.byQueue[queue] != nil || o.Concurrency < 0 {
		panic(fmt.Sprintf("scheduler: Handle(%q): call it before Run, once for a queue, with no negative Concurrency", queue))
	}
	if s.handlers.byQueue == nil {
		s.handlers.byQueue = make(map[string]*handler)
	}
	s.handlers.byQueue[queue] = &handler{queue: queue, f: f, slots: make(chan struct{}, o.Concurrency)}
}

// start runs a claiming loop for each handler; the group is done when all
// have ended, after ctx.
func (hs *handlers) start(ctx context.Context, s *Scheduler) *sync.WaitGroup {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.started = true
	var loops sync.WaitGroup
	for _, h := range hs.byQueue {
		loops.Go(func() { h.loop(ctx, s) })
	}
	return &loops
}

// loop claims as many tasks as there are free slots, again and again.
func (h *handler) loop(ctx context.Context, s *Scheduler) {
	for {
		free, ok := h.acquire(ctx)
		if !ok {
			return
		}
		leases, err := s.Claim(ctx, ClaimRequest{Queue: h.queue, Max: free, Wait: MaxWait, own: true})
		h.free(free - len(leases))
		for _, l := range leases {
			ctx, end := s.attempts.begin(l.Token)
			s.attempts.handling.Go(func() {
				defer h.free(1)
				defer end()
				s.settleOwn(l, h.run(ctx, l))
			})
		}
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, ErrDraining), errors.Is(err, ErrClosed):
			return
		default:
			s.trouble("claiming for a handler", err)
			if !pause(ctx, time.Second) {
				return
			}
		}
	}
}

// acquire waits for a free slot and takes all that are free.
func (h *handler) acquire(ctx context.Context) (n int, ok bool) {
	select {
	case h.slots <- struct{}{}:
		n = 1
	case <-ctx.Done():
		return 0, false
	}
	for n < MaxClaim {
		select {
		case h.slots <- struct{}{}:
			n++
		default:
			return n, true
		}
	}
	return n, true
}

func (h *handler) free(n int) {
	for range n {
		<-h.slots
	}
}

// run calls the handler for one attempt and turns what it returns into an
// outcome. A panic fails the attempt.
func (h *handler) run(ctx context.Context, l task.Lease) (o task.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, l.Task.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			o = task.Outcome{Verdict: task.Failed, Error: fmt.Sprintf("the handler panicked: %v", p)}
		}
	}()
	err := h.f(ctx, l.Task)
	var verdict *verdictError
	switch {
	case err == nil:
		return task.Outcome{Verdict: task.Succeeded}
	case errors.As(err, &verdict):
		return verdict.outcome
	case errors.Is(context.Cause(ctx), errAbandoned):
		return task.Outcome{Verdict: task.Released}
	}
	return task.Outcome{Verdict: task.Failed, Error: err.Error()}
}

// verdictError is how a handler says more than success or failure.
type verdictError struct{ outcome task.Outcome }

func (e *verdictError) Error() string { return e.outcome.Error }

// Snooze returns an error with which a handler puts its task off: it is due
// again after d, at most task.MaxRetention, and the attempt does not count as
// failed.
func Snooze(d time.Duration) error {
	return &verdictError{task.Outcome{Verdict: task.Snoozed, After: min(max(d, 0), task.MaxRetention), Error: "snoozed for " + d.String()}}
}

// Refuse returns an error with which a handler gives its task up: it is dead at
// once, because of err.
func Refuse(err error) error {
	return &verdictError{task.Outcome{Verdict: task.Refused, Error: err.Error()}}
}

// pause waits for d. It is false if ctx was done before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
