package main

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	stressAdders   = 2
	stressMeddlers = 2
	// stressAdding is the time over which timers are set, so that others fire
	// meanwhile; stressDelay is the longest delay.
	stressAdding = time.Second
	stressDelay  = 2 * time.Second
	// stressAgain is the longest delay that a timer is reset to.
	stressAgain = 500 * time.Millisecond
	// stressQuiet is how long nothing must fire, with all that is due past its due,
	// for what is missing to count as lost.
	stressQuiet = 3 * time.Second
)

// stress sets timers of random delays from two goroutines while two others stop
// 30 % of them and reset 30 %, half of these as close to the due as can be. Then
// it asks of each timer whether what happened is what its calls had reported.
// A rival that reports nothing is only asked for what must hold either way.
func stress[H any](t timers[H], is traits, p plan) figures {
	s := newStressed[H](p)
	var busy sync.WaitGroup
	s.start = time.Now()
	for k := range stressAdders {
		busy.Go(func() { s.add(t, k) })
	}
	for k := range stressMeddlers {
		busy.Go(func() { s.meddle(t, k) })
	}
	busy.Wait()
	s.rest(p)
	return s.verdict(is)
}

// stressed is all timers of the workload. Instants are since start.
type stressed[H any] struct {
	start  time.Time
	timers []target[H]
	fires  atomic.Int64 // of all timers
}

// target is one timer, what is to be done to it and what came of it.
type target[H any] struct {
	// The plan, written before the start.
	addAt, due, meddleAt time.Duration
	meddling             meddling
	again                time.Duration // the delay that it is reset to

	handle H           // written by the adder before set
	set    atomic.Bool // the meddler waits for it
	said   bool        // written by the meddler: what Stop or Reset returned
	resets time.Duration

	fires atomic.Int32
	fired [2]atomic.Int64 // when the first two callbacks ran
}

// meddling is what is done to a timer after it was set.
type meddling uint8

const (
	leave meddling = iota
	stop
	reset
)

func newStressed[H any](p plan) *stressed[H] {
	s := &stressed[H]{timers: make([]target[H], p.count(400_000))}
	random, adding := p.random(1), p.span(stressAdding)
	for i := range s.timers {
		m := &s.timers[i]
		m.addAt = adding * time.Duration(i) / time.Duration(len(s.timers))
		delay := random.within(p.span(stressDelay))
		m.due = m.addAt + delay
		m.again = random.within(p.span(stressAgain))
		m.meddling = []meddling{stop, stop, stop, reset, reset, reset, leave, leave, leave, leave}[random.below(10)]
		m.meddleAt = m.addAt + random.within(delay+1)
		if random.below(2) == 0 {
			m.meddleAt = m.due + random.within(2*time.Millisecond) - 1500*time.Microsecond // a sleep is late by half a millisecond
		}
	}
	return s
}

// add sets every timer that is this adder's, at its instant.
func (s *stressed[H]) add(t timers[H], adder int) {
	for i := adder; i < len(s.timers); i += stressAdders {
		m := &s.timers[i]
		s.sleepTo(m.addAt)
		m.due = max(m.due, time.Since(s.start)) // an adder that lags asks for what is possible
		m.handle = t.AfterFunc(m.due-time.Since(s.start), func() { s.fire(m) })
		m.set.Store(true)
	}
}

func (s *stressed[H]) fire(m *target[H]) {
	now := time.Since(s.start)
	if k := int(m.fires.Add(1)); k <= len(m.fired) {
		m.fired[k-1].Store(int64(now))
	}
	s.fires.Add(1)
}

// meddle stops or resets every timer that is this meddler's, at its instant.
func (s *stressed[H]) meddle(t timers[H], meddler int) {
	var mine []*target[H]
	for i := meddler; i < len(s.timers); i += stressMeddlers {
		if s.timers[i].meddling != leave {
			mine = append(mine, &s.timers[i])
		}
	}
	slices.SortFunc(mine, func(a, b *target[H]) int { return cmp.Compare(a.meddleAt, b.meddleAt) })
	for _, m := range mine {
		s.sleepTo(m.meddleAt)
		for !m.set.Load() {
			time.Sleep(100 * time.Microsecond) // the adder lags
		}
		if m.meddling == stop {
			m.said = t.Stop(m.handle)
			continue
		}
		m.resets = time.Since(s.start) + m.again
		m.said = t.Reset(m.handle, m.again)
	}
}

// sleepTo returns at the instant, or at once if it has passed.
func (s *stressed[H]) sleepTo(at time.Duration) {
	if left := at - time.Since(s.start); left > 0 {
		time.Sleep(left)
	}
}

// rest returns when all dues have passed and nothing has fired for a while.
func (s *stressed[H]) rest(p plan) {
	var last time.Duration
	for i := range s.timers {
		last = max(last, s.timers[i].due, s.timers[i].resets)
	}
	s.sleepTo(last)
	quiet := max(p.span(stressQuiet), time.Second)
	for before, now := int64(-1), s.fires.Load(); before != now; now = s.fires.Load() {
		before = now
		time.Sleep(quiet)
	}
}
