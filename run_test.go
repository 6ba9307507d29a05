package timewheel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

func TestThePoolRunsNoMoreThanItsWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		inBubble(t, timewheel.Config{Run: timewheel.RunPool, Workers: workers}, func(t *testing.T, w *timewheel.Wheel) {
			const n = 21
			var running, most atomic.Int64
			r := newRecord()
			for range n {
				w.AfterFunc(time.Second, func() {
					most.Store(max(most.Load(), running.Add(1)))
					time.Sleep(time.Second)
					running.Add(-1)
					r.note()
				})
			}
			time.Sleep(time.Hour)
			var want []string
			for i := range n {
				want = append(want, (time.Second * time.Duration(2+i/workers)).String())
			}
			r.mustBe(t, strings.Join(want, " "))
			if got := most.Load(); got != int64(workers) {
				t.Errorf("%d ran at a time, want %d", got, workers)
			}
		})
	}
}

// The order holds through a queue that grows and wraps around.
func TestThePoolRunsInTheOrderOfExpiry(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunPool, Workers: 1, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		const n = 3000
		var order []int
		for i := range n {
			w.AfterFunc(time.Duration(i+1)*time.Millisecond, func() {
				order = append(order, i)
				if i%3 == 0 {
					time.Sleep(5 * time.Millisecond) // what comes meanwhile waits
				}
			})
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(order) != n || !slices.IsSorted(order) {
			t.Errorf("%d of %d ran, in order: %t", len(order), n, slices.IsSorted(order))
		}
		if st := w.Stats(); st.Queued != 0 || st.Live != 0 {
			t.Errorf("%d queued and %d live at the end", st.Queued, st.Live)
		}
	})
}

func TestASlowCallbackDelaysNobodyInAPool(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunPool, Workers: 2}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.AfterFunc(time.Millisecond, func() { time.Sleep(time.Hour) })
		w.AfterFunc(time.Millisecond, r.run)
		w.AfterFunc(2*time.Millisecond, r.run)
		channel := w.After(3 * time.Millisecond)
		time.Sleep(3 * time.Millisecond)
		r.mustBe(t, "1ms 2ms")
		mustReceive(t, channel, r.start, 3*time.Millisecond)
	})
}

// A pool without a free worker holds up callbacks, not timers: channels are served
// and Stop counts what has expired.
func TestABusyPoolDelaysCallbacksOnly(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunPool, Workers: 1}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		w.AfterFunc(time.Second, func() { time.Sleep(time.Minute) })
		queued := w.AfterFunc(2*time.Second, r.run)
		channel := w.After(3 * time.Second)
		time.Sleep(3 * time.Second)
		mustReceive(t, channel, r.start, 3*time.Second)
		if queued.Stop() {
			t.Error("Stop of a timer that has expired returned true")
		}
		if st := w.Stats(); st.Queued != 1 || st.Live != 0 || st.Fired != 3 {
			t.Errorf("%d queued, %d live, %d fired", st.Queued, st.Live, st.Fired)
		}
		time.Sleep(time.Hour)
		r.mustBe(t, "1m1s")
	})
}

// Stop of the wheel waits for what is queued, and hands back what has not expired.
func TestStopWaitsForTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{Run: timewheel.RunPool, Workers: 2})
		r := newRecord()
		for range 5 {
			w.AfterFunc(time.Second, func() {
				time.Sleep(time.Minute)
				r.note()
			})
		}
		w.AfterFunc(time.Hour, mustNotRun(t))
		time.Sleep(2 * time.Second)
		pending, err := w.Stop(t.Context())
		if err != nil || len(pending) != 1 {
			t.Errorf("Stop handed back %d timers and %v", len(pending), err)
		}
		r.mustBe(t, "1m1s 1m1s 2m1s 2m1s 3m1s")
		if now := time.Since(r.start); now != 3*time.Minute+time.Second {
			t.Errorf("Stop returned after %v", now)
		}
	})
}

func TestInlineCallbacksRunInOrder(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunInline, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		for i := range 5 {
			w.AfterFunc(time.Duration(5-i)*time.Second, func() {
				r.note()
				time.Sleep(1500 * time.Millisecond)
			})
		}
		time.Sleep(time.Minute)
		r.mustBe(t, "1s 2.5s 4s 5.5s 7s")
	})
}

func TestACallbackMayUseTheWheelInEveryRun(t *testing.T) {
	inEveryRun(t, timewheel.Config{Shards: 2, Workers: 0}, func(t *testing.T, w *timewheel.Wheel) {
		r := newRecord()
		other := w.AfterFunc(time.Hour, mustNotRun(t))
		moved := w.AfterFunc(2*time.Hour, r.run)
		ticker := w.NewTicker(time.Second)
		w.AfterFunc(time.Minute, func() {
			if !other.Stop() || !moved.Reset(time.Minute) {
				t.Error("a callback could not stop or reset")
			}
			w.AfterFunc(0, r.run)
			w.AfterFunc(time.Second, r.run)
			w.At(time.Now().Add(2*time.Second), r.run)
			w.Repeat(3*time.Second, 2, r.run)
			ticker.Stop()
			w.Len()
			w.Stats()
			w.Pause()
			w.Resume()
		})
		time.Sleep(time.Hour)
		r.mustBe(t, "1m0s 1m1s 1m2s 1m3s 1m6s 2m0s")
	})
}

