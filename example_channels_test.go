package timewheel_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func ExampleWheel_NewTimer() {
	w := timewheel.New(timewheel.Config{})
	began := time.Now()
	timer := w.NewTimer(5 * time.Millisecond)
	at := <-timer.C
	fmt.Println("early:", at.Sub(began) < 5*time.Millisecond)
	_, _ = w.Stop(context.Background())
	// Output: early: false
}

func ExampleChanTimer_Stop() {
	w := timewheel.New(timewheel.Config{})
	timer := w.NewTimer(time.Millisecond)
	time.Sleep(5 * time.Millisecond) // it has fired, but nobody has received
	fmt.Println("taken back:", timer.Stop())
	select {
	case <-timer.C:
		fmt.Println("a stale time")
	default:
		fmt.Println("nothing to receive")
	}
	_, _ = w.Stop(context.Background())
	// Output:
	// taken back: true
	// nothing to receive
}

func ExampleChanTimer_Reset() {
	w := timewheel.New(timewheel.Config{})
	timer := w.NewTimer(time.Hour)
	fmt.Println("was waiting:", timer.Reset(time.Millisecond))
	<-timer.C
	fmt.Println("was waiting:", timer.Reset(time.Millisecond))
	<-timer.C
	_, _ = w.Stop(context.Background())
	// Output:
	// was waiting: true
	// was waiting: false
}

func ExampleChanTimer_Err() {
	w := timewheel.New(timewheel.Config{})
	_, _ = w.Stop(context.Background())
	fmt.Println(w.NewTimer(time.Second).Err())
	// Output: timewheel: the wheel is stopped
}

func ExampleWheel_NewTicker() {
	w := timewheel.New(timewheel.Config{})
	ticker := w.NewTicker(2 * time.Millisecond)
	first, second := <-ticker.C, <-ticker.C
	ticker.Stop()
	fmt.Println("in order:", second.After(first))
	_, _ = w.Stop(context.Background())
	// Output: in order: true
}

func ExampleTicker_Stop() {
	w := timewheel.New(timewheel.Config{})
	ticker := w.NewTicker(time.Millisecond)
	<-ticker.C
	ticker.Stop()
	time.Sleep(3 * time.Millisecond)
	fmt.Println("ticks after Stop:", len(ticker.C))
	_, _ = w.Stop(context.Background())
	// Output: ticks after Stop: 0
}

func ExampleTicker_Reset() {
	w := timewheel.New(timewheel.Config{})
	ticker := w.NewTicker(time.Hour)
	ticker.Reset(time.Millisecond)
	<-ticker.C
	ticker.Stop()
	fmt.Println("ticked")
	_, _ = w.Stop(context.Background())
	// Output: ticked
}

func ExampleTicker_Err() {
	w := timewheel.New(timewheel.Config{MaxPending: 1})
	first, second := w.NewTicker(time.Hour), w.NewTicker(time.Hour)
	fmt.Println(first.Err(), errors.Is(second.Err(), timewheel.ErrFull))
	_, _ = w.Stop(context.Background())
	// Output: <nil> true
}

func ExampleWheel_After() {
	w := timewheel.New(timewheel.Config{})
	select {
	case <-w.After(time.Millisecond):
		fmt.Println("no answer yet")
	case <-w.After(time.Hour):
		fmt.Println("no answer for an hour")
	}
	_, _ = w.Stop(context.Background())
	// Output: no answer yet
}

func ExampleWheel_Tick() {
	w := timewheel.New(timewheel.Config{})
	ticks := w.Tick(time.Millisecond)
	<-ticks
	<-ticks
	fmt.Println("two ticks; for 0 there is", w.Tick(0))
	_, _ = w.Stop(context.Background())
	// Output: two ticks; for 0 there is <nil>
}

func ExampleWheel_Sleep() {
	w := timewheel.New(timewheel.Config{})
	fmt.Println(w.Sleep(context.Background(), time.Millisecond))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(w.Sleep(ctx, time.Hour))
	_, _ = w.Stop(context.Background())
	// Output:
	// <nil>
	// context deadline exceeded
}
