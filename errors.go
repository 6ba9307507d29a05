package timewheel

import "errors"

var (
	// ErrStopped is why nothing can be set any more: the wheel has been stopped.
	ErrStopped = errors.New("timewheel: the wheel is stopped")

	// ErrFull is why nothing was set: Config.MaxPending timers are pending.
	ErrFull = errors.New("timewheel: as many timers are pending as Config.MaxPending allows; try again when some have fired")

	// ErrInsideCallback is what Stop returns when a callback calls it: the wheel is
	// stopped, but Stop has not waited for callbacks, since it would wait for its own
	// caller.
	ErrInsideCallback = errors.New("timewheel: the wheel is stopped, but a callback that stops it can't wait for itself; its callbacks may still be running")
)
