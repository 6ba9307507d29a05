package timewheel

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Keyed keeps tasks on a [Wheel] by key: a task is found again by its key alone,
// and a second one with the same key replaces the first.
//
//	key ──▶ ticket ──▶ timer ──▶ task            claim: is the ticket still there?
//	        in a map             on the wheel    then it leaves, and the task runs
//
// Whoever takes the ticket out of the map decides what becomes of the task: the
// driver when the task is due, or else Cancel, Drain or a replacement. So a task
// that was cancelled, drained or replaced does not start any more once the call
// has returned, not even if it had expired before. The key of a task that starts
// is free: its function may set a new task with it.
//
// For a [Rule], keep the Timer of [Wheel.Schedule] by key yourself.
//
// A key must be equal to itself, so NaN is none, and where K is an interface it
// must have a hash. All methods may be called at once from any goroutine, and
// from the functions. Make one with [NewKeyed].
type Keyed[K comparable] struct {
	wheel    *Wheel
	fallback func(K)
	seed     maphash.Seed
	parts    []keyedPart[K] // a power of two
}

// KeyedConfig says how a [Keyed] works.
type KeyedConfig[K comparable] struct {
	// Default is called with the key of each task that has no function of its own.
	// nil means that every task must have one.
	Default func(K)
}

// KeyedTask is a task that [Keyed.Drain] has taken out before it ran.
type KeyedTask[K comparable] struct {
	Key K
	// Due is when it was to run next.
	Due time.Time
	// Func is its function, or the default.
	Func func(K)
	// Interval is that of a repeating task, 0 for others.
	Interval time.Duration
	// Times is how often it was still to run, negative for ever.
	Times int
}

// keyedPart is the tasks of some keys.
type keyedPart[K comparable] struct {
	mu      sync.Mutex
	tickets map[K]*ticket[K] // guarded by mu; nil if there were none yet
	most    int              // guarded by mu; how many the map had to hold

	_ [64]byte // the next part's lock is not on this one's cache line
}

// ticket stands for a task. It does not lead to the function while the task
// waits, so that the wheel can let go of that when it is stopped.
type ticket[K comparable] struct {
	timer   Timer                        // guarded by keyedPart.mu
	expired atomic.Pointer[keyedTask[K]] // has expired and was not claimed yet
}

// keyedTask is what the wheel holds.
type keyedTask[K comparable] struct {
	part   *keyedPart[K]
	ticket *ticket[K]
	key    K
	f      func(K)
	repeat *repeat // nil if it runs once

	due time.Time // guarded by shard.mu; of the last expiry
}

// NewKeyed returns a Keyed without tasks. Tasks of several Keyeds on one wheel
// have nothing to do with each other. It panics if w is nil.
//
// [Wheel.Stop] ends its tasks too, and hands them back as functions that know
// their key but don't tell it; where keys matter, Drain first.
func NewKeyed[K comparable](w *Wheel, cfg KeyedConfig[K]) *Keyed[K] {
	if w == nil {
		panic("timewheel: the wheel is nil; make one with New")
	}
	return &Keyed[K]{
		wheel:    w,
		fallback: cfg.Default,
		seed:     maphash.MakeSeed(),
		parts:    make([]keyedPart[K], len(w.shards)),
	}
}

// Delay calls f with key when d has passed, by the rules of [Wheel.AfterFunc]. If
// f is nil it calls the default function. A task that has the key is replaced: it
// does not start any more.
//
// An error says why nothing was set: [ErrKey], [ErrNoFunc], [ErrStopped] or
// [ErrFull]. A task that has the key then stays as it was. On a full wheel that
// goes for a replacement too; Move needs no room.
func (k *Keyed[K]) Delay(d time.Duration, key K, f func(K)) error {
	return k.once(key, f, func(sp *special) Timer {
		return k.wheel.addSpecial(sp, k.wheel.ticks.after(k.wheel.now(), d))
	})
}

// At calls f with key when the wall clock shows t, by the rules of [Wheel.At] and
// of [Keyed.Delay].
func (k *Keyed[K]) At(t time.Time, key K, f func(K)) error {
	return k.once(key, f, func(sp *special) Timer { return k.wheel.addAt(t, sp) })
}

