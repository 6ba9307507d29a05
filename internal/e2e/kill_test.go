package e2e

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// kills is how often the daemon is killed, at random moments.
const kills = 25

// ledger is what users of a daemon know: what was acknowledged to them, and
// what came.
type ledger struct {
	t *testing.T

	mu    sync.Mutex
	tasks map[string]*entry // guarded by mu
	next  int               // guarded by mu
	count map[string]int    // guarded by mu: what happened, for the log
}

type entry struct {
	due       time.Time // by the daemon's answer
	acked     bool
	cancelled bool // acknowledged
	completed bool // acknowledged
	unsure    bool // a cancellation got no answer: it may have taken effect
	attempts  map[int]bool
}

func (l *ledger) newKey() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	key := strconv.Itoa(l.next)
	l.tasks[key] = &entry{attempts: make(map[int]bool)}
	return key
}

// note changes what is known of a task.
func (l *ledger) note(key, what string, change func(e *entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[what]++
	change(l.tasks[key])
}

// delivered judges one delivery.
func (l *ledger) delivered(key string, attempt int, due time.Time) {
	now := time.Now()
	l.note(key, "delivered", func(e *entry) {
		switch {
		case now.Before(due):
			l.t.Errorf("task %s came %s early", key, due.Sub(now))
		case e.cancelled:
			l.t.Errorf("task %s came after its cancellation was acknowledged", key)
		case e.completed:
			l.t.Errorf("task %s came after its completion was acknowledged", key)
		case e.attempts[attempt]:
			l.t.Errorf("task %s came twice as attempt %d", key, attempt)
		}
		e.attempts[attempt] = true
	})
}

// some returns the key of a random task that was acknowledged, "" if none was.
func (l *ledger) some() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range l.tasks { // in random order
		if e.acked && !e.cancelled && len(e.attempts) == 0 {
			return key
		}
	}
	return ""
}

// schedule keeps scheduling tasks, half of them for the webhook, due within two
// seconds.
func (l *ledger) schedule(ctx context.Context, d *daemon, hook string) {
	for ctx.Err() == nil {
		key := l.newKey()
		t := client.NewTask{
			Queue: "q", Key: key, Delay: client.In(rand.N(2 * time.Second)), Timeout: client.Duration(5 * time.Second),
			Retry: client.Retry{MaxAttempts: 1000, MinBackoff: client.Duration(10 * time.Millisecond), MaxBackoff: client.Duration(50 * time.Millisecond)},
		}
		if rand.IntN(2) == 0 {
			t.Webhook = &client.Webhook{URL: hook}
		}
		got, err := d.Schedule(ctx, t)
		if err != nil {
			time.Sleep(5 * time.Millisecond) // the daemon is down
			continue
		}
		l.note(key, "scheduled", func(e *entry) { e.due, e.acked = got.Due, true })
	}
}

func (l *ledger) cancel(ctx context.Context, d *daemon) {
	for ctx.Err() == nil {
		time.Sleep(2 * time.Millisecond)
		key := l.some()
		if key == "" {
			continue
		}
		err := d.Cancel(ctx, "q", key)
		var answered *client.Problem
		switch {
		case err == nil:
			l.note(key, "cancelled", func(e *entry) { e.cancelled = true })
		case errors.Is(err, syscall.ECONNREFUSED): // the daemon is down
			time.Sleep(5 * time.Millisecond)
		case !errors.As(err, &answered):
			l.note(key, "unsure", func(e *entry) { e.unsure = true })
		}
	}
}

func (l *ledger) work(ctx context.Context, d *daemon) {
	for ctx.Err() == nil {
		tasks, err := d.Claim(ctx, "q", client.ClaimRequest{Max: 5, Wait: client.Duration(time.Second), Lease: client.Duration(5 * time.Second)})
		if err != nil {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		for _, t := range tasks {
			l.delivered(t.Key, int(t.Attempt), t.Due)
			if rand.IntN(10) == 0 {
				_ = d.Fail(ctx, client.Fail{LeaseToken: t.LeaseToken, Error: "no luck"}) // whether it is heard or not, the task comes again
			} else if d.Complete(ctx, t.LeaseToken) == nil {
				l.note(t.Key, "completed", func(e *entry) { e.completed = true })
			}
		}
	}
}

func (l *ledger) receive(w http.ResponseWriter, r *http.Request) {
	attempt, err := strconv.Atoi(r.Header.Get("Timewheel-Attempt"))
	due, err2 := time.Parse(time.RFC3339Nano, r.Header.Get("Timewheel-Due"))
	if err != nil || err2 != nil {
		l.t.Errorf("headers %v", r.Header)
		return
	}
	l.delivered(r.Header.Get("Timewheel-Key"), attempt, due)
	if rand.IntN(10) == 0 {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// Killed with -9 at random moments, over and over, while tasks are scheduled,
// cancelled, pushed, claimed and completed: nothing acknowledged is lost,
// nothing comes early, nothing comes after an acknowledged cancellation or completion,
// and what comes twice comes as a higher attempt.
func TestKill(t *testing.T) {
	d := start(t)
	l := &ledger{t: t, tasks: make(map[string]*entry), count: make(map[string]int)}
	hook := httptest.NewServer(http.HandlerFunc(l.receive))
	defer hook.Close()

	users, stopUsers := context.WithCancel(t.Context())
	workers, stopWorkers := context.WithCancel(t.Context())
	var using, working sync.WaitGroup
	for range 4 {
		using.Go(func() { l.schedule(users, d, hook.URL) })
		working.Go(func() { l.work(workers, d) })
	}
	using.Go(func() { l.cancel(users, d) })

	for range kills {
		time.Sleep(50*time.Millisecond + rand.N(400*time.Millisecond))
		d.kill()
		d.serve()
	}
	stopUsers()
	using.Wait()
	d.awaitQuiet("q")
	stopWorkers()
	working.Wait()
	l.audit()
}

// awaitQuiet waits until the daemon has nothing left to do in a queue.
func (d *daemon) awaitQuiet(queue string) {
	d.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); d.pending(queue) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("%d tasks are still pending", d.pending(queue))
		}
	}
}

// audit looks for what was acknowledged and never came.
func (l *ledger) audit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := 0
	for key, e := range l.tasks {
		if e.acked && !e.cancelled && !e.unsure && len(e.attempts) == 0 {
			lost++
			l.t.Errorf("task %s, due %s, was acknowledged and lost", key, e.due)
		}
	}
	for _, what := range []string{"scheduled", "cancelled", "delivered", "completed"} {
		if l.count[what] == 0 {
			l.t.Errorf("nothing was %s: the test tested nothing", what)
		}
	}
	l.t.Logf("%d kills, %v, %d lost", kills, l.count, lost)
}
