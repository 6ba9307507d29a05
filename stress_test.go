package timewheel_test

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// stressed is one timer of the stress test, with what must hold for it.
type stressed struct {
	t       *testing.T
	settled *sync.WaitGroup // done when it has fired or was stopped

	mu        sync.Mutex
	timer     timewheel.Timer // guarded by mu
	notBefore time.Time       // guarded by mu
	stopped   bool            // guarded by mu; Stop has said true
	fires     int             // guarded by mu
}

func (s *stressed) set(w *timewheel.Wheel, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notBefore = time.Now().Add(d)
	s.timer = w.AfterFunc(d, s.fire)
}

func (s *stressed) fire() {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fires++
	switch {
	case s.fires > 1:
		s.t.Errorf("fired %d times", s.fires)
		return
	case s.stopped:
		s.t.Error("fired after a Stop that said true")
		return
	case now.Before(s.notBefore):
		s.t.Errorf("fired %v early", s.notBefore.Sub(now))
	}
	s.settled.Done()
}

func (s *stressed) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.timer.Stop() {
		return
	}
	if s.stopped || s.fires > 0 {
		s.t.Errorf("Stop said true of a timer that fired %d times, stopped before: %t", s.fires, s.stopped)
		return
	}
	s.stopped = true
	s.settled.Done()
}

func (s *stressed) reset(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	notBefore := time.Now().Add(d)
	if !s.timer.Reset(d) {
		return
	}
	if s.stopped || s.fires > 0 {
		s.t.Errorf("Reset said true of a timer that fired %d times, stopped: %t", s.fires, s.stopped)
	}
	s.notBefore = notBefore
}

// Timers of random delays are set, stopped and reset from many goroutines, often
// at the very instant at which they are due: none may be early, lost, doubled, or
// fire after a Stop that said true.
func TestStress(t *testing.T) {
	const adders, each = 4, 10_000
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	stress(t, timewheel.Config{}, seed, adders, each)
}

// stress does that to one wheel.
func stress(t *testing.T, cfg timewheel.Config, seed uint64, adders uint64, each int) {
	w := timewheel.New(cfg)
	var adding, settled sync.WaitGroup
	settled.Add(int(adders) * each)
	for adder := range adders {
		adding.Go(func() {
			random := rand.New(rand.NewPCG(seed, adder))
			for range each {
				stressOne(random, w, &stressed{t: t, settled: &settled})
			}
		})
	}
	adding.Wait()
	all := make(chan struct{})
	go func() {
		settled.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(30 * time.Second):
		t.Fatal("timers got lost: some had neither fired nor been stopped after 30 s")
	}
	if pending, err := w.Stop(context.Background()); err != nil || len(pending) != 0 {
		t.Errorf("Stop handed back %d timers and %v", len(pending), err)
	}
}

// stressOne sets a timer; 30 % are stopped and 30 % are reset by another
// goroutine, half of these as close to the due instant as can be.
func stressOne(random *rand.Rand, w *timewheel.Wheel, s *stressed) {
	delay := time.Duration(random.Int64N(int64(300 * time.Millisecond)))
	meddleAfter := time.Duration(random.Int64N(int64(delay) + 1))
	if random.IntN(2) == 0 {
		meddleAfter = delay + time.Duration(random.Int64N(int64(2*time.Millisecond)))
	}
	again := time.Duration(random.Int64N(int64(100 * time.Millisecond)))
	s.set(w, delay)
	switch random.IntN(10) {
	case 0, 1, 2:
		time.AfterFunc(meddleAfter, s.stop)
	case 3, 4, 5:
		time.AfterFunc(meddleAfter, func() { s.reset(again) })
	}
}

// Goexit, Pause, Resume, Stop at once with every Run and both alarms leak nothing.
func TestStopRacesLeakNothing(t *testing.T) {
	before := descriptors(t)
	for i := range 300 {
		cfg := timewheel.Config{Run: timewheel.Run(i % 3), Precise: i%2 == 0, CountSuspend: i%5 == 0 && runtime.GOOS == "linux", Shards: 2, MaxPending: 10000}
		w := timewheel.New(cfg)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for j := range 30 {
					switch g {
					case 0:
						w.AfterFunc(time.Duration(j)*10*time.Microsecond, runtime.Goexit)
						w.At(time.Now().Add(time.Millisecond), nothing)
					case 1:
						w.Every(50*time.Microsecond, runtime.Goexit)
					case 2:
						w.Pause()
						w.Resume()
						w.NewTicker(30 * time.Microsecond)
					case 3:
						if j == 20 {
							time.Sleep(200 * time.Microsecond)
							wg.Go(func() { _, _ = w.Stop(context.Background()) })
							_, _ = w.Stop(context.Background())
						}
						w.AfterFunc(0, nothing).Reset(time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if _, err := w.Stop(ctx); err != nil {
			t.Fatalf("%+v: %v", cfg, err)
		}
		cancel()
	}
	if n := descriptors(t); n > before+6 {
		t.Errorf("%d descriptors are open, before it were %d", n, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not Linux
	}
	return len(entries)
}