// Every calls f with key again and again, d apart, by the rules of [Wheel.Every]
// and of [Keyed.Delay]. The error is [ErrInterval] if d is not positive.
//
// With [Anchor], for instance at the instant when the task was first created, its
// phase is the same after each start of the program, and many tasks are spread
// over the interval.
func (k *Keyed[K]) Every(d time.Duration, key K, f func(K), options ...Option) error {
	return k.Repeat(d, -1, key, f, options...)
}

// Repeat is [Keyed.Every] for a number of times; negative is for ever. The error
// is [ErrTimes] if it is 0. When the last time starts, the key is free.
func (k *Keyed[K]) Repeat(d time.Duration, times int, key K, f func(K), options ...Option) error {
	if d <= 0 {
		return fmt.Errorf("%w; it is %v", ErrInterval, d)
	}
	if times == 0 {
		return ErrTimes
	}
	t, err := k.newTask(key, f)
	if err != nil {
		return err
	}
	r := newRepeat(k.wheel, times, options)
	r.interval = d
	r.prepare(t.run)
	r.claim, r.keyed = t.claim, t
	t.repeat = r
	return t.set(r.start)
}

// Move lets the task run d from now, by the rules of [Timer.Reset]: a repeating
// one goes on from there, and a d of zero or less means at once. It returns
// false, and does nothing, if there is no task with the key, or if it is too late
// since the task has expired and is just about to start.
func (k *Keyed[K]) Move(key K, d time.Duration) bool {
	p, err := k.part(key)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tickets[key]
	return t != nil && t.timer.Reset(d)
}

// Cancel takes the task with the key out. It returns true if that keeps the task
// from running: it does not start any more. It returns false if there is none, or
// if it has run, is running or was handed back by [Wheel.Stop]. Cancel does not
// wait for a function that is running.
//
// Of a repeating task, it returns true if that ends the repeating; the function
// may be running for one of the earlier times.
func (k *Keyed[K]) Cancel(key K) bool {
	p, err := k.part(key)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tickets[key]
	if t == nil {
		return false
	}
	p.removeLocked(key)
	sp, _ := t.timer.take()
	return sp != nil || t.expired.Load() != nil
}

// Has reports whether there is a task with the key: one that is still to start,
// or that repeats.
func (k *Keyed[K]) Has(key K) bool {
	p, err := k.part(key)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return k.isLiveLocked(p.tickets[key])
}

