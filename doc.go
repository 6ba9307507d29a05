// Package timewheel runs functions at the right time, for programs that have
// very many timers: a timeout for each of a million connections, a delay for
// each of a hundred thousand orders.
//
//	w := timewheel.New(timewheel.Config{})
//	t := w.AfterFunc(30*time.Second, closeIdle)
//	t.Reset(30 * time.Second) // it was not idle after all
//	t.Stop()
//
// # The wheel
//
// Time is cut into ticks, 1 ms by default. A timer that is due within 64 ticks
// lies in the slot of its tick; one that is due within 64·64 lies in a coarser
// slot one level up, and so on, like the hands of a clock. When the present
// enters a coarse slot, its timers move to the finer level below.
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
// 32 bytes of memory, its function's own captures aside, and no object of its own.
//
// # What it promises
//
//   - Never early, not by a nanosecond: due instants are rounded up to ticks, the
//     present is rounded down.
//   - Late by up to one tick, and by what the operating system and the Go
//     scheduler take to wake the driver.
//   - A timer whose Stop or Reset returned true does not fire any more for its old
//     due instant. What is not stopped fires once.
//   - Time is the monotonic clock, which nobody can set. Only [Wheel.At] follows
//     the wall clock.
//
// # When package time is enough
//
//   - Some thousands of timers: [time.AfterFunc] costs a fraction of a
//     microsecond, and needs no one to stop it.
//   - A timer you wait for in a select: [time.NewTimer] gives you the channel.
//   - Delays that must not be rounded to a tick.
//   - Timers that mostly fire: the work then outweighs what the wheel saves.
//
// Take the wheel when timers come by the hundred thousand, and most of them are
// stopped or moved before they fire, as timeouts are.
//
// # Concurrency
//
// All methods may be called at once from any goroutine, and from callbacks. Each
// callback runs in a goroutine of its own, never under a lock of the wheel. A
// wheel starts one goroutine with its first timer, and one more with its first
// At; [Wheel.Stop] ends them. In a testing/synctest bubble a wheel that was made
// there follows the bubble's time; Stop it before the bubble ends.
//
// The package knows nothing of tasks and stores: timers live in this process and
// die with it. Package scheduler keeps those that must survive.
package timewheel
