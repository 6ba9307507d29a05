package timewheel

import (
	"fmt"
	"sync"
	"time"
)

// theDefault is the wheel behind the functions of the package.
var theDefault defaultWheel

// defaultWheel makes a Keyed when one is needed. Its lock is never held while
// anything waits, so none of the functions ever blocks.
//
//	not yet ── Start or first use ──▶ running ── Stop ──▶ stopped ── Start ──▶ running
type defaultWheel struct {
	mu      sync.Mutex
	keyed   *Keyed[string] // guarded by mu; nil unless it is running
	stopped bool           // guarded by mu
}

// Start starts the default wheel, which [At], [Delay], [Every], [Repeat] and
// [Cancel] use. That is only needed after [Stop], since the first of them starts
// it as well. To start a wheel that is running does nothing.
//
// The default wheel is for the tasks of a program that needs one wheel, as it is
// made by [New] with the zero Config. Take a wheel of your own with a [Keyed] for
// anything else: to wait until functions have returned, to keep what did not run,
// to catch panics, to be alone with your keys, as a library has to be; also in a testing/synctest bubble, unless it is
// started and stopped in there.
func Start() { theDefault.start() }

// Stop stops the default wheel. No task starts any more, all are forgotten, and
// until [Start] nothing can be set: that is [ErrStopped]. Stop does not wait for functions
// that are running. To stop a wheel that is not running is no mistake; it is
// stopped then, too.
func Stop() { theDefault.stop() }

// Running reports whether the default wheel is running: by Start or by a first
// use, and not stopped since.
func Running() bool { return theDefault.running() != nil }

// At calls f when the wall clock shows t, by the rules of [Wheel.At]. A task that
// has the key is replaced: it does not start any more.
//
// An error says why nothing was set, and a task that has the key then stays as it
// was: [ErrKey] if the key is empty, [ErrNoFunc], or [ErrStopped] after [Stop].
func At(t time.Time, key string, f func()) error {
	return theDefault.set(key, f, func(k *Keyed[string], f func(string)) error { return k.At(t, key, f) })
}

// Delay calls f when d has passed, by the rules of [Wheel.AfterFunc]. Keys and
// errors are as with [At].
func Delay(d time.Duration, key string, f func()) error {
	return theDefault.set(key, f, func(k *Keyed[string], f func(string)) error { return k.Delay(d, key, f) })
}

// Every calls f again and again, d apart, for the first time d from now or as
// [Anchor] says, by the rules of [Wheel.Every]. Keys and errors are as with [At];
// besides, a d that is not positive is [ErrInterval].
func Every(d time.Duration, key string, f func(), options ...Option) error {
	return Repeat(d, -1, key, f, options...)
}

// Repeat is [Every] for a number of times; negative is for ever, 0 is [ErrTimes].
func Repeat(d time.Duration, times int, key string, f func(), options ...Option) error {
	return theDefault.set(key, f, func(k *Keyed[string], f func(string)) error {
		return k.Repeat(d, times, key, f, options...)
	})
}

// Cancel takes the task with the key out of the default wheel. It returns true if
// that keeps the task from running, or a repeating one from running again; see
// [Keyed.Cancel].
func Cancel(key string) bool {
	k := theDefault.running()
	return k != nil && k.Cancel(key)
}

// set checks what a task is made of and hands it to the Keyed, which must be
// running by then.
func (d *defaultWheel) set(key string, f func(), set func(*Keyed[string], func(string)) error) error {
	if key == "" {
		return fmt.Errorf("%w: it is empty; give each task one of its own, by which it is cancelled and replaced, or take Wheel.AfterFunc for tasks without", ErrKey)
	}
	if f == nil {
		return ErrNoFunc
	}
	k, err := d.use()
	if err != nil {
		return err
	}
	return set(k, func(string) { f() })
}

// use returns the running Keyed, and starts it unless it was stopped.
func (d *defaultWheel) use() (*Keyed[string], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return nil, ErrStopped
	}
	d.startLocked()
	return d.keyed, nil
}

func (d *defaultWheel) running() *Keyed[string] {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.keyed
}

func (d *defaultWheel) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = false
	d.startLocked()
}

func (d *defaultWheel) startLocked() {
	if d.keyed == nil {
		d.keyed = NewKeyed(New(Config{}), KeyedConfig[string]{})
	}
}

func (d *defaultWheel) stop() {
	d.mu.Lock()
	k := d.keyed
	d.keyed, d.stopped = nil, true
	d.mu.Unlock()
	if k != nil {
		k.wheel.shut()
		k.Drain() // also what has expired and was not claimed yet
	}
}
