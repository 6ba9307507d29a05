package timewheel_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// expiredTogether sets tasks that expire in one batch of a wheel that runs them
// one after the other. When the first of them runs, the others have expired and
// nobody can stop their timers: it calls act, with their keys. It returns how
// often each of them ran within the next second.
func expiredTogether(t *testing.T, set func(k *timewheel.Keyed[string], d time.Duration, key string, f func(string)) error, act func(k *timewheel.Keyed[string], others []string)) map[string]int {
	t.Helper()
	ran := map[string]int{}
	inBubble(t, timewheel.Config{Run: timewheel.RunInline, Shards: 1}, func(t *testing.T, w *timewheel.Wheel) {
		k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
		keys := []string{"a", "b", "c"}
		for _, key := range keys {
			noError(t, set(k, time.Second, key, func(key string) {
				if ran[key]++; len(ran) == 1 && ran[key] == 1 {
					act(k, slices.DeleteFunc(slices.Clone(keys), func(other string) bool { return other == key }))
				}
			}))
		}
		time.Sleep(2*time.Second - 1)
		synctest.Wait()
		k.Drain()
		if k.Len() != 0 || w.Len() != 0 {
			t.Errorf("%d tasks and %d timers are left", k.Len(), w.Len())
		}
	})
	return ran
}

func TestWhatHasExpiredCanStillBeCancelled(t *testing.T) {
	for name, set := range setters {
		ran := expiredTogether(t, set, func(k *timewheel.Keyed[string], others []string) {
			for _, key := range others {
				if !k.Has(key) || !k.Cancel(key) || k.Has(key) || k.Cancel(key) {
					t.Errorf("%s: Cancel of a task that has expired and not started must be true, once", name)
				}
			}
		})
		if len(ran) != 1 {
			t.Errorf("%s: after a Cancel that said true, ran %v", name, ran)
		}
	}
}

func TestWhatHasExpiredCanStillBeReplaced(t *testing.T) {
	for name, set := range setters {
		var young fired
		ran := expiredTogether(t, set, func(k *timewheel.Keyed[string], others []string) {
			for _, key := range others {
				noError(t, k.Delay(500*time.Millisecond, key, young.noteKey))
			}
		})
		if len(ran) != 1 || len(young.at) != 2 {
			t.Errorf("%s: of two that were replaced ran %d, and %d of the replacements", name, len(ran)-1, len(young.at))
		}
	}
}

func TestWhatHasExpiredIsDrained(t *testing.T) {
	for name, set := range setters {
		ran := expiredTogether(t, set, func(k *timewheel.Keyed[string], others []string) {
			now := time.Now()
			tasks := k.Drain()
			for _, task := range tasks {
				if !slices.Contains(others, task.Key) {
					if name != "Every" || task.Due.Sub(now) != time.Second {
						t.Errorf("%s: drained the task that runs: %+v", name, task)
					}
				} else if !task.Due.Equal(now) || task.Times > 1 {
					t.Errorf("%s: drained %+v, want it due now", name, task)
				}
			}
			want := 2
			if name == "Every" {
				want = 3
			}
			if len(tasks) != want || k.Len() != 0 {
				t.Errorf("%s: drained %d of %d", name, len(tasks), want)
			}
		})
		if len(ran) != 1 {
			t.Errorf("%s: after Drain, ran %v", name, ran)
		}
	}
}

func TestWhatHasExpiredIsTooLateToMoveAndRunsOnce(t *testing.T) {
	for name, set := range setters {
		ran := expiredTogether(t, set, func(k *timewheel.Keyed[string], others []string) {
			for _, key := range others {
				if moved := k.Move(key, time.Hour); moved != (name == "Every") {
					t.Errorf("%s: Move of a task that has expired returned %t", name, moved)
				}
			}
		})
		for key, n := range ran {
			if n != 1 {
				t.Errorf("%s: %q ran %d times, want once", name, key, n)
			}
		}
		if len(ran) != 3 {
			t.Errorf("%s: %d of 3 ran", name, len(ran))
		}
	}
}

// What the driver has in its hands when the wheel is stopped is not handed back,
// so it runs, unless it is cancelled.
func TestWhatHasExpiredSurvivesStop(t *testing.T) {
	for name, set := range setters {
		for _, cancel := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := timewheel.New(timewheel.Config{Run: timewheel.RunInline, Shards: 1})
				k := timewheel.NewKeyed(w, timewheel.KeyedConfig[string]{})
				var ran atomic.Int64
				for _, key := range []string{"a", "b"} {
					noError(t, set(k, time.Second, key, func(string) {
						if ran.Add(1) == 1 {
							time.Sleep(time.Second)
						}
					}))
				}
				time.Sleep(1500 * time.Millisecond)
				go func() {
					time.Sleep(time.Millisecond)
					if k.Len() != 1 {
						t.Errorf("%s: %d tasks are left on the stopped wheel, want the one that has expired", name, k.Len())
					}
					if cancel && k.Cancel("a") == k.Cancel("b") {
						t.Errorf("%s: Cancel must be true for the one that has not started", name)
					}
				}()
				pending, err := w.Stop(t.Context())
				noError(t, err)
				want := int64(2)
				if cancel {
					want = 1
				}
				if len(pending) != 0 || ran.Load() != want || k.Len() != 0 {
					t.Errorf("%s, cancel %t: %d handed back, %d ran, %d left", name, cancel, len(pending), ran.Load(), k.Len())
				}
			})
		}
	}
}
