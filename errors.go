package timewheel

import "errors"

var (
	// ErrStopped is why nothing can be set any more: the wheel has been stopped.
	ErrStopped = errors.New("timewheel: the wheel is stopped")

	// ErrFull is why nothing was set: Config.MaxPending timers are pending.
	ErrFull = errors.New("timewheel: as many timers are pending as Config.MaxPending allows; try again when some have fired")

	// ErrInterval is why nothing was set to repeat: the interval is not positive.
	ErrInterval = errors.New("timewheel: the interval must be positive")

	// ErrTimes is why nothing was set to repeat: the number of times is 0.
	ErrTimes = errors.New("timewheel: 0 times is nothing to repeat; give how often to run, or a negative number for ever")

	// ErrNoOccurrence is why nothing was scheduled: the rule has none in the future.
	ErrNoOccurrence = errors.New("timewheel: the rule has no occurrence from now on")

	// ErrKey is why nothing was set: what was given can't be a key. The error that
	// wraps it says why not.
	ErrKey = errors.New("timewheel: this can't be a key")

	// ErrNoFunc is why nothing was set: there is no function to call.
	ErrNoFunc = errors.New("timewheel: there is no function to call: it is nil, and there is no default to take its place")

	// ErrInsideCallback is what Stop returns when a callback calls it: the wheel is
	// stopped, but Stop has not waited for callbacks, since it would wait for its own
	// caller.
	ErrInsideCallback = errors.New("timewheel: the wheel is stopped, but a callback that stops it can't wait for itself; its callbacks may still be running")
)
