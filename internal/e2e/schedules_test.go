package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// arrivals is what came of occurrences: how often, by key.
type arrivals struct {
	t *testing.T

	mu  sync.Mutex
	got map[string]int // guarded by mu
}

func (a *arrivals) came(key string, at time.Time) {
	if now := time.Now(); now.Before(at) {
		a.t.Errorf("%s came %s early", key, at.Sub(now))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got[key]++
}

func (a *arrivals) receive(w http.ResponseWriter, r *http.Request) {
	at, err := time.Parse(time.RFC3339Nano, r.Header.Get("Timewheel-Occurrence"))
	if err != nil || r.Header.Get("Timewheel-Schedule") == "" {
		a.t.Errorf("headers %v", r.Header)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	a.came(r.Header.Get("Timewheel-Key"), at)
}

func (a *arrivals) work(ctx context.Context, d *daemon) {
	for ctx.Err() == nil {
		tasks, err := d.Claim(ctx, "ticks", client.ClaimRequest{Max: 10, Wait: client.Duration(time.Second), Lease: client.Duration(2 * time.Second)})
		if err != nil {
			time.Sleep(5 * time.Millisecond) // the daemon is down
			continue
		}
		for _, t := range tasks {
			a.came(t.Key, t.Occurrence)
			_ = d.Complete(ctx, t.LeaseToken) // not heard, it comes again
		}
	}
}

// TestSchedulesOfTheRealDaemon kills the daemon at random moments, once for some
// seconds, while twenty schedules are due each second. Each second of each of them comes,
// and has one task.
func TestSchedulesOfTheRealDaemon(t *testing.T) {
	d := start(t)
	a := &arrivals{t: t, got: make(map[string]int)}
	hook := httptest.NewServer(http.HandlerFunc(a.receive))
	defer hook.Close()
	first := make(map[string]time.Time)
	for i := range 20 {
		s := client.NewSchedule{
			Queue: "ticks", Key: fmt.Sprint("tick-", i), Every: client.Duration(time.Second), Anchor: time.Unix(0, 0),
			Misfire: client.Misfire{Policy: "all", Limit: 1000},
			Task: client.ScheduleTask{Retry: client.Retry{
				MaxAttempts: 1000, MinBackoff: client.Duration(10 * time.Millisecond), MaxBackoff: client.Duration(50 * time.Millisecond),
			}},
		}
		if i%2 == 0 {
			s.Task.Webhook = &client.Webhook{URL: hook.URL}
		}
		put, err := d.PutSchedule(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		first[s.Key] = put.Next
	}
	workers, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() { a.work(workers, d) })
	}
	for i := range 10 {
		time.Sleep(100*time.Millisecond + rand.N(900*time.Millisecond))
		d.kill()
		if i == 5 {
			time.Sleep(3 * time.Second)
		}
		d.serve()
	}
	last := make(map[string]time.Time)
	for key := range first {
		s, err := d.PauseSchedule(t.Context(), "ticks", key)
		if err != nil {
			t.Fatal(err)
		}
		last[key] = s.Last
	}
	d.awaitQuiet("ticks")
	stop()
	working.Wait()
	for key := range first {
		a.audit(d, key, first[key], last[key])
	}
}

// audit compares a schedule's tasks and arrivals with the seconds that passed.
func (a *arrivals) audit(d *daemon, key string, first, last time.Time) {
	a.t.Helper()
	o, err := d.Occurrences(context.Background(), "ticks", key, client.OccurrencesOptions{N: 1000})
	if err != nil {
		a.t.Fatal(err)
	}
	made := make(map[time.Time]client.Task)
	for _, t := range o.Past {
		made[t.Occurrence] = t
	}
	n := 0
	for at := first; !at.After(last); at = at.Add(time.Second) {
		n++
		t, ok := made[at]
		switch {
		case !ok:
			a.t.Errorf("%s has no task for %s", key, at)
		case t.State != "completed" || a.got[t.Key] == 0:
			a.t.Errorf("%s is %s and came %d times", t.Key, t.State, a.got[t.Key])
		}
	}
	if n != len(made) || n != len(o.Past) {
		a.t.Errorf("%s has %d tasks for %d seconds", key, len(o.Past), n)
	}
}
