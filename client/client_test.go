package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

func hour() *client.Duration { return client.In(time.Hour) }

// A task through all its calls.
func TestTask(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		want := client.NewTask{
			Queue: "orders", Key: "a/b", Delay: hour(), Payload: []byte("{ \"n\":\n1, \"text\": \"<&>\" }"),
			Webhook: &client.Webhook{URL: "http://127.0.0.1:9000/?a=1&b=2", Headers: map[string]string{"X-A": "1"}},
			Retry:   client.Retry{MaxAttempts: 3}, Timeout: client.Duration(time.Minute), Retention: client.In(0), Metadata: map[string]string{"k": "v"},
		}
		made := must(c.Schedule(ctx, want))(t)
		if made.Replaced || made.Revision != 1 || made.State != client.Scheduled {
			t.Errorf("made %+v", made)
		}
		got := must(c.Get(ctx, "orders", "a/b"))(t)
		if string(got.Payload) != string(want.Payload) || got.Webhook.URL != want.Webhook.URL || got.Webhook.Headers["X-A"] != "1" || got.Metadata["k"] != "v" ||
			got.Retry.MaxAttempts != 3 || got.Timeout != want.Timeout || got.Retention != 0 || !got.Due.Equal(time.Now().Add(time.Hour)) {
			t.Errorf("got %+v", got)
		}
		if again := must(c.Schedule(ctx, want))(t); !again.Replaced || again.ID != made.ID || again.Revision != 2 {
			t.Errorf("again %+v", again)
		}
		due := time.Date(2000, 1, 1, 3, 0, 0, 1500, time.UTC)
		changed := must(c.Update(ctx, "orders", "a/b", client.Patch{Due: due, PayloadBase64: []byte{0, 255}, ContentType: "application/octet-stream", Metadata: map[string]string{}}, client.IfRevision(2)))(t)
		if want := due.Add(500 * time.Nanosecond); !changed.Due.Equal(want) {
			t.Errorf("due %s, want %s", changed.Due, want)
		}
		if got := must(c.Get(ctx, "orders", "a/b"))(t); string(got.PayloadBase64) != "\x00\xff" || got.ContentType != "application/octet-stream" || got.Payload != nil || len(got.Metadata) != 0 {
			t.Errorf("after the change %+v", got)
		}
		if now := must(c.Run(ctx, "orders", "a/b"))(t); now.Due.After(time.Now()) {
			t.Errorf("run: due %s", now.Due)
		}
		if err := c.Cancel(ctx, "orders", "a/b"); err != nil {
			t.Error(err)
		}
		if made := must(c.Schedule(ctx, client.NewTask{Queue: "orders", Delay: hour()}))(t); made.Key != made.ID || made.Replaced {
			t.Errorf("generated %+v", made)
		}
	})
}

