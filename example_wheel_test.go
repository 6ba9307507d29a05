package timewheel_test

import (
	"context"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func ExampleWheel_Pause() {
	w := timewheel.New(timewheel.Config{})
	ran := make(chan struct{})
	w.Pause()
	w.AfterFunc(time.Millisecond, func() { close(ran) })
	time.Sleep(5 * time.Millisecond)
	select {
	case <-ran:
		fmt.Println("fired while paused")
	default:
		fmt.Println("waits")
	}
	w.Resume()
	<-ran
	fmt.Println("fired")
	_, _ = w.Stop(context.Background())
	// Output:
	// waits
	// fired
}

func ExampleWheel_Resume() {
	w := timewheel.New(timewheel.Config{})
	w.Resume() // it was not paused: nothing happens
	w.Pause()
	w.Pause()
	w.Resume() // once is enough
	done := make(chan struct{})
	w.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	fmt.Println("fired")
	_, _ = w.Stop(context.Background())
	// Output: fired
}

func ExampleWheel_Len() {
	w := timewheel.New(timewheel.Config{})
	w.AfterFunc(time.Hour, func() {})
	timer := w.AfterFunc(time.Hour, func() {})
	fmt.Println(w.Len())
	timer.Stop()
	fmt.Println(w.Len())
	_, _ = w.Stop(context.Background())
	// Output:
	// 2
	// 1
}

func ExampleWheel_Stats() {
	w := timewheel.New(timewheel.Config{})
	for range 10 {
		w.AfterFunc(time.Hour, func() {}).Stop()
	}
	w.AfterFunc(time.Hour, func() {})
	st := w.Stats()
	fmt.Println("live", st.Live, "set", st.Set, "cancelled", st.Cancelled, "fired", st.Fired)
	_, _ = w.Stop(context.Background())
	// Output: live 1 set 11 cancelled 10 fired 0
}

func ExampleHistogram_Quantile() {
	w := timewheel.New(timewheel.Config{Run: timewheel.RunInline})
	for i := range 100 {
		w.AfterFunc(time.Duration(i)*100*time.Microsecond, func() {})
	}
	for w.Stats().Lateness.Count() < 100 {
		time.Sleep(time.Millisecond)
	}
	lateness := w.Stats().Lateness
	fmt.Println(lateness.Count(), "fired; p99 below a minute:", lateness.Quantile(0.99) < time.Minute)
	_, _ = w.Stop(context.Background())
	// Output: 100 fired; p99 below a minute: true
}

func ExampleHistogram_Bound() {
	var h timewheel.Histogram
	fmt.Println(h.Bound(0), h.Bound(1), h.Bound(10))
	// Output: 1µs 2µs 1.024ms
}

func ExampleHistogram_Count() {
	var h timewheel.Histogram
	h.Counts[3], h.Counts[4] = 2, 5
	fmt.Println(h.Count())
	// Output: 7
}

func ExampleTimer_Due() {
	w := timewheel.New(timewheel.Config{})
	timer := w.AfterFunc(time.Hour, func() {})
	due, waits := timer.Due()
	fmt.Println(time.Until(due).Round(time.Second), waits)
	timer.Stop()
	_, waits = timer.Due()
	fmt.Println(waits)
	_, _ = w.Stop(context.Background())
	// Output:
	// 1h0m0s true
	// false
}

func ExampleTimer_Err() {
	w := timewheel.New(timewheel.Config{MaxPending: 1})
	first := w.AfterFunc(time.Hour, func() {})
	second := w.AfterFunc(time.Hour, func() {})
	fmt.Println(first.Err())
	fmt.Println(second.Err())
	_, _ = w.Stop(context.Background())
	fmt.Println(w.AfterFunc(0, func() {}).Err())
	// Output:
	// <nil>
	// timewheel: as many timers are pending as Config.MaxPending allows; try again when some have fired
	// timewheel: the wheel is stopped
}

func ExampleRun() {
	// At most two callbacks at a time; the others wait for a worker.
	w := timewheel.New(timewheel.Config{Run: timewheel.RunPool, Workers: 2})
	done := make(chan struct{})
	for range 5 {
		w.AfterFunc(time.Millisecond, func() { done <- struct{}{} })
	}
	for range 5 {
		<-done
	}
	fmt.Println("5 ran")
	_, _ = w.Stop(context.Background())
	// Output: 5 ran
}

func ExampleConfig_onPanic() {
	caught := make(chan any)
	w := timewheel.New(timewheel.Config{OnPanic: func(value any, _ []byte) { caught <- value }})
	w.AfterFunc(0, func() { panic("no such order") })
	fmt.Println("caught:", <-caught)
	_, _ = w.Stop(context.Background())
	// Output: caught: no such order
}

func ExampleSchemes() {
	for _, scheme := range timewheel.Schemes() {
		w := timewheel.New(timewheel.Config{Scheme: scheme})
		done := make(chan struct{})
		w.AfterFunc(time.Millisecond, func() { close(done) })
		<-done
		fmt.Println(scheme)
		_, _ = w.Stop(context.Background())
	}
	// Output:
	// hierarchical
	// hashed
	// ticking
	// delayqueue
	// heap
	// list
}

func ExampleScheme_String() {
	fmt.Println(timewheel.DelayQueue)
	// Output: delayqueue
}
