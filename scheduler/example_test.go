package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// A shop closes an order that is not paid in time. With pebblestore.Open in
// place of memstore.New, the task survives a crash.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := scheduler.Open(ctx, memstore.New(16), scheduler.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Handle("orders", func(_ context.Context, t *task.Task) error {
		fmt.Printf("order %s was not paid: closing it (attempt %d)\n", t.Key, t.Attempt)
		stop()
		return nil
	}, scheduler.HandleOptions{})

	for _, key := range []string{"42", "43"} {
		if r := s.Schedule(ctx, scheduler.ScheduleRequest{Spec: task.Spec{
			Queue: "orders", Key: key, Delay: 100 * time.Millisecond, Payload: []byte(`{"order":` + key + `}`),
		}}); r.Err != nil {
			fmt.Println(r.Err)
		}
	}
	if _, err := s.Cancel(ctx, "orders", "43", 0); err == nil {
		fmt.Println("order 43 was paid")
	}
	if err := errors.Join(s.Run(ctx), s.Close()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// order 43 was paid
	// order 42 was not paid: closing it (attempt 1)
}

// A worker claims, works, and says how it went.
func ExampleScheduler_Claim() {
	ctx := context.Background()
	s, err := scheduler.Open(ctx, memstore.New(16), scheduler.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Schedule(ctx, scheduler.ScheduleRequest{Spec: task.Spec{Queue: "mail", Key: "welcome", Payload: []byte("hello")}})

	leases, err := s.Claim(ctx, scheduler.ClaimRequest{Queue: "mail", Max: 10, Wait: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range leases {
		fmt.Printf("sending %s\n", l.Task.Body.Payload)
		results, err := s.Settle(ctx, []scheduler.Settlement{{Token: l.Token, Outcome: task.Outcome{Verdict: task.Succeeded}}})
		fmt.Println(results[0].Task.State, err)
	}
	fmt.Println(s.Close())
	// Output:
	// sending hello
	// completed <nil>
	// <nil>
}