func TestACallbackMayStopTheWheelInEveryRun(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := timewheel.New(timewheel.Config{Run: run})
				w.AfterFunc(time.Hour, mustNotRun(t))
				repeating := w.Every(time.Hour, mustNotRun(t))
				w.Every(time.Second, func() {
					for range 2 {
						pending, err := w.Stop(context.Background())
						if !errors.Is(err, timewheel.ErrInsideCallback) {
							t.Errorf("Stop from inside returned %v", err)
						}
						if n := len(pending); n != 0 && n != 2 {
							t.Errorf("Stop from inside handed back %d", n)
						}
					}
					if !errors.Is(w.AfterFunc(0, mustNotRun(t)).Err(), timewheel.ErrStopped) || repeating.Stop() {
						t.Error("the wheel is not stopped")
					}
				})
				time.Sleep(time.Minute)
				if _, err := w.Stop(t.Context()); err != nil {
					t.Errorf("Stop from outside: %v", err)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

func TestPanicsAreHandedOver(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var values []string
			cfg := timewheel.Config{Run: run, OnPanic: func(value any, stack []byte) {
				mu.Lock()
				defer mu.Unlock()
				values = append(values, fmt.Sprint(value))
				if !strings.Contains(string(stack), "explode") {
					t.Errorf("the stack does not show where it was:\n%s", stack)
				}
			}}
			inBubble(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
				r := newRecord()
				w.AfterFunc(time.Second, func() { explode("once") })
				w.At(time.Now().Add(2*time.Second), func() { explode("at") })
				w.Repeat(3*time.Second, 2, func() {
					r.note()
					explode("again")
				})
				w.Schedule(once(time.Now().Add(10*time.Second)), func() { explode("rule") })
				w.AfterFunc(time.Minute, r.run)
				time.Sleep(time.Hour)
				r.mustBe(t, "3s 6s 1m0s")
				if got := strings.Join(values, " "); got != "once at again again rule" { //nolint:dupword // names of what panicked
					t.Errorf("handed over: %s", got)
				}
				if n := w.Len(); n != 0 {
					t.Errorf("Len is %d", n)
				}
			})
		})
	}
}

func explode(value string) { panic(value) }

// The handler runs in the callback's goroutine and may use the wheel.
func TestThePanicHandlerMayStopTheWheel(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w *timewheel.Wheel
				w = timewheel.New(timewheel.Config{Run: run, OnPanic: func(any, []byte) {
					if _, err := w.Stop(context.Background()); !errors.Is(err, timewheel.ErrInsideCallback) {
						t.Errorf("Stop from the handler returned %v", err)
					}
				}})
				w.AfterFunc(time.Second, func() { explode("now") })
				w.AfterFunc(time.Hour, mustNotRun(t))
				time.Sleep(2 * time.Hour)
				stop(t, w)
			})
		})
	}
}

// In a goroutine or a worker of its own, a callback that ends its goroutine ends
// nothing else.
func TestGoexitInARepeatingCallback(t *testing.T) {
	for _, run := range []timewheel.Run{timewheel.RunGoroutine, timewheel.RunPool} {
		cfg := timewheel.Config{Run: run}
		if run == timewheel.RunPool {
			cfg.Workers = 1
		}
		inBubble(t, cfg, func(t *testing.T, w *timewheel.Wheel) {
			r := newRecord()
			w.Repeat(time.Second, 3, func() {
				r.note()
				time.Sleep(100 * time.Millisecond)
				runtime.Goexit()
			})
			w.AfterFunc(1050*time.Millisecond, r.run) // waits for the worker, if there is one
			time.Sleep(time.Minute)
			want := "1s 1.05s 2s 3s"
			if run == timewheel.RunPool {
				want = "1s 1.1s 2s 3s"
			}
			r.mustBe(t, want)
		})
	}
}

// room returns how many timers a wheel takes until it is full.
func room(w *timewheel.Wheel) int {
	var set []timewheel.Timer
	for {
		timer := w.AfterFunc(1000*time.Hour, nothing)
		if timer.Err() != nil {
			break
		}
		set = append(set, timer)
	}
	for _, timer := range set {
		timer.Stop()
	}
	return len(set)
}

