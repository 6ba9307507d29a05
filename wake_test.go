package timewheel

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// The race between the driver that goes to sleep and those who set timers, in
// every order in which their steps can come: the waker under test is the real one,
// held at each of its points until the schedule lets it go on. When all is done,
// the alarm must be set for the earliest timer or before.
func TestNoWakeUpIsMissedInAnyOrderOfSteps(t *testing.T) {
	for _, c := range []struct {
		name  string
		wakes int // how often the driver wakes for nothing on top
		dues  [][]uint64
	}{
		{"one adder", 2, [][]uint64{{50, 30}}},
		{"two adders in two shards", 1, [][]uint64{{70}, {60}}},
		{"equal dues", 1, [][]uint64{{50}, {50}}},
		{"two adders, one sets twice", 0, [][]uint64{{80, 40}, {60}}},
	} {
		orders, fault := exploreWaker(c.dues, c.wakes, false)
		if fault != "" {
			t.Errorf("%s: %s", c.name, fault)
		}
		if orders < 1000 {
			t.Errorf("%s: only %d orders were tried", c.name, orders)
		}
		t.Logf("%s: %d orders", c.name, orders)
	}
}

// The search above must be able to find what it looks for: if the driver did not
// look again after it has said until when it sleeps, a wake-up could be missed.
func TestTheSearchFindsAMissedWakeUp(t *testing.T) {
	if _, fault := exploreWaker([][]uint64{{50}}, 1, true); fault == "" {
		t.Error("a waker that does not look twice passed")
	}
}

// exploreWaker tries all orders. Each adder sets timers in a shard of its own.
func exploreWaker(dues [][]uint64, wakes int, looksOnce bool) (orders int, fault string) {
	var choices []int // which of those that can go on went on, at each step
	for {
		orders++
		taken, options, bad := runWaker(newDrill(dues, wakes, looksOnce), choices)
		if bad != "" {
			return orders, fmt.Sprintf("%s, in the order %v", bad, taken)
		}
		// The next order: the last step that has another choice takes it.
		last := len(taken) - 1
		for last >= 0 && taken[last]+1 == options[last] {
			last--
		}
		if last < 0 {
			return orders, ""
		}
		choices = append(slices.Clone(taken[:last]), taken[last]+1)
	}
}

// stepper is a goroutine that goes on only when it is told to.
type stepper struct {
	turn chan bool   // false: it must end
	came chan string // where it has come to; "" is its end
	at   string
}

func newStepper(run func()) *stepper {
	s := &stepper{turn: make(chan bool), came: make(chan string), at: "begin"}
	go func() {
		defer func() { s.came <- "" }()
		if <-s.turn {
			run()
		}
	}()
	return s
}

func (s *stepper) step(goOn bool) {
	s.turn <- goOn
	s.at = <-s.came
}

// pass is called by the goroutine itself.
func (s *stepper) pass(point string) {
	s.came <- point
	if !<-s.turn {
		runtime.Goexit()
	}
}

// drill is a waker with its surroundings, and the alarm of it.
type drill struct {
	waker  waker
	nexts  []atomic.Uint64 // of the shards
	sounds uint64          // the tick that the alarm is set to
	wakes  int             // how often the driver may still wake, for nothing
	driver *stepper
	all    []*stepper
	now    *stepper // whose turn it is
}

func (d *drill) set(at time.Duration) { d.sounds = uint64(at) }
func (d *drill) close()               {}
func (d *drill) wait() error          { d.now.pass("asleep"); return nil }

// earliest is as that of a Wheel, in steps.
func (d *drill) earliest() uint64 {
	least := uint64(asleep)
	for i := range d.nexts {
		d.now.pass("looks")
		least = min(least, d.nexts[i].Load())
	}
	return least
}

func newDrill(dues [][]uint64, wakes int, looksOnce bool) *drill {
	d := &drill{nexts: make([]atomic.Uint64, len(dues)), wakes: wakes}
	looks := 0
	d.waker = waker{
		begin: func(tick uint64) time.Duration { return time.Duration(tick) },
		alarm: d,
		pass:  func(point string) { d.now.pass(point) },
		earliest: func() uint64 {
			if looks++; looksOnce && looks%2 == 0 {
				return asleep // as if it had not looked
			}
			return d.earliest()
		},
	}
	d.driver = newStepper(func() {
		for d.waker.sleep() {
		}
	})
	d.all = append(d.all, d.driver)
	for i, shard := range dues {
		next := &d.nexts[i]
		next.Store(asleep)
		d.all = append(d.all, newStepper(func() {
			for _, due := range shard {
				if due < next.Load() {
					next.Store(due)
					d.waker.earlier(due)
				}
			}
		}))
	}
	return d
}

// runWaker runs one order: it takes the given choices and then always the first.
func runWaker(d *drill, choices []int) (taken, options []int, fault string) {
	for able := d.able(); len(able) > 0; able = d.able() {
		choice := 0
		if step := len(taken); step < len(choices) {
			choice = choices[step]
		}
		taken, options = append(taken, choice), append(options, len(able))
		d.now = able[choice]
		if d.now == d.driver && d.now.at == "asleep" {
			d.wakes--
		}
		d.now.step(true)
	}
	least := uint64(asleep)
	for i := range d.nexts {
		least = min(least, d.nexts[i].Load())
	}
	if d.driver.at != "asleep" {
		fault = fmt.Sprintf("the driver is held up at %q", d.driver.at)
	} else if d.sounds > least {
		fault = fmt.Sprintf("the alarm is set to %d, but a timer is due at %d", d.sounds, least)
	}
	for _, s := range d.all {
		if s.at != "" {
			s.step(false)
		}
	}
	return taken, options, fault
}

// able returns those who can go on. The driver holds the waker's lock from its
// first look until it sleeps, so nobody gets past "earlier" meanwhile.
func (d *drill) able() (able []*stepper) {
	holds := d.driver.at == "looks" || d.driver.at == "looked" || d.driver.at == "published"
	for _, s := range d.all {
		switch {
		case s.at == "", s == d.driver && s.at == "asleep" && d.wakes == 0, s != d.driver && s.at == "earlier" && holds:
		default:
			able = append(able, s)
		}
	}
	return able
}
