package timewheel

import (
	"math"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const countsSuspend = true

// spin is how long before the instant a precise alarm wakes and watches the
// clock: a little more than a thread takes to wake.
const spin = 60 * time.Microsecond

// newAlarm returns an alarm on a timerfd: package time's timers round to whole
// milliseconds when the process is idle, the kernel's do not. If there is no
// timerfd to be had, package time has to do.
func newAlarm(w *Wheel) alarm {
	if inBubble() {
		return newSoftAlarm(w.now)
	}
	clock, flags := unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC
	if w.boot != nil {
		clock = unix.CLOCK_BOOTTIME
	}
	if !w.precise {
		flags |= unix.TFD_NONBLOCK
	}
	fd, err := unix.TimerfdCreate(clock, flags)
	if err != nil {
		return newSoftAlarm(w.now)
	}
	epoch := epochOf(int32(clock), w.now)
	if w.precise {
		return &preciseAlarm{fd: fd, epoch: epoch, now: w.now}
	}
	return &fileAlarm{fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), epoch: epoch}
}

// epochOf returns what the kernel's clock showed at tick 0. It may be too late by
// the time between two readings of the clock, never too early.
func epochOf(clock int32, now func() time.Duration) time.Duration {
	best, epoch := forever, time.Duration(0)
	for range 16 {
		before := now()
		kernel := readClock(clock)
		if took := now() - before; took < best {
			best, epoch = took, kernel-before
		}
	}
	return epoch
}

func readClock(clock int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		panic("timewheel: the kernel has no clock " + err.Error()) // it has had both since 2.6.39
	}
	return time.Duration(ts.Nano())
}

// bootClock returns a clock that starts at 0 and goes on while the machine is
// suspended.
func bootClock() func() time.Duration {
	start := readClock(unix.CLOCK_BOOTTIME)
	return func() time.Duration { return readClock(unix.CLOCK_BOOTTIME) - start }
}

// farthest is the farthest instant of a kernel clock that fits into the seconds
// of a 32-bit system: 68 years from boot.
const farthest = math.MaxInt32 * time.Second

// arm sets a timerfd to an instant of its clock.
func arm(fd int, epoch, at time.Duration) {
	var spec unix.ItimerSpec
	if at != forever {
		at = min(at, farthest-epoch)                              // what is farther rings too early, and is set again
		spec.Value = unix.NsecToTimespec(int64(max(1, epoch+at))) // 0 would disarm it
	}
	_ = unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME, &spec, nil) // fails only for a bad descriptor or value
}

// fileAlarm reads its timerfd through the runtime's poller, so no thread waits.
type fileAlarm struct {
	fd    int
	file  *os.File
	epoch time.Duration
}

func (a *fileAlarm) set(at time.Duration) { arm(a.fd, a.epoch, at) }

func (a *fileAlarm) wait() error {
	var expirations [8]byte
	_, err := a.file.Read(expirations[:])
	return err
}

func (a *fileAlarm) close() { _ = a.file.Close() } // nothing to lose

// preciseAlarm keeps a thread in the read of its timerfd, is woken early, and
// watches the clock for the rest.
type preciseAlarm struct {
	fd     int
	epoch  time.Duration
	now    func() time.Duration
	target atomic.Int64 // the instant to ring at
}

func (a *preciseAlarm) set(at time.Duration) {
	a.target.Store(int64(at))
	if at != forever {
		at = max(0, at-spin)
	}
	arm(a.fd, a.epoch, at)
}

func (a *preciseAlarm) wait() error {
	var expirations [8]byte
	for {
		_, err := unix.Read(a.fd, expirations[:])
		if err == unix.EINTR {
			continue
		}
		for err == nil && a.now() < time.Duration(a.target.Load()) {
			if time.Duration(a.target.Load())-a.now() > 2*spin {
				break // it was set to a later instant
			}
		}
		return err
	}
}

func (a *preciseAlarm) close() { _ = unix.Close(a.fd) } // nothing to lose
