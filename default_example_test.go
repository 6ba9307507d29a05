package timewheel_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// The default wheel starts at its first use, and Start starts it again after Stop.
func ExampleStart() {
	timewheel.Start()
	fmt.Println(timewheel.Running())
	timewheel.Stop()
	fmt.Println(timewheel.Running())
	// Output:
	// true
	// false
}

func ExampleStop() {
	timewheel.Start()
	err := timewheel.Delay(time.Hour, "order-42", func() { fmt.Println("not paid") })
	fmt.Println(err)
	timewheel.Stop()
	timewheel.Stop() // once more is no mistake
	fmt.Println(timewheel.Delay(time.Hour, "order-42", func() { fmt.Println("not paid") }))
	// Output:
	// <nil>
	// timewheel: the wheel is stopped
}

func ExampleRunning() {
	timewheel.Start()
	defer timewheel.Stop()
	done := make(chan struct{})
	err := timewheel.Delay(time.Millisecond, "look", func() {
		fmt.Println("running:", timewheel.Running())
		close(done)
	})
	<-done
	fmt.Println(err)
	// Output:
	// running: true
	// <nil>
}

func ExampleAt() {
	timewheel.Start()
	defer timewheel.Stop()
	done := make(chan struct{})
	soon := time.Now().Add(20 * time.Millisecond)
	err := timewheel.At(soon, "coupons", func() {
		fmt.Println("the coupons are out; early:", time.Now().Before(soon))
		close(done)
	})
	<-done
	fmt.Println(err)
	// Output:
	// the coupons are out; early: false
	// <nil>
}

func ExampleDelay() {
	timewheel.Start()
	defer timewheel.Stop()
	done := make(chan string)
	err := errors.Join(
		timewheel.Delay(time.Hour, "mail", func() { done <- "the first" }),
		timewheel.Delay(20*time.Millisecond, "mail", func() { done <- "the second replaced it" }),
	)
	fmt.Println(<-done, err)
	// Output: the second replaced it <nil>
}

func ExampleEvery() {
	timewheel.Start()
	defer timewheel.Stop()
	refreshed := make(chan string, 100) // nobody waits for those after the second
	err := timewheel.Every(10*time.Millisecond, "refresh", func() { refreshed <- "refreshed" })
	fmt.Println(<-refreshed, <-refreshed, timewheel.Cancel("refresh"), err)
	// Output: refreshed refreshed true <nil>
}

func ExampleRepeat() {
	timewheel.Start()
	defer timewheel.Stop()
	reminded := make(chan int)
	n := 0
	err := timewheel.Repeat(10*time.Millisecond, 3, "remind", func() {
		n++
		reminded <- n
	})
	fmt.Println(<-reminded, <-reminded, <-reminded, err)
	// Output: 1 2 3 <nil>
}

func ExampleCancel() {
	timewheel.Start()
	defer timewheel.Stop()
	err := timewheel.Delay(time.Hour, "order-42", func() { fmt.Println("not paid") })
	fmt.Println(timewheel.Cancel("order-42"), timewheel.Cancel("order-42"), err)
	// Output: true false <nil>
}