// must returns the result of a call that has to succeed.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestWork(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		must(c.Schedule(ctx, client.NewTask{Queue: "mail", Key: "1", Delay: client.In(time.Minute)}))(t)
		claim := func(attempt uint32) client.ClaimedTask {
			t.Helper()
			for range 100 {
				got := must(c.Claim(ctx, "mail", client.ClaimRequest{Wait: client.Duration(time.Minute)}))(t)
				if len(got) == 0 {
					continue
				}
				if len(got) != 1 || got[0].Key != "1" || got[0].Attempt != attempt || got[0].Epoch == 0 {
					t.Fatalf("claimed %+v, want attempt %d", got, attempt)
				}
				return got[0]
			}
			t.Fatal("nothing to claim")
			return client.ClaimedTask{}
		}
		task := claim(1)
		if until := must(c.Renew(ctx, task.LeaseToken, 5*time.Minute))(t); !until.Equal(time.Now().Add(5 * time.Minute)) {
			t.Errorf("renewed until %s", until)
		}
		check(t, c.Snooze(ctx, task.LeaseToken, time.Hour))
		task = claim(2)
		check(t, c.Snooze(ctx, task.LeaseToken, 0))
		task = claim(3)
		check(t, c.Fail(ctx, client.Fail{LeaseToken: task.LeaseToken, Error: "no luck", RetryAfter: client.Duration(10 * time.Minute)}))
		if err := c.Complete(ctx, task.LeaseToken); !client.IsStaleLease(err) {
			t.Errorf("completing a failed attempt: %v", err)
		}
		task = claim(4)
		check(t, c.Fail(ctx, client.Fail{LeaseToken: task.LeaseToken, Error: "hopeless", Dead: true}))
		if got := must(c.Redrive(ctx, "mail", "1"))(t); got.State != client.Scheduled {
			t.Errorf("redriven to %s", got.State)
		}
		check(t, c.Complete(ctx, claim(5).LeaseToken))
		if got := must(c.Get(ctx, "mail", "1"))(t); got.State != client.Completed || got.LastError != "hopeless" {
			t.Errorf("in the end %+v", got)
		}
		answer := must(c.CompleteBatch(ctx, []client.Complete{{LeaseToken: task.LeaseToken}, {LeaseToken: "x"}}))(t)
		if answer.Failed != 2 || !client.IsStaleLease(answer.Results[0].Problem) || !client.IsInvalid(answer.Results[1].Problem) {
			t.Errorf("batch %+v", answer)
		}
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBatchAndLists(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		tasks := make([]client.NewTask, 2500)
		for i := range tasks {
			tasks[i] = client.NewTask{Queue: fmt.Sprintf("q%d", i%2), Key: fmt.Sprintf("%04d", i), Delay: hour(), Payload: []byte("{\n\"text\": \"a\\nb\"\r\n}")}
		}
		tasks[7].Delay = nil
		answer := must(c.ScheduleBatch(ctx, tasks))(t)
		if answer.Created != 2499 || answer.Failed != 1 || !client.IsInvalid(answer.Results[7].Problem) || answer.Results[8].Key != "0008" {
			t.Errorf("created %d, failed %d, %+v", answer.Created, answer.Failed, answer.Results[7])
		}
		if got := must(c.Get(ctx, "q0", "0000"))(t); string(got.Payload) != `{"text":"a\nb"}` {
			t.Errorf("payload %s", got.Payload)
		}
		for size, want := range map[int]int{0: 1250, 7: 1250, 1000: 1250} {
			list := c.List(ctx, "q0", client.ListOptions{PageSize: size})
			for range 2 { // a listing can be gone through again
				n, last := 0, ""
				for task, err := range list {
					if err != nil || task.Key <= last {
						t.Fatalf("%s after %s: %v", task.Key, last, err)
					}
					n, last = n+1, task.Key
				}
				if n != want {
					t.Errorf("page size %d: %d tasks, want %d", size, n, want)
				}
			}
		}
		for _, err := range c.List(ctx, "q0", client.ListOptions{State: client.Scheduled, DueBefore: time.Now()}) {
			t.Errorf("a task is due already: %v", err)
		}
		for _, err := range c.List(ctx, "q0", client.ListOptions{State: "asleep"}) {
			if !client.IsInvalid(err) {
				t.Errorf("list of no state: %v", err)
			}
		}
		lines := must(c.ScheduleLines(ctx, "q2", strings.NewReader(`{"key":"1","delay":"1h"}`+"\n{}\n")))(t)
		if lines.Created != 1 || lines.Failed != 1 {
			t.Errorf("lines %+v", lines)
		}
	})
}

func TestQueues(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		if _, err := c.Queue(ctx, "mail"); !client.IsNotFound(err) {
			t.Errorf("no queue yet: %v", err)
		}
		q := must(c.UpdateQueue(ctx, "mail", client.QueuePatch{Concurrency: new(5), Defaults: &client.QueueDefaults{Timeout: client.Duration(time.Minute), Retention: client.In(0)}}))(t)
		if q.Concurrency != 5 || q.Defaults.Timeout != client.Duration(time.Minute) || *q.Defaults.Retention != 0 {
			t.Errorf("made %+v", q)
		}
		if _, err := c.UpdateQueue(ctx, "mail", client.QueuePatch{Concurrency: new(6)}, client.IfRevision(q.Revision+1)); !client.IsRevisionMismatch(err) {
			t.Errorf("wrong revision: %v", err)
		}
		if q := must(c.Pause(ctx, "mail"))(t); !q.Paused || q.Concurrency != 5 {
			t.Errorf("paused %+v", q)
		}
		if q := must(c.Resume(ctx, "mail"))(t); q.Paused {
			t.Errorf("resumed %+v", q)
		}
		for i := range 5 {
			must(c.Schedule(ctx, client.NewTask{Queue: fmt.Sprintf("q%d", i), Delay: hour()}))(t)
		}
		var names []string
		for q, err := range c.Queues(ctx) {
			check(t, err)
			names = append(names, q.Name)
		}
		if got := strings.Join(names, " "); got != "mail q0 q1 q2 q3 q4" {
			t.Errorf("queues %s", got)
		}
		if n := must(c.Purge(ctx, "q0", client.Scheduled))(t); n != 1 {
			t.Errorf("purged %d", n)
		}
		if n := must(c.Purge(ctx, "q1", ""))(t); n != 1 {
			t.Errorf("purged %d", n)
		}
	})
}

