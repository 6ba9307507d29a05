// Package timewheel runs functions at the right time, for programs that have
// very many timers: a timeout for each of a million connections, a delay for
// each of a hundred thousand orders.
//
//	w := timewheel.New(timewheel.Config{})
//	t := w.AfterFunc(30*time.Second, closeIdle)
//	t.Reset(30 * time.Second) // it was not idle after all
//	t.Stop()
//
// # What there is
//
//	AfterFunc, At                    once: after a delay, at a wall-clock time
//	Every, Repeat, Schedule          again and again: an interval, n times, a rule
//	NewTimer, NewTicker, After,      with channels, as package time has them
//	Tick, Sleep
//	Keyed                            by key: a second task of a key replaces the first
//	Start, Delay, Every, Cancel …    the same on a shared wheel, keyed by strings
//
// # The wheel
//
// Time is cut into ticks, 100 µs by default. A timer that is due before the next
// full 64 ticks lies in the slot of its tick; one that is due before the next full
// 64·64 lies in a coarser slot one level up, and so on, like the hands of a clock.
// When the present enters a coarse slot, its timers move to the finer level below.
//
//	                 now
//	                  ▼
//	level 0   · · · · │ · ● · · · · ● · ·   64 slots of one tick
//	level 1   · · · · · ▲ · ·●· · · · · ·   64 slots of 64 ticks
//	level 2   · · ▲ · · · · · · ·●· · · ·   64 slots of 4,096 ticks
//	   ⋮                                     11 levels: 2^64 ticks
//	one driver ───── sleeps until the next occupied slot
//
// So setting, moving and stopping a timer cost the same few steps whether ten
// timers are live or ten million, and nothing is done while nothing is due: the
// driver sleeps until the next occupied slot, however far that is. A timer takes
// 34 bytes of memory, its function's own captures aside, and no object of its own.
// Config.Scheme has five more structures, for comparison;
// docs/concepts/timing-wheels.md explains them all.
//
// # What it promises
//
//   - Never early, not by a nanosecond: due instants are rounded up to ticks, the
//     present is rounded down.
//   - Late by up to one tick, and by what the operating system and the Go
//     scheduler take to wake the driver: some 50 µs on an idle Linux machine, where
//     the driver waits for a timerfd and not for package time, whose timers round to
//     milliseconds. Config.Precise does better still.
//   - A timer whose Stop or Reset returned true does not fire any more for its old
//     due instant. What is not stopped fires once, and runs of one repeating timer
//     never overlap.
//   - Time is the monotonic clock, which nobody can set. Only [Wheel.At] and
//     [Wheel.Schedule] follow the wall clock, and all its steps.
//   - What a timer was to call is let go of when it has fired or was stopped, and
//     after a peak the memory of the timers goes back too.
//   - Nothing that sets a timer ever blocks. A wheel that is stopped or full says so in
//     [Timer.Err], and its channels then never send. Functions that are nil and intervals
//     that are not positive panic; keyed timers return an error.
//
// # When package time is enough
//
//	some thousands of timers                      time.AfterFunc: no wheel to stop
//	timers that nearly all fire, and rarely       time.AfterFunc: the work outweighs them
//	a channel that may just be forgotten          time.NewTimer: it is collected; here
//	                                              the wheel holds it until it fires
//	timers by the hundred thousand                the wheel: a quarter of the memory and
//	                                              of the time to set and stop one, a
//	                                              third of the collector's work
//	a million that come due within a second       the wheel, inline or with a pool;
//	                                              package time can fall seconds behind
//	punctual to a tenth of a millisecond          the wheel
//	by key; bounded; counted; handed back         the wheel
//	at the end; run by a pool
//	must survive the process                      package scheduler
//
// docs/performance.md has the figures.
//
// # Concurrency
//
// All methods may be called at once from any goroutine, and from callbacks. No
// callback ever runs under a lock of the wheel; [Run] says in which goroutine it
// does. A wheel starts one goroutine with its first timer, and one more with its
// first At; [Wheel.Stop] ends them. In a testing/synctest bubble a wheel that was
// made there follows the bubble's time; Stop it before the bubble ends.
//
// Timers are spread over shards with a lock each, by the goroutine that sets them.
//
//	AfterFunc ─▶ shard ─▶ timers (internal/wheel), functions
//	               │ next, the earliest due
//	               ▼
//	             waker ─▶ alarm (timerfd) ─▶ driver ─▶ batch ─▶ goroutine, pool or inline
//
// The package knows nothing of tasks and stores: timers live in this process and
// die with it. Package scheduler keeps those that must survive.
package timewheel
