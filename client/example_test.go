package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"time"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/memstore"
)

// A daemon for the example; yours is started with timewheel serve.
func daemon() (url string, stop func()) {
	s, err := scheduler.Open(context.Background(), memstore.New(4), scheduler.Options{})
	if err != nil {
		log.Panic(err)
	}
	server := httptest.NewServer(api.New(s, api.Options{}))
	return server.URL, func() {
		server.Close()
		if err := s.Close(); err != nil {
			log.Print(err)
		}
	}
}

func Example() {
	url, stop := daemon()
	defer stop()
	ctx := context.Background()

	c, err := client.New(url, client.Options{}) // http://127.0.0.1:7390
	if err != nil {
		log.Panic(err)
	}
	defer c.Close()

	// Close the order if it is not paid in half an hour.
	_, err = c.Schedule(ctx, client.NewTask{Queue: "orders", Key: "42", Delay: client.In(30 * time.Minute), Payload: []byte(`{"order":42}`)})
	if err != nil {
		log.Panic(err)
	}

	// It was paid.
	if err := c.Cancel(ctx, "orders", "42"); err != nil {
		log.Panic(err)
	}
	task, err := c.Get(ctx, "orders", "42")
	if err != nil {
		log.Panic(err)
	}
	fmt.Printf("order %s: %s, payload %s\n", task.Key, task.State, task.Payload)

	err = c.Cancel(ctx, "orders", "43")
	fmt.Println("not found:", client.IsNotFound(err))
	// Output:
	// order 42: cancelled, payload {"order":42}
	// not found: true
}

func ExampleClient_Claim() {
	url, stop := daemon()
	defer stop()
	ctx := context.Background()
	c, err := client.New(url, client.Options{})
	if err != nil {
		log.Panic(err)
	}
	defer c.Close()
	if _, err := c.Schedule(ctx, client.NewTask{Queue: "mail", Key: "hello", Delay: client.In(10 * time.Millisecond)}); err != nil {
		log.Panic(err)
	}

	tasks, err := c.Claim(ctx, "mail", client.ClaimRequest{Max: 10, Wait: client.Duration(time.Minute)})
	if err != nil {
		log.Panic(err)
	}
	for _, t := range tasks {
		fmt.Println("attempt", t.Attempt, "of", t.Key)
		if err := c.Complete(ctx, t.LeaseToken); err != nil {
			log.Panic(err) // the lease ran out: somebody else has the task
		}
	}
	// Output:
	// attempt 1 of hello
}

func ExampleClient_PutSchedule() {
	url, stop := daemon()
	defer stop()
	ctx := context.Background()
	c, err := client.New(url, client.Options{})
	if err != nil {
		log.Panic(err)
	}
	defer c.Close()

	// A report on New Year's Eve, in the evening of Berlin, unless the one
	// before is still being written.
	s, err := c.PutSchedule(ctx, client.NewSchedule{
		Queue: "reports", Key: "yearly",
		Cron: client.Cron{"30 22 31 12 *"}, TimeZone: "Europe/Berlin", Overlap: client.OverlapSkip,
		Start: time.Date(2040, time.January, 1, 0, 0, 0, 0, time.UTC),
		Task:  client.ScheduleTask{Payload: []byte(`{"report":"year"}`)},
	})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("next:", s.Next.Format(time.RFC3339))

	coming, err := c.Occurrences(ctx, "reports", "yearly", client.OccurrencesOptions{N: 2})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("then:", coming.Coming[1].At.Format(time.RFC3339))

	// Now, too, to see whether it works.
	made, err := c.TriggerSchedule(ctx, "reports", "yearly")
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(made.Fate, "an occurrence of", made.Task.Schedule)
	// Output:
	// next: 2040-12-31T21:30:00Z
	// then: 2041-12-31T21:30:00Z
	// fired an occurrence of yearly
}
