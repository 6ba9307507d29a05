package timewheel_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel"
)

// modelTick is the tick of the model test. Steps come at whole ticks; what they
// set is due at any nanosecond.
const modelTick = time.Millisecond

// keyedStep is a step of the model test.
type keyedStep struct {
	do    string
	key   int
	d     time.Duration
	times int
}

var keyedSteps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) keyedStep {
	ticks := rapid.IntRange(0, 100).Draw(t, "ticks")
	s := keyedStep{
		do:    rapid.SampledFrom([]string{"sleep", "sleep", "sleep", "delay", "at", "repeat", "repeat", "move", "cancel", "drain"}).Draw(t, "do"),
		key:   rapid.IntRange(0, 3).Draw(t, "key"),
		d:     time.Duration(ticks) * modelTick,
		times: rapid.SampledFrom([]int{-1, 1, 2, 5}).Draw(t, "times"),
	}
	if s.do != "sleep" {
		s.d += time.Duration(rapid.SampledFrom([]int{-1, 0, 1, 1000}).Draw(t, "ns"))
	}
	if s.do == "repeat" {
		s.d = max(s.d, modelTick) // less would miss times
	}
	return s
}), 1, 60)

// modelTask is a task of the model.
type modelTask struct {
	serial   int           // of the step that set it
	due      time.Duration // since the start
	wall     bool          // by At: its Due is not rounded
	interval time.Duration
	left     int
}

func (m *modelTask) tick() time.Duration {
	return (m.due + modelTick - 1).Truncate(modelTick)
}

// shown is what Due returns.
func (m *modelTask) shown() time.Duration {
	if m.wall {
		return m.due
	}
	return m.tick()
}

// keyedModel is a Keyed, and a plain map that it must agree with.
type keyedModel struct {
	keyed     *timewheel.Keyed[int]
	start     time.Time
	tasks     map[int]*modelTask
	got, want []string // what ran, and when
}

func (m *keyedModel) now() time.Duration { return time.Since(m.start) }

func ran(serial, key int, at time.Duration) string {
	return fmt.Sprintf("step %d, key %d, %v", serial, key, at)
}

// step does one step to both.
func (m *keyedModel) step(serial int, s keyedStep) error {
	f := func(key int) { m.got = append(m.got, ran(serial, key, m.now())) }
	set := &modelTask{serial: serial, due: m.now() + max(0, s.d), left: 1}
	task := m.tasks[s.key]
	switch s.do {
	case "sleep":
		time.Sleep(s.d)
		return nil
	case "move":
		if moved := m.keyed.Move(s.key, s.d); moved != (task != nil) {
			return fmt.Errorf("Move returned %t", moved)
		} else if moved {
			task.due, task.wall = set.due, false
		}
		return nil
	case "cancel":
		delete(m.tasks, s.key)
		if cancelled := m.keyed.Cancel(s.key); cancelled != (task != nil) {
			return fmt.Errorf("Cancel returned %t", cancelled)
		}
		return nil
	case "drain":
		return m.drain()
	}
	m.tasks[s.key] = set
	switch s.do {
	case "delay":
		return m.keyed.Delay(s.d, s.key, f)
	case "at":
		set.due, set.wall = m.now()+s.d, true
		return m.keyed.At(time.Now().Add(s.d), s.key, f)
	default:
		set.interval, set.left = s.d, s.times
		return m.keyed.Repeat(s.d, s.times, s.key, f)
	}
}

func (m *keyedModel) drain() error {
	var last time.Time
	for _, task := range m.keyed.Drain() {
		want := m.tasks[task.Key]
		if want == nil || !task.Due.Equal(m.start.Add(want.shown())) || task.Interval != want.interval || task.Times != want.left {
			return fmt.Errorf("drained %+v, want %+v", task, want)
		}
		if task.Due.Before(last) {
			return fmt.Errorf("drained a task that is due at %v after one of %v", task.Due, last)
		}
		last = task.Due
		delete(m.tasks, task.Key)
	}
	if len(m.tasks) > 0 {
		return fmt.Errorf("%d tasks were not drained", len(m.tasks))
	}
	return nil
}

// fire runs what the model holds that is due by now.
func (m *keyedModel) fire() {
	for key, task := range m.tasks {
		for task.left != 0 && task.tick() <= m.now() {
			m.want = append(m.want, ran(task.serial, key, task.tick()))
			task.due += task.interval
			if task.left > 0 {
				task.left--
			}
		}
		if task.left == 0 {
			delete(m.tasks, key)
		}
	}
}

// compare returns what is different between the two.
func (m *keyedModel) compare() error {
	slices.Sort(m.got)
	slices.Sort(m.want)
	if !slices.Equal(m.got, m.want) {
		return fmt.Errorf("ran %q, want %q", m.got, m.want)
	}
	if n := m.keyed.Len(); n != len(m.tasks) {
		return fmt.Errorf("Len is %d, want %d", n, len(m.tasks))
	}
	for key := range 4 {
		task := m.tasks[key]
		due, waits := m.keyed.Due(key)
		if has := m.keyed.Has(key); has != (task != nil) || waits != has {
			return fmt.Errorf("key %d: Has is %t and Due %t, want %+v", key, has, waits, task)
		}
		if waits && !due.Equal(m.start.Add(task.shown())) {
			return fmt.Errorf("key %d is due %v after the start, want %v", key, due.Sub(m.start), task.shown())
		}
	}
	return nil
}

// run does all steps in a bubble and returns the first difference.
func (m *keyedModel) run(t *testing.T, steps []keyedStep) (fault error) {
	synctest.Test(t, func(t *testing.T) {
		w := timewheel.New(timewheel.Config{Tick: modelTick, Run: timewheel.RunInline})
		m.keyed, m.start, m.tasks = timewheel.NewKeyed(w, timewheel.KeyedConfig[int]{}), time.Now(), map[int]*modelTask{}
		for i, s := range steps {
			err := m.step(i, s)
			synctest.Wait()
			m.fire()
			if err == nil {
				err = m.compare()
			}
			if err != nil {
				fault = fmt.Errorf("step %d, %+v: %w", i, s, err)
				break
			}
		}
		if _, err := w.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return fault
}

// Whatever is done to a Keyed, it agrees with a plain map: on what runs and when,
// on every answer, on what is there and when it is due.
func TestKeyedAgreesWithAMap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		if err := new(keyedModel).run(t, keyedSteps.Draw(r, "steps")); err != nil {
			r.Fatal(err)
		}
	})
}