func TestPredicates(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		must(c.Schedule(ctx, client.NewTask{Queue: "q", Key: "1", Delay: client.In(0)}))(t)
		synctest.Wait()
		must(c.Claim(ctx, "q", client.ClaimRequest{}))(t)
		_, taken := c.Schedule(ctx, client.NewTask{Queue: "q", Key: "1", Delay: hour(), IfAbsent: true})
		_, invalid := c.Schedule(ctx, client.NewTask{Queue: "q", Key: "1"})
		_, dead := c.Redrive(ctx, "q", "1")
		many := make([]client.NewTask, client.MaxBatch+1)
		_, large := c.ScheduleBatch(ctx, many)
		is := map[string]func(error) bool{
			"already exists": client.IsAlreadyExists, "already claimed": client.IsAlreadyClaimed, "not found": client.IsNotFound,
			"invalid": client.IsInvalid, "wrong state": client.IsWrongState, "revision": client.IsRevisionMismatch, "too large": client.IsTooLarge,
			"stale": client.IsStaleLease, "token": client.IsUnauthorized, "unavailable": client.IsUnavailable,
		}
		for want, err := range map[string]error{
			"already exists": taken, "already claimed": c.Cancel(ctx, "q", "1"), "not found": c.Cancel(ctx, "q", "2"), "invalid": invalid,
			"wrong state": dead, "revision": c.Cancel(ctx, "q", "1", client.IfRevision(9)), "too large": large,
		} {
			for name, is := range is {
				if got := is(fmt.Errorf("wrapped: %w", err)); got != (name == want) {
					t.Errorf("%v is %s: %v", err, name, got)
				}
			}
			if _, ok := errors.AsType[*client.Problem](err); !ok {
				t.Errorf("%v is no Problem", err)
			}
		}
	})
}

func TestToken(t *testing.T) {
	for token, want := range map[string]bool{"": false, "wrong": false, "s3cret": true} {
		bubble(t, token, func(t *testing.T, c *client.Client) {
			_, err := c.Queue(t.Context(), "q")
			if got := !client.IsUnauthorized(err); got != want {
				t.Errorf("token %q: %v", token, err)
			}
			check(t, c.Ready(t.Context()))
		})
	}
}

// What is no daemon's answer is an error that says what came.
func TestAnswersOfOthers(t *testing.T) {
	for body, want := range map[string]string{
		"<html>bad gateway</html>": "502 Bad Gateway: <html>bad gateway</html>",
		`{"error":"no"}`:           `502 Bad Gateway: {"error":"no"}`,
		"":                         "502 Bad Gateway: ",
	} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, body) // the client reads it, or the test fails
		})
		synctest.Test(t, func(t *testing.T) {
			serving(t, h, "", func(t *testing.T, c *client.Client) {
				_, err := c.Get(t.Context(), "q", "1")
				if p, ok := errors.AsType[*client.Problem](err); !ok || p.Detail != want || p.Status != 502 || client.IsUnavailable(err) {
					t.Errorf("%v", err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
		serving(t, h, "", func(t *testing.T, c *client.Client) {
			if _, err := c.Get(t.Context(), "q", "1"); err == nil || !strings.Contains(err.Error(), "reading the answer") {
				t.Errorf("%v", err)
			}
		})
	})
}

func TestContextEndsACall(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if _, err := c.Claim(ctx, "q", client.ClaimRequest{Wait: client.Duration(time.Minute)}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 3*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

// A payload that is no JSON would break the document around it.
func TestPayloadThatIsNoJSON(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		for _, payload := range []string{`{"a":1},"queue":"other"`, `{`, "x", " "} {
			task := client.NewTask{Queue: "q", Delay: hour(), Payload: []byte(payload)}
			if _, err := c.Schedule(t.Context(), task); err == nil || !strings.Contains(err.Error(), "payload") {
				t.Errorf("%q: %v", payload, err)
			}
			if _, err := c.ScheduleBatch(t.Context(), []client.NewTask{{Queue: "q", Delay: hour()}, task}); err == nil || !strings.Contains(err.Error(), "payload") {
				t.Errorf("%q in a batch: %v", payload, err)
			}
		}
		for q, err := range c.Queues(t.Context()) {
			t.Errorf("queue %s came into being: %v", q.Name, err)
		}
	})
}

func TestBaseURLs(t *testing.T) {
	for base, ok := range map[string]bool{
		"http://127.0.0.1:7390": true, "https://timewheel.example.com/": true, "http://proxy/timewheel": true,
		"127.0.0.1:7390": false, "": false, "ftp://x": false, "http://": false, "http://x?a=b": false, "http://x#y": false, "http://x:port": false,
	} {
		if _, err := client.New(base, client.Options{}); (err == nil) != ok {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// Many callers at once share as many connections, call after call.
func TestConnectionsAreUsedAgain(t *testing.T) {
	var mu sync.Mutex
	connections := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		mu.Unlock()
		_, _ = io.WriteString(w, `{"tasks":[]}`)
	}))
	defer server.Close()
	c := must(client.New(server.URL, client.Options{}))(t)
	defer c.Close()
	const callers = 64
	for range 3 {
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range 20 {
					if _, err := c.Claim(t.Context(), "q", client.ClaimRequest{}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	}
	if n := len(connections); n > 2*callers {
		t.Errorf("%d callers used %d connections", callers, n)
	}
}
