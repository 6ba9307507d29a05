package timewheel_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
)

// keyedRun is a task of the stress test, with what must hold for it.
type keyedRun struct {
	mu        sync.Mutex
	notBefore time.Time // guarded by mu
	runs      int       // guarded by mu
	cancelled bool      // guarded by mu; Cancel has said true
	replaced  bool      // guarded by mu; it may have run before that
}

// contended is a key that many goroutines use at a time. What they do to it
// comes one after the other, so each knows which task it meets; the tasks run
// whenever they do.
type contended struct {
	t   *testing.T
	key int

	mu  sync.Mutex
	all []*keyedRun // guarded by mu; the last one is the present one, if any is
}

// run is the function of a task.
func (c *contended) run(r *keyedRun) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs++
	switch {
	case r.runs > 1:
		c.t.Errorf("key %d: a task ran %d times", c.key, r.runs)
	case r.cancelled:
		c.t.Errorf("key %d: a task ran after a Cancel that said true", c.key)
	case now.Before(r.notBefore):
		c.t.Errorf("key %d: a task ran %v early", c.key, r.notBefore.Sub(now))
	}
}

// set sets a task with the key, in the place of the present one.
func (c *contended) set(k *timewheel.Keyed[int], d time.Duration, repeat bool) {
	r := &keyedRun{notBefore: time.Now().Add(d)}
	var err error
	if repeat {
		err = k.Repeat(max(1, d), 1, c.key, func(int) { c.run(r) })
	} else {
		err = k.Delay(d, c.key, func(int) { c.run(r) })
	}
	if err != nil {
		c.t.Errorf("key %d: %v", c.key, err)
	}
	if n := len(c.all); n > 0 {
		old := c.all[n-1]
		old.mu.Lock()
		old.replaced = true
		old.mu.Unlock()
	}
	c.all = append(c.all, r)
}

func (c *contended) cancel(k *timewheel.Keyed[int]) {
	if !k.Cancel(c.key) {
		return
	}
	if len(c.all) == 0 {
		c.t.Errorf("key %d: Cancel said true before anything was set", c.key)
		return
	}
	r := c.all[len(c.all)-1]
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancelled || r.runs > 0 {
		c.t.Errorf("key %d: Cancel said true of a task that ran %d times, cancelled before: %t", c.key, r.runs, r.cancelled)
	}
	r.cancelled = true
}

func (c *contended) move(k *timewheel.Keyed[int], d time.Duration) {
	if len(c.all) == 0 {
		return
	}
	r := c.all[len(c.all)-1]
	r.mu.Lock() // it must not look at notBefore until that is right
	defer r.mu.Unlock()
	notBefore := time.Now().Add(d)
	if !k.Move(c.key, d) {
		return
	}
	if r.cancelled || r.runs > 0 {
		c.t.Errorf("key %d: Move said true of a task that ran %d times, cancelled: %t", c.key, r.runs, r.cancelled)
	}
	r.notBefore = notBefore
}

// settle checks that no task is lost.
func (c *contended) settle() {
	for i, r := range c.all {
		r.mu.Lock()
		if ends := r.runs > 0 || r.cancelled || r.replaced; !ends {
			c.t.Errorf("key %d: task %d of %d was lost", c.key, i, len(c.all))
		}
		r.mu.Unlock()
	}
}

// stressKeyed lets goroutines set, replace, move and cancel tasks of few keys.
func stressKeyed(t *testing.T, cfg timewheel.Config, goroutines, each int) {
	const keys, longest = 50, 3 * time.Millisecond
	w := timewheel.New(cfg)
	k := timewheel.NewKeyed(w, timewheel.KeyedConfig[int]{})
	contendeds := make([]contended, keys)
	for i := range contendeds {
		contendeds[i].t, contendeds[i].key = t, i
	}
	var wg sync.WaitGroup
	for seed := range uint64(goroutines) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, 7))
			for range each {
				c := &contendeds[random.IntN(keys)]
				d := time.Duration(random.Int64N(int64(longest)))
				c.mu.Lock()
				switch random.IntN(6) {
				case 0, 1:
					c.set(k, d, false)
				case 2:
					c.set(k, d, true)
				case 3:
					c.cancel(k)
				case 4:
					c.move(k, d)
				case 5:
					c.move(k, 0)
				}
				c.mu.Unlock()
				if random.IntN(8) == 0 {
					time.Sleep(time.Duration(random.Int64N(int64(longest))))
				}
			}
		})
	}
	wg.Wait()
	for deadline := time.Now().Add(30 * time.Second); k.Len() > 0 && time.Now().Before(deadline); {
		time.Sleep(longest)
	}
	if k.Len() != 0 || w.Len() != 0 {
		t.Errorf("%d tasks and %d timers are left", k.Len(), w.Len())
	}
	if pending, err := w.Stop(context.Background()); err != nil || len(pending) != 0 {
		t.Errorf("Stop: %v, with %d pending", err, len(pending))
	}
	for i := range contendeds {
		contendeds[i].settle()
	}
}

var keyedStressConfigs = map[string]timewheel.Config{
	"goroutines": {},
	"inline":     {Run: timewheel.RunInline},
	"pool":       {Run: timewheel.RunPool, Workers: 2},
}

// Tasks of a few keys are set, replaced, moved and cancelled by many goroutines
// while they run: none is early, lost or doubled, or runs after a Cancel that
// said true, and nothing is left of them.
func TestKeyedStress(t *testing.T) {
	for name, cfg := range keyedStressConfigs {
		t.Run(name, func(t *testing.T) { stressKeyed(t, cfg, 8, 4_000) })
	}
}

// In a bubble many of them come at the very instant at which a task is due.
func TestKeyedStressInABubble(t *testing.T) {
	for name, cfg := range keyedStressConfigs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { stressKeyed(t, cfg, 8, 4_000) })
		})
	}
}
