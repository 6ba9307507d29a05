package clock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watchSteps asks the kernel: a timerfd on the wall clock that is cancelled
// when somebody sets it. Reading goes through the runtime's poller, so no
// thread is held and an idle process stays idle.
func watchSteps(ctx context.Context, stepped func()) {
	f, err := openStepTimer()
	if err != nil {
		pollSteps(ctx, stepped)
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) }) // fails only if f is closed, which ends the read too
	defer stop()
	defer func() { _ = f.Close() }() // read-only: nothing to lose
	if ctx.Err() == nil {
		stepped() // a step from before the timer was armed went unnoticed
	}
	var expirations [8]byte
	for ctx.Err() == nil {
		_, err := f.Read(expirations[:])
		switch {
		case ctx.Err() != nil:
			return
		case err == nil, errors.Is(err, unix.ECANCELED):
			stepped()
			if armStepTimer(f) != nil {
				pollSteps(ctx, stepped)
				return
			}
		default:
			pollSteps(ctx, stepped)
			return
		}
	}
}

func openStepTimer() (*os.File, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "timerfd")
	if err := armStepTimer(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// armStepTimer sets the timer ten years ahead: so far that hardly anything but a
// step of the clock ends the wait, and near enough for the seconds of a 32-bit system.
func armStepTimer(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	spec := &unix.ItimerSpec{Value: unix.NsecToTimespec(time.Now().AddDate(10, 0, 0).UnixNano())}
	var armErr error
	err = raw.Control(func(fd uintptr) {
		armErr = unix.TimerfdSettime(int(fd), unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, spec, nil)
	})
	return errors.Join(err, armErr)
}
