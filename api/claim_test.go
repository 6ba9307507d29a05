package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

func TestClaimWaits(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		c := online(t, d, "")
		start := time.Now()
		if got, err := c.Claim(t.Context(), "q", client.ClaimRequest{Wait: client.Duration(20 * time.Second)}); err != nil || len(got) > 0 || time.Since(start) != 20*time.Second {
			t.Errorf("%d tasks after %s: %v", len(got), time.Since(start), err)
		}
		if _, err := c.Schedule(t.Context(), client.NewTask{Queue: "q", Key: "1", Delay: client.In(5 * time.Second), Payload: []byte(`{"n": 1}`)}); err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		got, err := c.Claim(t.Context(), "q", client.ClaimRequest{Wait: client.Duration(time.Minute)})
		if err != nil || len(got) != 1 || string(got[0].Payload) != `{"n": 1}` || time.Since(start) != 5*time.Second {
			t.Errorf("%+v after %s: %v", got, time.Since(start), err)
		}
	})
}

// A claim whose client hangs up while it waits ends at once, and takes nothing
// with it.
func TestClaimOfAClientThatHangsUp(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		ended := make(chan struct{}, 2)
		watched := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			d.ServeHTTP(w, r)
			ended <- struct{}{}
		})
		c := online(t, watched, "")
		ctx, hangUp := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, hangUp)
		start := time.Now()
		if _, err := c.Claim(ctx, "q", client.ClaimRequest{Wait: client.Duration(time.Minute)}); !errors.Is(err, context.Canceled) {
			t.Errorf("Claim: %v", err)
		}
		<-ended
		if took := time.Since(start); took != time.Second {
			t.Errorf("the server noticed after %s", took)
		}
		d.do("PUT", "/v1/queues/q/tasks/1", `{"delay":"0s"}`).must(201)
		got, err := c.Claim(t.Context(), "q", client.ClaimRequest{Wait: client.Duration(time.Second)})
		if err != nil || len(got) != 1 || got[0].Attempt != 1 {
			t.Errorf("the next claim got %+v: %v", got, err)
		}
	})
}

// deaf is a client that is gone when the answer comes.
type deaf struct {
	*httptest.ResponseRecorder
	writes int // that succeed
}

var errGone = errors.New("connection reset")

func (d *deaf) Write(b []byte) (int, error) {
	if d.writes--; d.writes < 0 {
		return 0, errGone
	}
	return d.ResponseRecorder.Write(b)
}

func (d *deaf) FlushError() error {
	if d.writes <= 0 {
		return errGone
	}
	return nil
}

// What was claimed for a client that is gone when it is answered goes back at once.
func TestClaimThatCannotBeAnswered(t *testing.T) {
	for writes, name := range []string{"first byte", "flush"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, api.Options{}, func(t *testing.T, d *door) {
				d.do("PUT", "/v1/queues/q/tasks/1", `{"delay":"0s"}`).must(201)
				synctest.Wait()
				r := httptest.NewRequest(http.MethodPost, "/v1/queues/q:claim", strings.NewReader(`{}`))
				d.ServeHTTP(&deaf{httptest.NewRecorder(), writes}, r)
				mustBeBack(d)
			})
		})
	}
}

func mustBeBack(d *door) {
	d.t.Helper()
	synctest.Wait()
	back := read[wire.Task](d.do("GET", "/v1/queues/q/tasks/1", "").must(200))
	if back.State != wire.TaskStateReady || back.Failures != 0 {
		d.t.Errorf("the task is %s after %d failures, want it ready", back.State, back.Failures)
	}
}

// late is a Scheduler whose claim comes back when the client has gone.
type late struct {
	*scheduler.Scheduler
	hangUp context.CancelFunc
}

func (l late) Claim(ctx context.Context, r scheduler.ClaimRequest) ([]task.Lease, error) {
	leases, err := l.Scheduler.Claim(ctx, r)
	l.hangUp()
	return leases, err
}

func TestClaimThatComesTooLate(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		d.do("PUT", "/v1/queues/q/tasks/1", `{"delay":"0s"}`).must(201)
		synctest.Wait()
		ctx, hangUp := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/queues/q:claim", strings.NewReader(`{}`))
		api.New(late{d.Scheduler, hangUp}, api.Options{}).ServeHTTP(w, r)
		if w.Body.Len() > 0 {
			t.Errorf("the answer is %s", w.Body)
		}
		mustBeBack(d)
	})
}

// Large payloads go out as they come, not as one buffer.
func TestClaimOfLargePayloads(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		c := online(t, d, "")
		payload := []byte(`"` + strings.Repeat("x", 900_000) + `"`)
		for _, key := range []string{"1", "2", "3"} {
			if _, err := c.Schedule(t.Context(), client.NewTask{Queue: "q", Key: key, Delay: client.In(0), Payload: payload}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for total := 0; total < 3; {
			got, err := c.Claim(t.Context(), "q", client.ClaimRequest{Max: 3, Wait: client.Duration(time.Second)})
			if err != nil || len(got) == 0 {
				t.Fatalf("%d tasks: %v", len(got), err)
			}
			for _, g := range got {
				if string(g.Payload) != string(payload) {
					t.Errorf("task %s has %d bytes", g.Key, len(g.Payload))
				}
			}
			total += len(got)
		}
	})
}
