package clock_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/timewheel-dev/timewheel/clock"
)

// timers returns the open timerfds of this process.
func timers(t *testing.T) map[int]bool {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	fds := map[int]bool{}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if fd, bad := strconv.Atoi(e.Name()); err == nil && bad == nil && target == "anon_inode:[timerfd]" {
			fds[fd] = true
		}
	}
	return fds
}

// TestKernelWakesTheWatcher. A test must not set the machine's clock, so it makes
// the watcher's timer run out instead, which wakes it on the same path. Twice,
// because the watcher has to arm its timer again.
func TestKernelWakesTheWatcher(t *testing.T) {
	before := timers(t)
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		clock.Real{}.WatchSteps(ctx, func() { heard <- struct{}{} })
	}()
	fd := awaitTimer(t, before)
	<-heard // what may have been before the timer was armed
	for range 2 {
		expire(t, fd)
		<-heard
		awaitArmed(t, fd)
	}
	cancel()
	<-done
	if after := timers(t); len(after) != len(before) {
		t.Errorf("timers %v are open, before it were %v", after, before)
	}
}

// awaitTimer returns the timer that is not among the old ones, once it is armed.
func awaitTimer(t *testing.T, old map[int]bool) int {
	t.Helper()
	found := -1
	await(t, "a timer", func() bool {
		for fd := range timers(t) {
			if !old[fd] {
				found = fd
			}
		}
		return found >= 0
	})
	awaitArmed(t, found)
	return found
}

// awaitArmed returns when the timer waits for years.
func awaitArmed(t *testing.T, fd int) {
	t.Helper()
	await(t, "the timer to be armed", func() bool {
		var left unix.ItimerSpec
		if err := unix.TimerfdGettime(fd, &left); err != nil {
			t.Fatal(err)
		}
		return left.Value.Sec > 1<<28
	})
}

// await looks until it sees what it looks for. A bubble could not wait for the
// kernel.
func await(t *testing.T, what string, seen func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !seen() {
		if ctx.Err() != nil {
			t.Fatal("waited in vain for ", what)
		}
		runtime.Gosched()
	}
}

// expire makes a timer run out now.
func expire(t *testing.T, fd int) {
	t.Helper()
	spec := &unix.ItimerSpec{Value: unix.Timespec{Nsec: 1}}
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, spec, nil); err != nil {
		t.Fatal(fmt.Errorf("timer %d: %w", fd, err))
	}
}

// TestWatchersLeaveNoTimerOpen counts what goleak can't see.
func TestWatchersLeaveNoTimerOpen(t *testing.T) {
	before := len(timers(t))
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		clock.Real{}.WatchSteps(ctx, func() {})
	}
	if after := len(timers(t)); after != before {
		t.Errorf("%d timers are open, before it were %d", after, before)
	}
}