func TestMaxPendingCountsExactly(t *testing.T) {
	const most = 10
	inEveryRun(t, timewheel.Config{MaxPending: most}, func(t *testing.T, w *timewheel.Wheel) {
		expect := func(when string, used int) {
			t.Helper()
			synctest.Wait()
			if got := room(w); got != most-used {
				t.Errorf("%s there is room for %d, want %d", when, got, most-used)
			}
		}
		expect("at first", 0)
		timer := w.AfterFunc(time.Second, nothing)
		timer.Reset(2 * time.Second)
		expect("beside a timer that was reset", 1)
		time.Sleep(3 * time.Second)
		expect("after it fired", 0)
		if timer.Stop() || timer.Reset(0) {
			t.Error("a timer that fired could be stopped")
		}
		timer = w.AfterFunc(time.Second, nothing)
		timer.Stop()
		timer.Stop()
		expect("after Stop twice", 0)

		every := w.Every(time.Second, func() { time.Sleep(100 * time.Millisecond) })
		time.Sleep(10 * time.Second)
		expect("beside a repeating timer", 1)
		time.Sleep(time.Second / 20)
		every.Stop()
		every.Stop()
		time.Sleep(10 * time.Second)
		expect("after a repeating timer", 0)

		w.Repeat(time.Second, 3, nothing)
		time.Sleep(2 * time.Second)
		expect("before the last of three times", 1)
		time.Sleep(time.Second)
		expect("after the last of three times", 0)

		var inside own
		inside.is(w.Every(time.Second, func() { inside.get().Stop() }))
		time.Sleep(time.Minute)
		expect("after a Stop from inside", 0)

		w.Schedule(once(time.Now().Add(time.Second)), nothing)
		expect("beside a rule", 1)
		time.Sleep(time.Minute)
		expect("after a rule has ended", 0)

		w.At(time.Now().Add(time.Second), nothing)
		channel := w.NewTimer(time.Minute)
		ticker := w.NewTicker(time.Second)
		expect("beside an instant, a channel and a ticker", 3)
		channel.Reset(time.Hour)
		ticker.Reset(time.Minute)
		time.Sleep(10 * time.Second)
		expect("beside a channel and a ticker", 2)
		channel.Stop()
		ticker.Stop()
		expect("in the end", 0)
	})
}

func TestAFullWheelSetsNothing(t *testing.T) {
	inBubble(t, timewheel.Config{MaxPending: 2}, func(t *testing.T, w *timewheel.Wheel) {
		first := w.AfterFunc(time.Hour, nothing)
		w.Every(time.Hour, nothing)
		for name, timer := range map[string]timewheel.Timer{
			"AfterFunc": w.AfterFunc(0, mustNotRun(t)),
			"At":        w.At(time.Now(), mustNotRun(t)),
			"Every":     w.Every(time.Second, mustNotRun(t)),
			"Repeat":    w.Repeat(time.Second, 3, mustNotRun(t)),
			"Schedule":  w.Schedule(hourly, mustNotRun(t)),
		} {
			if _, due := timer.Due(); !errors.Is(timer.Err(), timewheel.ErrFull) || due || timer.Stop() || timer.Reset(0) {
				t.Errorf("%s of a full wheel is not just refused: %v", name, timer.Err())
			}
		}
		time.Sleep(time.Minute)
		if st := w.Stats(); st.Live != 2 || st.Set != 2 || st.Cancelled != 0 {
			t.Errorf("%d live, %d set, %d cancelled; want 2, 2, 0", st.Live, st.Set, st.Cancelled)
		}
		first.Stop()
		if err := w.AfterFunc(time.Hour, nothing).Err(); err != nil {
			t.Errorf("after a Stop: %v", err)
		}
	})
}

// What waits for a worker is pending too.
func TestMaxPendingCountsTheQueue(t *testing.T) {
	inBubble(t, timewheel.Config{Run: timewheel.RunPool, Workers: 1, MaxPending: 5}, func(t *testing.T, w *timewheel.Wheel) {
		for range 4 { // one runs, three wait
			w.AfterFunc(time.Second, func() { time.Sleep(time.Minute) })
		}
		time.Sleep(2 * time.Second)
		for _, want := range []int{2, 3, 4, 5, 5} {
			synctest.Wait()
			if got := room(w); got != want {
				t.Errorf("after %d minutes there is room for %d, want %d", want-2, got, want)
			}
			time.Sleep(time.Minute)
		}
	})
}

// Many goroutines fill and empty a wheel: its count must come out even.
func TestMaxPendingUnderContention(t *testing.T) {
	const most = 100
	for _, run := range runs {
		w := timewheel.New(timewheel.Config{Run: run, MaxPending: most})
		var all sync.WaitGroup
		for seed := range 4 {
			all.Go(func() {
				for i := range 5000 {
					d := time.Duration((i*7+seed)%5) * 100 * time.Microsecond
					switch timer := w.Repeat(time.Millisecond/10, 1+i%2, nothing); i % 3 {
					case 0:
						timer.Stop()
					case 1:
						timer.Reset(d)
					default:
						w.AfterFunc(d, nothing)
					}
				}
			})
		}
		all.Wait()
		for deadline := time.Now().Add(10 * time.Second); w.Len() > 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond) // the last callbacks leave the queue
		if got := room(w); got != most {
			t.Errorf("Run %d: room for %d at the end, want %d", run, got, most)
		}
		stop(t, w)
	}
}
