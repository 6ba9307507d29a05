package timewheel

import (
	"fmt"
	"time"
)

// Rule is what recurs by more than an interval: calendars, cron lines. Many
// packages' schedules have this method.
type Rule interface {
	// Next returns the first occurrence after t, or the zero Time if there is none.
	// It is called in the goroutine that sets the timer, and later in the one that
	// ran its function, never under a lock. At first t is what Config.Clock shows, later
	// the occurrence before, in whatever location the rule gave it.
	Next(t time.Time) time.Time
}

// Missed says what becomes of the times that a repeating timer has missed, since
// its function, the driver or the machine took longer than until the next one.
type Missed uint8

const (
	// Skip drops them: the timer goes on with the next one in the future, in the
	// old phase. This is the default. The one that the timer was waiting for when the
	// driver was held up, or paused, still comes, late.
	Skip Missed = iota

	// Shift runs one at once and lets the others follow an interval apart, in a new
	// phase. For a Rule it does what Skip does.
	Shift

	// Burst runs all of them, one right after the other, until it has caught up.
	Burst
)

// String returns the name of the policy in lower case.
func (m Missed) String() string {
	if m > Burst {
		return fmt.Sprintf("Missed(%d)", uint8(m))
	}
	return [...]string{"skip", "shift", "burst"}[m]
}

// Option changes how a timer repeats.
type Option func(*repeat)

// OnMissed says what becomes of missed times.
func OnMissed(m Missed) Option {
	if m > Burst {
		panic(fmt.Sprintf("timewheel: there is no Missed(%d); take Skip, Shift or Burst", m))
	}
	return func(r *repeat) { r.missed = m }
}

// Anchor sets the phase of an interval: the timer is due at whole intervals
// from that instant, past or future, so it keeps its phase when the program
// starts anew, and many timers with anchors of their own don't all fire at once.
// The first time is the next such instant from now. The wall clock is read for that
// once; from then on the interval is one of the monotonic clock. A Rule has its own
// phase and heeds no anchor.
func Anchor(at time.Time) Option {
	return func(r *repeat) { r.anchor = at }
}

// Every calls f again and again, d apart, for the first time d from now; Config.Run
// says where. Runs of one timer never overlap: a time that comes while f still
// runs is missed, and [OnMissed] says what becomes of it; the phase is kept.
//
// A d that is less than a tick is not rounded up: each run is at the first tick
// after its time, and two times in one tick are one and a missed one.
//
// Every panics if d is not positive, as time.NewTicker does, or if f is nil. On a
// stopped or full wheel it does what [Wheel.AfterFunc] does.
func (w *Wheel) Every(d time.Duration, f func(), options ...Option) Timer {
	return w.Repeat(d, -1, f, options...)
}

// Repeat is [Wheel.Every] for a number of times: after that many the timer is
// over. Times that were missed and dropped don't count. Negative is for ever; for
// 0 nothing is set, and [Timer.Err] is ErrTimes.
func (w *Wheel) Repeat(d time.Duration, times int, f func(), options ...Option) Timer {
	mustHave(f)
	mustBePositive(d)
	if times == 0 {
		return Timer{handle: refusedTimes}
	}
	r := newRepeat(w, times, options)
	r.interval = d
	r.prepare(f)
	return r.start()
}

// Schedule calls f whenever the wall clock shows an instant that rule gives,
// until it gives none; Config.Run says where. It follows the wall clock like
// [Wheel.At], and no occurrence comes twice when that is set back. Runs never
// overlap; see [Wheel.Every].
//
// A rule that gives an instant which is not after the one it was asked for has
// ended. If rule has no occurrence, nothing is set, and [Timer.Err] is
// ErrNoOccurrence.
// Schedule panics if rule or f is nil.
func (w *Wheel) Schedule(rule Rule, f func(), options ...Option) Timer {
	mustHave(f)
	if rule == nil {
		panic("timewheel: the rule is nil")
	}
	r := newRepeat(w, -1, options)
	r.rule = rule
	r.prepare(f)
	return r.start()
}

func mustBePositive(d time.Duration) {
	if d <= 0 {
		panic(fmt.Sprintf("timewheel: the interval is %v; it must be positive", d))
	}
}

// repeat makes a special timer due again and again.
//
//	waiting ── expires ──▶ parked, running ── f returns ──▶ waiting …
//
// due, began, occurrence and the rule belong to whoever runs the function, and under
// shard.mu to anyone while nobody does.
type repeat struct {
	special
	wheel    *Wheel
	interval time.Duration // or
	rule     Rule
	missed   Missed
	anchor   time.Time

	due        time.Duration // of an interval: the present time, since tick 0
	began      time.Duration // when the function began to run
	occurrence time.Time     // of a rule: the present one

	last bool // of the driver's goroutine; the last time has begun

	left    int           // guarded by shard.mu; times that have not begun; negative: no end
	running bool          // guarded by shard.mu; the timer is parked
	moved   bool          // guarded by shard.mu; Reset was called meanwhile
	movedTo time.Duration // guarded by shard.mu
}

