package clock_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/timewheel-dev/timewheel/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRealShowsTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got := (clock.Real{}).Now(); !got.Equal(time.Now()) {
			t.Errorf("%s, want %s", got, time.Now())
		}
	})
}

// TestRealWatcherEnds with its context, and at once; goleak sees what stays.
func TestRealWatcherEnds(t *testing.T) {
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			clock.Real{}.WatchSteps(ctx, func() {})
		}()
		cancel()
		<-done
	}
}

func TestRealWatcherThatBeginsAfterItsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	clock.Real{}.WatchSteps(ctx, func() { t.Error("heard of a step that never was") })
}

// TestPollingHearsNothingWhileTheClocksAgree, however long, and ends at once.
func TestPollingHearsNothingWhileTheClocksAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour+time.Millisecond)
		defer cancel()
		began := time.Now()
		clock.PollSteps(ctx, func() { t.Error("heard of a step that never was") })
		if took := time.Since(began); took != 24*time.Hour+time.Millisecond {
			t.Errorf("ended after %s", took)
		}
	})
}
