package timewheel_test

import (
	"context"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func Example() {
	w := timewheel.New(timewheel.Config{})
	done := make(chan struct{})
	timeout := w.AfterFunc(time.Minute, func() { fmt.Println("no answer within a minute") })
	w.AfterFunc(10*time.Millisecond, func() {
		fmt.Println("the answer is here; stopped in time:", timeout.Stop())
		close(done)
	})
	<-done
	if _, err := w.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: the answer is here; stopped in time: true
}

func ExampleNew() {
	// Timeouts of minutes don't need milliseconds: what is due within the same
	// tenth of a second fires together.
	w := timewheel.New(timewheel.Config{Tick: 100 * time.Millisecond})
	_, err := w.Stop(context.Background())
	fmt.Println(err)
	// Output: <nil>
}

func ExampleConfig_Validate() {
	cfg := timewheel.Config{Tick: 24 * time.Hour}
	fmt.Println(cfg.Validate())
	// Output: timewheel: Config.Tick is 24h0m0s; it must be from 1µs to 1h0m0s, or 0 for 100µs
}

func ExampleWheel_AfterFunc() {
	w := timewheel.New(timewheel.Config{})
	fired := make(chan time.Duration)
	start := time.Now()
	w.AfterFunc(20*time.Millisecond, func() { fired <- time.Since(start) })
	fmt.Println("early:", <-fired < 20*time.Millisecond)
	if _, err := w.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: early: false
}

func ExampleWheel_At() {
	w := timewheel.New(timewheel.Config{})
	fired := make(chan struct{})
	w.At(time.Now().Add(20*time.Millisecond), func() {
		fmt.Println("the coupons are out")
		close(fired)
	})
	<-fired
	if _, err := w.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: the coupons are out
}

func ExampleWheel_Stop() {
	w := timewheel.New(timewheel.Config{})
	w.AfterFunc(time.Hour, func() { fmt.Println("closing order 42") })

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	pending, err := w.Stop(ctx)
	fmt.Println(len(pending), "had not fired, error:", err)
	for _, p := range pending {
		p.Func() // or note p.Due, and set it again on the next start
	}
	// Output:
	// 1 had not fired, error: <nil>
	// closing order 42
}

func ExampleTimer_Stop() {
	w := timewheel.New(timewheel.Config{})
	t := w.AfterFunc(time.Hour, func() { fmt.Println("too late") })
	fmt.Println(t.Stop(), t.Stop())
	if _, err := w.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: true false
}

func ExampleTimer_Reset() {
	w := timewheel.New(timewheel.Config{})
	fired := make(chan string)
	idle := w.AfterFunc(time.Hour, func() { fired <- "idle for too long" })
	idle.Reset(20 * time.Millisecond) // something came in: from here on 20 ms
	fmt.Println(<-fired)
	fmt.Println(idle.Reset(time.Hour)) // it has fired: set a new one with AfterFunc
	if _, err := w.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// idle for too long
	// false
}
