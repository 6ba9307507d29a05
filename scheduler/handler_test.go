package scheduler_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// What a handler returns decides what becomes of its task.
func TestHandlerVerdicts(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		var left atomic.Int64 // of the attempt's time
		r.Handle("q", func(ctx context.Context, tk *task.Task) error {
			deadline, _ := ctx.Deadline()
			left.Store(int64(time.Until(deadline)))
			switch tk.Key {
			case "fail":
				return errors.New("no luck")
			case "refuse":
				return scheduler.Refuse(errors.New("unknown customer"))
			case "snooze":
				return scheduler.Snooze(time.Hour)
			case "panic":
				panic("oh")
			case "slow":
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}, scheduler.HandleOptions{})
		r.run()
		for _, key := range []string{"fail", "refuse", "snooze", "panic", "fine", "slow"} {
			r.scheduleSpec(task.Spec{Queue: "q", Key: key, Timeout: 5 * time.Second, Retry: task.Retry{MinBackoff: time.Minute, MaxBackoff: time.Minute}})
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if got := time.Duration(left.Load()); got != 5*time.Second {
			t.Errorf("a handler has %s, want its task's timeout of 5s", got)
		}
		for key, want := range map[string]struct {
			state    task.State
			failures uint32
			err      string
		}{
			"fail":   {task.Scheduled, 1, "no luck"},
			"refuse": {task.Dead, 1, "unknown customer"},
			"snooze": {task.Scheduled, 0, ""},
			"panic":  {task.Scheduled, 1, "the handler panicked: oh"},
			"fine":   {task.Completed, 0, ""},
			"slow":   {task.Scheduled, 1, "context deadline exceeded"},
		} {
			got, err := r.Get(t.Context(), "q", key)
			if err != nil || got.State != want.state || got.Failures != want.failures || got.LastError != want.err {
				t.Errorf("%s is %+v, %v; want %+v", key, got, err, want)
			}
		}
	})
}

// A handler never runs more attempts at once than it was told.
func TestHandlerConcurrency(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		var mu sync.Mutex
		running, most, ran := 0, 0, 0 // guarded by mu
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			running += n
			most = max(most, running)
		}
		r.Handle("q", func(context.Context, *task.Task) error {
			count(1)
			time.Sleep(time.Second)
			count(-1)
			mu.Lock()
			defer mu.Unlock()
			ran++
			return nil
		}, scheduler.HandleOptions{Concurrency: 3})
		for i := range 10 {
			r.schedule("q", string(rune('a'+i)), 0)
		}
		r.run()
		time.Sleep(4*time.Second + time.Millisecond)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if most != 3 || ran != 10 {
			t.Errorf("%d at once, %d in all; want 3 and 10", most, ran)
		}
	})
}
