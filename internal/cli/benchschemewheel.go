package cli

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel"
)

const (
	fillAtATime     = 512 // timers are set between two looks at the clock
	pairsAtATime    = 64
	expiriesAtATime = 256
	// idleLead is how long Go's scheduler gets to come to rest, before a wheel counts
	// as idle.
	idleLead = 20 * time.Millisecond
)

// measuredWheel is a wheel with timers in it that are far away.
type measuredWheel struct {
	*timewheel.Wheel

	timers []timewheel.Timer
	delays [4096]time.Duration // made before, so that no measurement makes random numbers
	next   int                 // which of them comes next
}

func newMeasuredWheel(s timewheel.Scheme, tick time.Duration) *measuredWheel {
	w := &measuredWheel{Wheel: timewheel.New(timewheel.Config{Scheme: s, Tick: tick, Shards: 1, Run: timewheel.RunInline})}
	random := rand.New(rand.NewPCG(1, 2)) // the same for all schemes
	for i := range w.delays {
		w.delays[i] = time.Hour + time.Duration(random.Int64N(int64(time.Hour)))
	}
	return w
}

// delay returns a delay of one to two hours.
func (w *measuredWheel) delay() time.Duration {
	w.next++
	return w.delays[w.next%len(w.delays)]
}

// fill sets n timers. It returns false if that takes too long.
func (w *measuredWheel) fill(ctx context.Context, n int, patience time.Duration) (filled bool, err error) {
	begun := time.Now()
	w.timers = make([]timewheel.Timer, 0, n)
	for len(w.timers) < n {
		if len(w.timers)%fillAtATime == 0 {
			if ctx.Err() != nil || time.Since(begun) > patience {
				return false, ctx.Err()
			}
		}
		w.timers = append(w.timers, w.AfterFunc(w.delay(), nothing))
	}
	return true, nil
}

// close stops each timer, and then the wheel: for a list, whose Wheel.Stop looks
// for the earliest again and again, it would take for ever with timers in it.
func (w *measuredWheel) close() error {
	if w == nil {
		return nil
	}
	for _, t := range w.timers {
		t.Stop()
	}
	_, err := w.Stop(context.Background()) // no callback runs: there is nothing to wait for
	return err
}

func nothing() {}

// fire sets n timers that are due now, and returns when all have fired.
func (w *measuredWheel) fire(n int) {
	var fired sync.WaitGroup
	fired.Add(n)
	for range n {
		w.AfterFunc(0, fired.Done)
	}
	fired.Wait()
}

// setAndStop returns how many ns it takes to set a timer and stop it again.
func (w *measuredWheel) setAndStop(ctx context.Context, d time.Duration) float64 {
	pairs, begun := 0, time.Now()
	for time.Since(begun) < d && ctx.Err() == nil {
		for range pairsAtATime {
			w.AfterFunc(w.delay(), nothing).Stop()
		}
		pairs += pairsAtATime
	}
	return float64(time.Since(begun)) / float64(pairs)
}

// expire returns how many ns of processor time a timer takes from when it is set
// until its callback has run, all wake-ups of the wheel in the meantime included.
func (w *measuredWheel) expire(ctx context.Context, d time.Duration) float64 {
	expiries, begun, before := 0, time.Now(), cpuTime()
	for time.Since(begun) < d && ctx.Err() == nil {
		w.fire(expiriesAtATime)
		expiries += expiriesAtATime
	}
	return float64(cpuTime()-before) / float64(expiries)
}

// idle returns how many ms of processor time the wheel takes in a second. To go
// to sleep and to wake up takes this process some 0.2 ms, however long it sleeps,
// so that of a short sleep is taken off that of a long one.
func (w *measuredWheel) idle(ctx context.Context, d time.Duration) float64 {
	sleep(ctx, idleLead)
	short := cpuTimeAsleep(ctx, idleLead)
	long := cpuTimeAsleep(ctx, idleLead+d)
	return 1000 * float64(max(0, long-short)) / float64(d)
}

// cpuTimeAsleep returns the processor time that goes by in a sleep.
func cpuTimeAsleep(ctx context.Context, d time.Duration) time.Duration {
	before := cpuTime()
	sleep(ctx, d)
	return cpuTime() - before
}