func newRepeat(w *Wheel, times int, options []Option) *repeat {
	r := &repeat{wheel: w, left: times}
	for _, option := range options {
		option(r)
	}
	return r
}

// prepare makes the timer run f.
func (r *repeat) prepare(f func()) {
	r.repeat = r
	r.f = f
	r.run = func() {
		r.began = r.wheel.now()
		defer r.again() // also if f panics or exits
		f()
	}
}

// start sets the timer for the first time.
func (r *repeat) start() Timer {
	w := r.wheel
	if r.rule != nil {
		now := w.clock.Now().Round(0)
		r.occurrence = r.rule.Next(now).Round(0)
		if !r.occurrence.After(now) {
			return Timer{handle: refusedNoOccurrence}
		}
		return w.addAt(r.occurrence, &r.special)
	}
	until := r.untilFirst()
	r.due = later(w.now(), until) // the monotonic clock is read last: late rather than early
	return w.addSpecial(&r.special, w.ticks.due(r.due))
}

// untilFirst returns how long it is until the first time of an interval.
func (r *repeat) untilFirst() time.Duration {
	if r.anchor.IsZero() {
		return r.interval
	}
	into := r.wheel.clock.Now().Sub(r.anchor) % r.interval
	if into < 0 {
		into += r.interval
	}
	return r.interval - into
}

// beginLocked counts a time that begins. It returns false if it is the last.
func (r *repeat) beginLocked() bool {
	if r.left == 1 {
		r.left, r.last = 0, true
		return false
	}
	if r.left > 0 {
		r.left--
	}
	r.running = true
	return true
}

// moveLocked is Reset while the function runs.
func (r *repeat) moveLocked(to time.Duration) { r.moved, r.movedTo = true, to }

// isRunningLocked reports whether the timer is parked.
func (sp *special) isRunningLocked() bool { return sp.repeat != nil && sp.repeat.running }

// again sets the timer for its next time when the function has returned. If the
// rule panics, the timer is over.
func (r *repeat) again() {
	goesOn := false
	defer func() { r.setNext(goesOn) }()
	goesOn = r.goOn()
}

// setNext sets the timer for the time that goOn went on to, or for the one that
// it was moved to meanwhile.
func (r *repeat) setNext(goesOn bool) {
	s, w := r.shard, r.wheel
	due := uint64(asleep)
	s.mu.Lock()
	switch {
	case s.closed || !r.running: // stopped, or this was the last time
	case r.moved:
		if !goesOn {
			r.left = 1
		}
		r.due, r.wall = r.movedTo, time.Time{}
		due = r.setLocked(w.ticks.due(r.due))
	case !goesOn:
		r.endLocked()
	case r.rule != nil:
		r.wall = r.occurrence
		due = r.setLocked(w.dueAt(r.wall))
	default:
		due = r.setLocked(w.ticks.due(r.due))
	}
	r.running, r.moved = false, false
	earlier := s.noteLocked(due)
	s.mu.Unlock()
	if earlier {
		w.waker.earlier(due)
	}
}

// setLocked sets the timer anew. It returns due, or asleep if it was stopped.
func (r *repeat) setLocked(due uint64) uint64 {
	if !r.shard.timers.Reset(r.handle, due) {
		return asleep
	}
	return due
}

// endLocked takes a timer out whose rule has ended.
func (r *repeat) endLocked() {
	if _, set := r.shard.timers.Due(r.handle); set {
		r.shard.specials.Zero(r.handle.Index()) // before Cancel, which may release its place
		r.shard.timers.Cancel(r.handle)
		r.wheel.discharge()
	}
}

// goOn goes on to the next time. It returns false if there is none.
func (r *repeat) goOn() bool {
	if r.rule == nil {
		r.due = r.nextDue(r.wheel.now())
		return true
	}
	next, ok := r.occurrenceAfter(r.occurrence)
	if now := r.wheel.clock.Now().Round(0); ok && !next.After(now) && r.missed != Burst {
		next, ok = r.occurrenceAfter(now)
	}
	r.occurrence = next
	return ok
}

func (r *repeat) occurrenceAfter(t time.Time) (next time.Time, ok bool) {
	next = r.rule.Next(t).Round(0)
	return next, next.After(t)
}

// nextDue returns the time of an interval that comes after due.
func (r *repeat) nextDue(now time.Duration) time.Duration {
	next := later(r.due, r.interval)
	switch {
	case r.missed == Shift && r.began >= next:
		return later(r.began, r.interval) // this run was the one at once
	case r.missed == Shift && next <= now:
		return now
	case r.missed != Skip || next > now:
		return next
	default:
		return later(now, r.interval-(now-r.due)%r.interval)
	}
}

// later returns the instant that is d after at, or forever if that is too far.
func later(at, d time.Duration) time.Duration {
	if d > forever-at {
		return forever
	}
	return at + max(0, d)
}
