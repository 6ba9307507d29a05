package timewheel

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The states that the process has left by the time a test can see its default
// wheel.
func TestTheDefaultWheelBeforeItsFirstUse(t *testing.T) {
	delay := func(d *defaultWheel) error {
		return d.set("key", func() {}, func(k *Keyed[string], f func(string)) error { return k.Delay(time.Second, "key", f) })
	}
	synctest.Test(t, func(t *testing.T) {
		var d defaultWheel
		if d.running() != nil {
			t.Error("it runs before its first use")
		}
		if err := d.set("", nil, nil); err == nil || d.running() != nil {
			t.Errorf("a task that was refused, with %v, has started it", err)
		}
		if err := delay(&d); err != nil || d.running() == nil {
			t.Errorf("the first task has not started it: %v", err)
		}
		d.stop()

		var stopped defaultWheel
		stopped.stop()
		if err := delay(&stopped); !errors.Is(err, ErrStopped) || stopped.running() != nil {
			t.Errorf("stopped before its first use, then used: %v, want ErrStopped", err)
		}
		stopped.start()
		if err := delay(&stopped); err != nil {
			t.Errorf("started after that: %v", err)
		}
		stopped.stop()
	})
}

// What has expired when the default wheel is stopped does not start any more.
func TestStopOfTheDefaultWheelForgetsWhatHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := defaultWheel{keyed: NewKeyed(New(Config{Run: RunInline, Shards: 1}), KeyedConfig[string]{})}
		runs := 0
		for _, key := range []string{"a", "b", "c"} {
			err := d.set(key, func() {
				runs++
				d.stop()
			}, func(k *Keyed[string], f func(string)) error { return k.Delay(time.Second, key, f) })
			if err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if runs != 1 {
			t.Errorf("%d ran, want none after the one that stopped the wheel", runs)
		}
	})
}
