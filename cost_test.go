package timewheel_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func stop(t testing.TB, w *timewheel.Wheel) {
	if _, err := w.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

func nothing() {}

func TestATimerAllocatesNothing(t *testing.T) {
	w := timewheel.New(timewheel.Config{})
	defer stop(t, w)
	w.AfterFunc(time.Hour, nothing)
	allocs := testing.AllocsPerRun(1000, func() {
		timer := w.AfterFunc(time.Minute, nothing)
		timer.Reset(2 * time.Minute)
		timer.Stop()
	})
	if allocs != 0 {
		t.Errorf("AfterFunc, Reset and Stop allocate %v times, want 0", allocs)
	}
}

func TestBytesPerTimer(t *testing.T) {
	const n, most = 400_000, 40
	w := timewheel.New(timewheel.Config{})
	defer stop(t, w)
	before := liveHeap()
	for range n {
		w.AfterFunc(time.Hour, nothing)
	}
	after := liveHeap()
	if each := float64(after-before) / n; each > most {
		t.Errorf("%d timers take %.1f bytes each, want at most %d", n, each, most)
	}
}

// What a callback holds must be free for collection once its timer has fired or
// was stopped, not only when its slot comes round or its place is used again.
func TestTheWheelLetsGoOfTheFunction(t *testing.T) {
	for name, end := range map[string]func(timer timewheel.Timer, ran chan struct{}){
		"stopped": func(timer timewheel.Timer, _ chan struct{}) { timer.Stop() },
		"fired": func(timer timewheel.Timer, ran chan struct{}) {
			timer.Reset(0)
			<-ran
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := timewheel.New(timewheel.Config{})
			defer stop(t, w)
			gone, ran := make(chan struct{}), make(chan struct{}, 1)
			func() {
				payload := new([1 << 20]byte)
				runtime.AddCleanup(payload, func(done chan struct{}) { close(done) }, gone)
				timer := w.AfterFunc(time.Hour, func() {
					payload[0]++
					ran <- struct{}{}
				})
				end(timer, ran)
			}()
			for deadline := time.After(10 * time.Second); ; {
				runtime.GC()
				select {
				case <-gone:
					return
				case <-deadline:
					t.Fatal("a timer that is over still holds what its function captured")
				default:
				}
			}
		})
	}
}

// A timer that follows the wall clock is remembered beside the wheel, and must be
// forgotten there when it is over.
func TestAtLeavesNothingBehind(t *testing.T) {
	const n, most = 100_000, 1 << 20
	w := timewheel.New(timewheel.Config{})
	defer stop(t, w)
	w.At(time.Now().Add(time.Hour), nothing)
	before := liveHeap()
	var fired sync.WaitGroup
	for range n {
		fired.Add(2)
		w.At(time.Now().Add(time.Hour), nothing).Stop()
		w.At(time.Now().Add(time.Hour), fired.Done).Reset(0)
		w.At(time.Time{}, fired.Done)
		fired.Wait() // so that no more than a few are live at once
	}
	if grown := int64(liveHeap()) - int64(before); grown > most {
		t.Errorf("%d timers that are over still hold %d bytes", 3*n, grown)
	}
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// filled returns a wheel with n timers that are 10 to 60 minutes away.
func filled(b *testing.B, n int) (*timewheel.Wheel, []timewheel.Timer) {
	w := timewheel.New(timewheel.Config{})
	b.Cleanup(func() { stop(b, w) })
	random := rand.New(rand.NewPCG(1, 2))
	timers := make([]timewheel.Timer, n)
	for i := range timers {
		timers[i] = w.AfterFunc(someMinutes(random), nothing)
	}
	return w, timers
}

func someMinutes(random *rand.Rand) time.Duration {
	return 10*time.Minute + time.Duration(random.Int64N(int64(50*time.Minute)))
}

// BenchmarkAddStop is the life of a timeout that did not happen, beside package
// time and the clock reading that both need.
func BenchmarkAddStop(b *testing.B) {
	b.Run("clock", func(b *testing.B) {
		start := time.Now()
		for b.Loop() {
			_ = time.Since(start)
		}
	})
	for _, n := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("wheel/live=%d", n), func(b *testing.B) {
			w, _ := filled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				w.AfterFunc(30*time.Second, nothing).Stop()
			}
		})
		b.Run(fmt.Sprintf("time/live=%d", n), func(b *testing.B) {
			stdFilled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				time.AfterFunc(30*time.Second, nothing).Stop()
			}
		})
	}
}

// BenchmarkReset moves a random one of a million timers.
func BenchmarkReset(b *testing.B) {
	const n = 1_000_000
	b.Run("wheel", func(b *testing.B) {
		_, timers := filled(b, n)
		random := rand.New(rand.NewPCG(3, 4))
		for b.Loop() {
			timers[random.IntN(n)].Reset(someMinutes(random))
		}
	})
	b.Run("time", func(b *testing.B) {
		timers := stdFilled(b, n)
		random := rand.New(rand.NewPCG(3, 4))
		for b.Loop() {
			timers[random.IntN(n)].Reset(someMinutes(random))
		}
	})
}

func stdFilled(b *testing.B, n int) []*time.Timer {
	random := rand.New(rand.NewPCG(1, 2))
	timers := make([]*time.Timer, n)
	for i := range timers {
		timers[i] = time.AfterFunc(someMinutes(random), nothing)
	}
	b.Cleanup(func() {
		for _, t := range timers {
			t.Stop()
		}
	})
	return timers
}

// BenchmarkFire is the whole path from setting a thousand timers for at once to
// the end of their callbacks.
func BenchmarkFire(b *testing.B) {
	const burst = 1000
	done := make(chan struct{}, burst)
	f := func() { done <- struct{}{} }
	await := func() {
		for range burst {
			<-done
		}
	}
	b.Run("wheel", func(b *testing.B) {
		w, _ := filled(b, 0)
		for b.Loop() {
			for range burst {
				w.AfterFunc(0, f)
			}
			await()
		}
	})
	b.Run("time", func(b *testing.B) {
		for b.Loop() {
			for range burst {
				time.AfterFunc(0, f)
			}
			await()
		}
	})
}

// Bursts of timeouts that are stopped in time must not let memory grow.
func TestBurstsOfTimeoutsLeaveNoMemory(t *testing.T) {
	w := timewheel.New(timewheel.Config{Shards: 1})
	defer stop(t, w)
	timers := make([]timewheel.Timer, 100_000)
	burst := func() {
		for i := range timers {
			timers[i] = w.AfterFunc(time.Hour, nothing)
		}
		for _, timer := range timers {
			timer.Stop()
		}
	}
	burst()
	before := liveHeap()
	for range 50 {
		burst()
	}
	grown := int64(liveHeap()-before) >> 20
	if grown > 4 {
		t.Errorf("grown by %d MiB", grown)
	}
}