// Due returns when the task with the key is to run next; see [Timer.Due]. It
// returns false if there is none, if it is just about to start, or if it repeats
// and its function is running.
func (k *Keyed[K]) Due(key K) (time.Time, bool) {
	p, err := k.part(key)
	if err != nil {
		return time.Time{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.tickets[key]; t != nil {
		return t.timer.Due()
	}
	return time.Time{}, false
}

// Len returns the number of tasks; see [Keyed.Has].
func (k *Keyed[K]) Len() int {
	n := 0
	for i := range k.parts {
		n += k.lenOf(&k.parts[i])
	}
	return n
}

func (k *Keyed[K]) lenOf(p *keyedPart[K]) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !k.wheel.stopped.Load() {
		return len(p.tickets)
	}
	n := 0
	for _, t := range p.tickets {
		if k.isLiveLocked(t) {
			n++
		}
	}
	return n
}

// isLiveLocked reports whether the task is the Keyed's: it was not handed back
// by Wheel.Stop.
func (k *Keyed[K]) isLiveLocked(t *ticket[K]) bool {
	return t != nil && (!k.wheel.stopped.Load() || t.expired.Load() != nil)
}

// Drain takes all tasks out and returns them in the order in which they were
// due. None of them starts any more. A function that is running goes on; if its
// task repeats, that is among the tasks, due at its next time.
func (k *Keyed[K]) Drain() []KeyedTask[K] {
	var tasks []KeyedTask[K]
	for i := range k.parts {
		for key, t := range k.parts[i].empty() {
			if task, ok := t.take(); ok {
				task.Key = key
				tasks = append(tasks, task)
			}
		}
	}
	slices.SortStableFunc(tasks, func(a, b KeyedTask[K]) int { return a.Due.Compare(b.Due) })
	return tasks
}

// empty takes all tickets out of the part. None of their tasks starts from then
// on, so the caller need not hold up the driver while it stops their timers.
func (p *keyedPart[K]) empty() map[K]*ticket[K] {
	p.mu.Lock()
	defer p.mu.Unlock()
	tickets := p.tickets
	p.tickets, p.most = nil, 0
	return tickets
}

// take stops the timer of a ticket that is in the map no more, and returns what
// it was to do, unless Wheel.Stop has handed that back.
func (t *ticket[K]) take() (_ KeyedTask[K], ok bool) {
	sp, due := t.timer.take()
	task, times := t.expired.Load(), 1
	switch {
	case task != nil: // that time has not run either
		due = task.due
	case sp == nil:
		return KeyedTask[K]{}, false
	default:
		task, times = sp.keyed.(*keyedTask[K]), 0
	}
	r := task.repeat
	if r == nil {
		return KeyedTask[K]{Due: due, Func: task.f, Times: 1}, true
	}
	if due.IsZero() {
		due = task.due.Add(r.interval)
	}
	if r.left < 0 {
		times = r.left
	} else {
		times += r.left
	}
	return KeyedTask[K]{Due: due, Func: task.f, Interval: r.interval, Times: times}, true
}

// once sets a task that runs once.
func (k *Keyed[K]) once(key K, f func(K), start func(*special) Timer) error {
	t, err := k.newTask(key, f)
	if err != nil {
		return err
	}
	run := t.run
	sp := &special{f: run, run: run, claim: t.claim, keyed: t}
	return t.set(func() Timer { return start(sp) })
}

func (k *Keyed[K]) newTask(key K, f func(K)) (*keyedTask[K], error) {
	if f == nil {
		f = k.fallback
	}
	if f == nil {
		return nil, ErrNoFunc
	}
	p, err := k.part(key)
	if err != nil {
		return nil, err
	}
	return &keyedTask[K]{part: p, ticket: &ticket[K]{}, key: key, f: f}, nil
}

// set starts the task's timer and puts its ticket into the map in the place of
// the one that is there. If the wheel refuses the timer, nothing has changed.
func (t *keyedTask[K]) set(start func() Timer) error {
	p := t.part
	p.mu.Lock()
	defer p.mu.Unlock()
	timer := start() // it can't be claimed before p is unlocked
	if err := timer.Err(); err != nil {
		return err
	}
	t.ticket.timer = timer
	if old := p.tickets[t.key]; old != nil {
		old.timer.take() // if it has expired, its claim fails
	}
	if p.tickets == nil {
		p.tickets = make(map[K]*ticket[K])
	}
	p.tickets[t.key] = t.ticket
	p.most = max(p.most, len(p.tickets))
	return nil
}

func (t *keyedTask[K]) run() { t.f(t.key) }

func (t *keyedTask[K]) expiredLocked(due time.Time) {
	t.due = due
	t.ticket.expired.Store(t)
}

// claim reports whether the task, which has expired, is to run. The driver calls
// it with no lock held.
func (t *keyedTask[K]) claim() bool {
	p := t.part
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tickets[t.key] != t.ticket {
		return false
	}
	t.ticket.expired.Store(nil)
	if t.repeat == nil || t.repeat.last {
		p.removeLocked(t.key)
	}
	return true
}

// removeLocked removes a ticket. A map keeps the size it once had, so after a
// peak the rest moves to a smaller one.
func (p *keyedPart[K]) removeLocked(key K) {
	delete(p.tickets, key)
	if n := len(p.tickets); p.most > 1024 && n < p.most/4 {
		smaller := make(map[K]*ticket[K], n)
		maps.Copy(smaller, p.tickets)
		p.tickets, p.most = smaller, n
	}
}

// part returns the part of a key, or why that can't be a key. It finds out before
// anything is locked.
func (k *Keyed[K]) part(key K) (p *keyedPart[K], err error) {
	if k.parts == nil {
		panic("timewheel: this Keyed is not from NewKeyed")
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: a %T has no hash, or holds what has none: %v", ErrKey, key, fault)
		}
	}()
	hash := maphash.Comparable(k.seed, key)
	if !isEqual(key, key) {
		return nil, fmt.Errorf("%w: %v is not equal to itself, so it could not be found again", ErrKey, key)
	}
	return &k.parts[hash&uint64(len(k.parts)-1)], nil
}

func isEqual[K comparable](a, b K) bool { return a == b }
