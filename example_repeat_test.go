package timewheel_test

import (
	"context"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func ExampleWheel_Every() {
	w := timewheel.New(timewheel.Config{})
	ticks := make(chan int)
	n := 0
	timer := w.Every(5*time.Millisecond, func() {
		n++
		ticks <- n
	})
	fmt.Println(<-ticks, <-ticks, <-ticks)
	fmt.Println("ended:", timer.Stop())
	_, _ = w.Stop(context.Background())
	// Output:
	// 1 2 3
	// ended: true
}

func ExampleWheel_Repeat() {
	w := timewheel.New(timewheel.Config{})
	ran := make(chan struct{}, 3)
	w.Repeat(2*time.Millisecond, 3, func() { ran <- struct{}{} })
	for range 3 {
		<-ran
	}
	_, err := w.Stop(context.Background()) // waits for the last run
	fmt.Println("3 runs,", len(ran), "more,", err)
	// Output: 3 runs, 0 more, <nil>
}

// everyQuarter is a rule: the next full quarter of a second. Rules of cron
// packages fit as they are.
type everyQuarter struct{}

func (everyQuarter) Next(t time.Time) time.Time {
	return t.Truncate(250 * time.Millisecond).Add(250 * time.Millisecond)
}

func ExampleWheel_Schedule() {
	w := timewheel.New(timewheel.Config{})
	at := make(chan time.Time, 1)
	timer := w.Schedule(everyQuarter{}, func() { at <- time.Now() })
	due, _ := timer.Due()
	fmt.Println("on the quarter:", due.Nanosecond()%250_000_000 == 0)
	fmt.Println("early:", (<-at).Before(due))
	timer.Stop()
	_, _ = w.Stop(context.Background())
	// Output:
	// on the quarter: true
	// early: false
}

func ExampleRule() {
	var rule timewheel.Rule = everyQuarter{}
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	fmt.Println(rule.Next(noon).Sub(noon))
	// Output: 250ms
}

func ExampleOnMissed() {
	w := timewheel.New(timewheel.Config{})
	runs := make(chan struct{}, 8)
	w.Pause()
	w.Repeat(time.Millisecond, 4, func() { runs <- struct{}{} }, timewheel.OnMissed(timewheel.Burst))
	time.Sleep(10 * time.Millisecond) // four times go by
	w.Resume()
	for range 4 {
		<-runs
	}
	fmt.Println("4 runs to catch up")
	_, _ = w.Stop(context.Background())
	// Output: 4 runs to catch up
}

func ExampleAnchor() {
	w := timewheel.New(timewheel.Config{})
	// The task was created two minutes ago, maybe in an earlier life of the process:
	// it runs every ten minutes from then on, not from now on.
	created := time.Now().Add(-2 * time.Minute)
	timer := w.Every(10*time.Minute, func() {}, timewheel.Anchor(created))
	due, _ := timer.Due()
	fmt.Println("next in", time.Until(due).Round(time.Second))
	_, _ = w.Stop(context.Background())
	// Output: next in 8m0s
}
