package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// pushes is a Pusher made of a function; it counts what runs at once.
type pushes struct {
	f func(ctx context.Context, l task.Lease) task.Outcome

	mu      sync.Mutex
	running map[string]int // guarded by mu: by queue, by host, and "" in all
	most    map[string]int // guarded by mu
	done    []task.Lease   // guarded by mu
	secrets []string       // guarded by mu
}

func newPushes(f func(ctx context.Context, l task.Lease) task.Outcome) *pushes {
	return &pushes{f: f, running: make(map[string]int), most: make(map[string]int)}
}

func (p *pushes) Push(ctx context.Context, l task.Lease, secrets []string) task.Outcome {
	p.count(l, 1)
	o := p.f(ctx, l)
	p.count(l, -1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = append(p.done, l)
	p.secrets = secrets
	return o
}

func (p *pushes) count(l task.Lease, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range []string{"", l.Task.Queue, l.Task.Host} {
		p.running[name] += n
		p.most[name] = max(p.most[name], p.running[name])
	}
}

// peak returns how many pushes of a queue, or to a host, ran at once at most.
func (p *pushes) peak(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most[name]
}

func (p *pushes) finished(queue string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.done {
		if l.Task.Queue == queue {
			n++
		}
	}
	return n
}

func (r *rig) scheduleWebhook(q, key, host string) {
	r.t.Helper()
	r.scheduleSpec(task.Spec{Queue: q, Key: key, Delay: time.Second, Timeout: 10 * time.Second, Webhook: &task.Webhook{URL: "http://" + host + "/x"}})
}

// Webhooks are pushed at their instant and never handed to workers; the queue
// gets a signing secret by itself.
func TestPush(t *testing.T) {
	p := newPushes(func(context.Context, task.Lease) task.Outcome { return success })
	bubble(t, scheduler.Options{Pusher: p}, func(t *testing.T, r *rig) {
		r.run()
		r.scheduleWebhook("q", "pushed", "shop.example")
		r.schedule("q", "pulled", time.Second)
		if l := r.next("q"); l.Task.Key != "pulled" {
			t.Errorf("a worker got %q", l.Task.Key)
		}
		synctest.Wait()
		r.wantState("q", "pushed", task.Completed)
		if p.finished("q") != 1 || len(p.secrets) != 1 || !strings.HasPrefix(p.secrets[0], "whsec_") {
			t.Errorf("pushed %d with secrets %q", p.finished("q"), p.secrets)
		}
		if ls := r.claim("q", 10, 0); len(ls) != 0 {
			t.Errorf("a worker got %d tasks more", len(ls))
		}
	})
}

// A dead endpoint holds up its own lane alone: other queues, and other hosts of
// the same queue, are served meanwhile. All limits hold.
func TestDeadEndpointDelaysNobodyElse(t *testing.T) {
	p := newPushes(func(ctx context.Context, l task.Lease) task.Outcome {
		if l.Task.Host == "dead.example" {
			<-ctx.Done()
			return task.Outcome{Verdict: task.Failed, Error: "no answer"}
		}
		time.Sleep(time.Millisecond)
		return success
	})
	o := scheduler.Options{Pusher: p, Limits: scheduler.PushLimits{Node: 24, Queue: 16, Host: 8}}
	bubble(t, o, func(t *testing.T, r *rig) {
		r.run()
		const n = 300
		for i := range n {
			r.scheduleWebhook("mixed", fmt.Sprint("dead", i), "dead.example")
		}
		for i := range n {
			r.scheduleWebhook("mixed", fmt.Sprint("live", i), "live.example")
			r.scheduleWebhook("other", fmt.Sprint(i), "other.example")
		}
		time.Sleep(time.Second + 100*time.Millisecond)
		synctest.Wait()
		if p.finished("other") != n || p.finished("mixed") != n {
			t.Errorf("within 100 ms %d of queue other and %d of the living host came through, want %d each", p.finished("other"), p.finished("mixed"), n)
		}
		for name, limit := range map[string]int{"": 24, "mixed": 16, "other": 16, "dead.example": 8, "live.example": 8} {
			if p.peak(name) > limit {
				t.Errorf("%d pushes of %q ran at once, want %d at most", p.peak(name), name, limit)
			}
		}
		if p.peak("dead.example") != 8 {
			t.Errorf("%d pushes to the dead host ran at once, want all 8 slots used", p.peak("dead.example"))
		}
	})
}

// Everything comes through in the end, whichever gate it was stopped at.
func TestNoPushIsForgotten(t *testing.T) {
	p := newPushes(func(context.Context, task.Lease) task.Outcome {
		time.Sleep(time.Millisecond)
		return success
	})
	bubble(t, scheduler.Options{Pusher: p, Limits: scheduler.PushLimits{Node: 5, Queue: 3, Host: 2}}, func(t *testing.T, r *rig) {
		r.run()
		const n = 600
		for i := range n {
			r.scheduleWebhook(fmt.Sprint("q", i%7), fmt.Sprint(i), fmt.Sprint("h", i%5))
		}
		time.Sleep(time.Second + n*time.Millisecond)
		synctest.Wait()
		if got := len(p.done); got != n {
			t.Errorf("%d of %d pushes came through", got, n)
		}
		if st := r.Stats(); st.Pushing != 0 || st.Ready != 0 {
			t.Errorf("left over: %+v", st)
		}
	})
}

// A paused queue hands out nothing; resumed, it goes on where it was.
func TestPause(t *testing.T) {
	p := newPushes(func(context.Context, task.Lease) task.Outcome { return success })
	bubble(t, scheduler.Options{Pusher: p}, func(t *testing.T, r *rig) {
		r.run()
		pause := func(paused bool) {
			if _, err := r.UpdateQueue(t.Context(), "q", func(q *task.Queue) error { q.Paused = paused; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		pause(true)
		r.scheduleWebhook("q", "pushed", "h")
		r.schedule("q", "pulled", 0)
		if ls := r.claim("q", 1, 5*time.Second); len(ls) > 0 || p.finished("q") > 0 {
			t.Errorf("a paused queue handed out %d tasks and pushed %d", len(ls), p.finished("q"))
		}
		r.wantState("q", "pushed", task.Ready)
		time.AfterFunc(time.Second, func() { pause(false) })
		r.claimOne("q", 2*time.Second)
		synctest.Wait()
		r.wantState("q", "pushed", task.Completed)
	})
}

// On the way out running pushes are awaited; those that take too long are
// cancelled, and their tasks are due again at once, without a failure.
func TestDrain(t *testing.T) {
	p := newPushes(func(ctx context.Context, l task.Lease) task.Outcome {
		if l.Task.Key == "slow" {
			<-ctx.Done()
			return task.Outcome{Verdict: task.Failed, Error: "cut short"}
		}
		time.Sleep(2 * time.Second)
		return success
	})
	bubble(t, scheduler.Options{Pusher: p, DrainTimeout: 5 * time.Second}, func(t *testing.T, r *rig) {
		r.run()
		r.scheduleWebhook("q", "slow", "h")
		r.scheduleWebhook("q", "quick", "h")
		time.Sleep(1500 * time.Millisecond)
		claimed := make(chan error)
		go func() {
			_, err := r.Claim(t.Context(), scheduler.ClaimRequest{Queue: "other", Wait: scheduler.MaxWait})
			claimed <- err
		}()
		synctest.Wait()
		began := time.Now()
		go r.end()
		if err := <-claimed; !errors.Is(err, scheduler.ErrDraining) {
			t.Errorf("a waiting claim ended with %v", err)
		}
		r.end()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("draining took %s, want 5s", took)
		}
		r.wantState("q", "quick", task.Completed)
		slow, err := r.Get(t.Context(), "q", "slow")
		if err != nil || slow.State.Finished() || slow.State == task.Leased || slow.Failures != 0 {
			t.Errorf("the slow task is %+v, %v", slow, err)
		}
	})
}

// After a crash, pushes that were under way are repeated at once, not when
// their leases run out; a worker's lease stays.
func TestAbandonedPushesAreRepeatedAtOnce(t *testing.T) {
	p := newPushes(func(ctx context.Context, l task.Lease) task.Outcome {
		if l.Task.Attempt == 1 {
			<-ctx.Done()
		}
		return success
	})
	bubble(t, scheduler.Options{Pusher: p, DrainTimeout: time.Millisecond}, func(t *testing.T, r *rig) {
		disk := &faulty{Store: r.store}
		r.store = disk
		r.reopen()
		r.run()
		r.scheduleWebhook("q", "pushed", "h")
		r.schedule("q", "pulled", 0)
		l := r.next("q")
		time.Sleep(time.Second)
		synctest.Wait()
		disk.before.Store(true) // nothing is stored any more: as good as killed
		r.reopen()
		disk.before.Store(false)
		r.wantState("q", "pushed", task.Leased)
		r.reopen()
		r.run()
		synctest.Wait()
		got, err := r.Get(t.Context(), "q", "pushed")
		if err != nil || got.State != task.Completed || got.Attempt != 2 || got.Failures != 0 {
			t.Errorf("the push that was under way is now %+v, %v", got, err)
		}
		r.mustSettle(l, success)
	})
}
