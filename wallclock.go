package timewheel

import (
	"context"
	"sync"
	"time"
)

// At calls f when the wall clock shows t, and never while it shows less. The
// rules of [Wheel.AfterFunc] hold for a t that is past or far away, for a stopped
// or full wheel and for a nil f.
//
// When somebody sets the clock, the timer follows: on Linux at once, elsewhere
// within a second. A monotonic reading that t may carry is ignored.
func (w *Wheel) At(t time.Time, f func()) Timer {
	mustHave(f)
	return w.addAt(t, &special{f: f, run: f})
}

// addAt sets a special timer that follows the wall clock.
func (w *Wheel) addAt(t time.Time, sp *special) Timer {
	sp.wall = t.Round(0)
	w.watch.start(w)
	return w.addSpecial(sp, 0)
}

// dueAt returns the tick at which the wall clock will show t if nobody sets it.
// The monotonic clock is read last, so the tick is late rather than early.
func (w *Wheel) dueAt(t time.Time) uint64 {
	left := t.Sub(w.clock.Now())
	return w.ticks.after(w.now(), left)
}

// watch is the one goroutine that waits for somebody to set the wall clock.
type watch struct {
	once   sync.Once
	mu     sync.Mutex
	cancel context.CancelFunc // guarded by mu; nil until it was started
	over   bool               // guarded by mu; it must not start any more
}

// start starts the watch, once. It must come before the due of a timer is
// computed, and that under the shard's lock: so a later step is heard of, and
// finds the timer.
func (a *watch) start(w *Wheel) {
	a.once.Do(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.over {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		a.cancel = cancel
		w.users.Add(1)
		go func() {
			defer w.release()
			w.clock.WatchSteps(ctx, w.follow)
		}()
	})
}

func (a *watch) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.cancel != nil {
		a.cancel()
	}
}

// follow moves the timers that follow the wall clock after it was set.
func (w *Wheel) follow() {
	for i := range w.shards {
		w.shards[i].follow()
	}
}

func (s *shard) follow() {
	w := s.wheel
	earliest := uint64(asleep)
	s.mu.Lock()
	if s.timers != nil {
		s.specials.Each(func(sp **special) {
			if *sp != nil && !(*sp).wall.IsZero() && !(*sp).isRunningLocked() {
				due := w.dueAt((*sp).wall)
				s.timers.Reset((*sp).handle, due)
				earliest = min(earliest, due)
			}
		})
	}
	earlier := s.noteLocked(earliest)
	s.mu.Unlock()
	if earlier {
		w.waker.earlier(earliest)
	}
}
