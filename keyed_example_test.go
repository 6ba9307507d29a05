package timewheel_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// endKeyed ends the wheel of an example.
func endKeyed(w *timewheel.Wheel) {
	if _, err := w.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
}

func ExampleKeyed() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	closed := make(chan string)
	orders := timewheel.NewKeyed(w, timewheel.KeyedConfig[int]{
		Default: func(id int) { closed <- fmt.Sprintf("order %d was not paid in time", id) },
	})
	for id := 41; id <= 43; id++ {
		if err := orders.Delay(time.Hour, id, nil); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("order 41 is paid:", orders.Cancel(41))
	fmt.Println("order 42 has less time:", orders.Move(42, 20*time.Millisecond))
	fmt.Println(<-closed)
	fmt.Println("orders left:", orders.Len())
	// Output:
	// order 41 is paid: true
	// order 42 has less time: true
	// order 42 was not paid in time
	// orders left: 1
}

func ExampleNewKeyed() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	done := make(chan string)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{
		Default: func(key string) { done <- "default of " + key },
	})
	err := k.Delay(10*time.Millisecond, "a", nil)
	fmt.Println(<-done, err)
	err = k.Delay(10*time.Millisecond, "b", func(key string) { done <- "own function of " + key })
	fmt.Println(<-done, err)
	// Output:
	// default of a <nil>
	// own function of b <nil>
}

func ExampleKeyed_Delay() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	done := make(chan string)
	err := errors.Join(
		k.Delay(time.Hour, "order-42", func(key string) { done <- "first of " + key }),
		k.Delay(20*time.Millisecond, "order-42", func(key string) { done <- "second of " + key }),
	)
	fmt.Println(<-done, err)
	fmt.Println(k.Delay(time.Second, "order-42", nil))
	// Output:
	// second of order-42 <nil>
	// timewheel: there is no function to call: it is nil, and there is no default to take its place
}

func ExampleKeyed_At() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	done := make(chan struct{})
	soon := time.Now().Add(20 * time.Millisecond)
	err := k.At(soon, "coupons", func(key string) {
		fmt.Println(key, "are out; early:", time.Now().Before(soon))
		close(done)
	})
	<-done
	fmt.Println(err)
	// Output:
	// coupons are out; early: false
	// <nil>
}

func ExampleKeyed_Every() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	done := make(chan string, 100)                           // nobody waits for those after the third
	created := time.Date(2024, 5, 17, 8, 31, 7, 0, time.UTC) // the phase comes from here, whenever the program starts
	err := k.Every(10*time.Millisecond, "poll", func(key string) { done <- key }, timewheel.Anchor(created))
	fmt.Println(<-done, <-done, <-done, k.Cancel("poll"), err)
	// Output: poll poll poll true <nil>
}

func ExampleKeyed_Repeat() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	done := make(chan bool)
	err := k.Repeat(10*time.Millisecond, 3, "remind", func(key string) { done <- k.Has(key) })
	fmt.Println("comes again:", <-done, <-done, <-done)
	fmt.Println(err)
	fmt.Println(k.Repeat(time.Second, 0, "never", func(string) {}))
	// Output:
	// comes again: true true false
	// <nil>
	// timewheel: 0 times is nothing to repeat; give how often to run, or a negative number for ever
}

func ExampleKeyed_Move() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	done := make(chan string)
	err := k.Delay(time.Hour, "session", func(key string) { done <- key + " is over" })
	fmt.Println(k.Move("session", 2*time.Hour)) // there was a request
	fmt.Println(k.Move("session", 0))           // and now a log-out
	fmt.Println(<-done)
	fmt.Println(k.Move("session", time.Hour), err)
	// Output:
	// true
	// true
	// session is over
	// false <nil>
}

func ExampleKeyed_Cancel() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	err := k.Delay(time.Hour, "order-42", func(key string) { fmt.Println(key, "was not paid") })
	fmt.Println(k.Cancel("order-42"), k.Cancel("order-42"), err)
	// Output: true false <nil>
}

func ExampleKeyed_Has() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	err := k.Delay(time.Hour, "order-42", func(string) {})
	fmt.Println(k.Has("order-42"), k.Has("order-43"), err)
	// Output: true false <nil>
}

func ExampleKeyed_Len() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[int]{Default: func(int) {}})
	for id := range 1000 {
		if err := k.Delay(time.Hour, id%700, nil); err != nil { // 300 of them replace another
			fmt.Println(err)
		}
	}
	fmt.Println(k.Len())
	// Output: 700
}

func ExampleKeyed_Due() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
	err := k.At(time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC), "new year", func(string) {})
	due, ok := k.Due("new year")
	fmt.Println(due.Format(time.DateOnly), ok, err)
	// Output: 2126-01-01 true <nil>
}

func ExampleKeyed_Drain() {
	w := timewheel.New(timewheel.Config{})
	defer endKeyed(w)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{Default: func(string) {}})
	err := errors.Join(
		k.Repeat(2*time.Hour, 5, "poll", nil),
		k.Delay(time.Hour, "order-42", nil),
	)
	for _, task := range k.Drain() { // to keep them until the next start
		fmt.Println(task.Key, time.Until(task.Due).Round(time.Minute), task.Interval, task.Times)
	}
	fmt.Println(k.Len(), err)
	// Output:
	// order-42 1h0m0s 0s 1
	// poll 2h0m0s 2h0m0s 5
	// 0 <nil>
}
