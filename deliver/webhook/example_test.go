package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

func ExampleDeliverer_Push() {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("attempt", r.Header.Get("Timewheel-Attempt"), "at key", r.Header.Get("Timewheel-Key"))
		w.Header().Set("Retry-After", "60")
		http.Error(w, "closed for lunch", http.StatusServiceUnavailable)
	}))
	defer receiver.Close()

	d := webhook.New(webhook.Options{UserAgent: "shop"})
	defer d.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	o := d.Push(ctx, task.Lease{Task: &task.Task{
		Queue:   "orders",
		Key:     "order 42",
		Attempt: 1,
		Body:    &task.Body{Webhook: &task.Webhook{URL: receiver.URL}},
	}}, nil)
	fmt.Println(o.Error)
	fmt.Println("not again before", o.After)
	// Output:
	// attempt 1 at key order%2042
	// the receiver answered 503 Service Unavailable: closed for lunch
	// not again before 1m0s
}
