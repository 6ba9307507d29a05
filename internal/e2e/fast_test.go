package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

// fastVariable makes this test's own program the one that is killed: a
// scheduler on the embedded store whose clock runs an hour in a second.
const fastVariable = "TIMEWHEEL_E2E_FAST"

// world is what all processes of one run agree on.
type world struct {
	Data  string    `json:"data"`
	Began time.Time `json:"began"` // by the real clock
	Epoch time.Time `json:"epoch"` // what the fast clock showed then
	Speed int       `json:"speed"`
}

// Now implements clock.Clock: the same in every process, whoever was killed when.
func (w world) Now() time.Time {
	return w.Epoch.Add(time.Since(w.Began) * time.Duration(w.Speed))
}

// WatchSteps implements clock.Clock: sleeping schedulers look again each
// millisecond, since they sleep by the real clock.
func (w world) WatchSteps(ctx context.Context, stepped func()) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			stepped()
		case <-ctx.Done():
			return
		}
	}
}

func (w world) open() (*pebblestore.Store, *scheduler.Scheduler, error) {
	st, err := pebblestore.Open(w.Data, pebblestore.Options{})
	if err != nil {
		return nil, nil, err
	}
	s, err := scheduler.Open(context.Background(), st, scheduler.Options{Clock: w, CatchUpRate: 1_000_000})
	if err != nil {
		_ = st.Close()
		return nil, nil, err
	}
	return st, s, nil
}

// runFast is the process that is killed.
func runFast(text string) error {
	var w world
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return err
	}
	_, s, err := w.open()
	if err != nil {
		return err
	}
	s.Handle("fast", func(context.Context, *task.Task) error { return nil }, scheduler.HandleOptions{Concurrency: 8})
	return s.Run(context.Background())
}

// outage kills the process after a while and starts it again after another.
func (w world) outage(t *testing.T, up, down time.Duration) {
	t.Helper()
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fastVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(up)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // "signal: killed" is no news
	time.Sleep(down)
}

// fastSchedules has each misfire policy over each kind of recurrence.
func fastSchedules() []scheduler.PutScheduleRequest {
	rules := map[string]recurrence.Spec{
		"minutely": {Cron: []string{"* * * * *"}},
		"hourly":   {Cron: []string{"0 * * * *"}, Zone: "Asia/Shanghai"},
		"nightly":  {Cron: []string{"30 2 * * *"}, Zone: "America/New_York"},
		"every":    {Every: 7 * time.Minute},
	}
	var all []scheduler.PutScheduleRequest
	for name, rule := range rules {
		for p, policy := range task.MisfirePolicies {
			for _, jitter := range []time.Duration{0, 3 * time.Minute} {
				misfire := task.Misfire{Policy: task.MisfirePolicy(p)}
				if misfire.Policy == task.MisfireAll {
					misfire.Limit = task.MaxMisfireLimit
				}
				all = append(all, scheduler.PutScheduleRequest{
					Queue: "fast", Key: fmt.Sprint(name, "-", policy, "-", jitter), Rule: rule,
					Plan: task.Plan{
						Jitter:  jitter,
						Misfire: misfire,
						Task:    task.Spec{Retention: 10 * 365 * 24 * time.Hour},
					},
				})
			}
		}
	}
	return all
}

// TestSchedulesLoseAndDoubleNothing kills a scheduler at random moments of some
// days on a fast clock, some of them hours apart. Then each occurrence has one
// task or was dropped by its policy, and the books say so.
func TestSchedulesLoseAndDoubleNothing(t *testing.T) {
	w := world{
		Data:  filepath.Join(t.TempDir(), "data"),
		Began: time.Now(), Epoch: time.Date(2026, 10, 31, 22, 0, 0, 0, time.UTC), Speed: 3600, // clocks go back in New York
	}
	st, s, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	began := make(map[string]task.Instant)
	for _, r := range fastSchedules() {
		res := s.PutSchedule(t.Context(), r)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		began[r.Key] = res.Schedule.Cursor
	}
	shut(t, st, s)
	outages := 12
	if testing.Short() {
		outages = 4
	}
	for i := range outages {
		down := time.Duration(rand.IntN(300)) * time.Millisecond
		if i%3 == 2 {
			down = 2 * time.Second // two hours
		}
		w.outage(t, time.Duration(200+rand.IntN(800))*time.Millisecond, down)
	}
	st, s, err = w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, st, s)
	time.Sleep(2 * time.Second) // it catches up
	total := 0
	for _, r := range fastSchedules() {
		info, err := s.PauseSchedule(t.Context(), r.Queue, r.Key)
		if err != nil {
			t.Fatal(err)
		}
		total += checkBooks(t, s, info, began[r.Key])
	}
	t.Logf("%d occurrences, %s on the fast clock, %d kills", total, w.Now().Sub(w.Epoch).Round(time.Minute), outages)
}

func shut(t *testing.T, st *pebblestore.Store, s *scheduler.Scheduler) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// checkBooks compares a schedule's tasks with its recurrence and its counts. It
// returns the number of occurrences so far.
func checkBooks(t *testing.T, s *scheduler.Scheduler, info *scheduler.ScheduleInfo, first task.Instant) int {
	t.Helper()
	rule, err := info.Rule.Compile(recurrence.Context{Key: info.Queue + "/" + info.Key, Anchor: info.Anchor.Time()})
	if err != nil {
		t.Fatal(err)
	}
	passed := recurrence.Between(rule, first.Time(), info.Cursor.Time(), 1_000_000)
	known := make(map[task.Instant]bool, len(passed))
	for _, at := range passed {
		known[task.CeilInstant(at)] = true
	}
	tasks := madeOf(t, s, info)
	missed := uint64(0)
	for _, tk := range tasks {
		if !known[tk.Occurrence] {
			t.Errorf("%s is no occurrence of its schedule", tk.Key)
		}
		missed += uint64(tk.Missed)
	}
	policy := info.Plan.Misfire.Policy
	switch {
	case int(info.Fired) != len(tasks):
		t.Errorf("%s: %d fired, but %d tasks", info.Key, info.Fired, len(tasks))
	case int(info.Fired+info.Missed) != len(passed):
		t.Errorf("%s: %d fired and %d missed of %d", info.Key, info.Fired, info.Missed, len(passed))
	case policy == task.MisfireAll && info.Missed > 0:
		t.Errorf("%s: %d were not made up for", info.Key, info.Missed)
	case (policy == task.MisfireOnce || policy == task.MisfireLast) && missed != info.Missed:
		t.Errorf("%s: its tasks stand for %d missed ones, of %d", info.Key, missed, info.Missed)
	}
	return len(passed)
}

// madeOf returns the tasks of a schedule's occurrences.
func madeOf(t *testing.T, s *scheduler.Scheduler, info *scheduler.ScheduleInfo) []*task.Task {
	t.Helper()
	var all []*task.Task
	for r := (scheduler.OccurrencesRequest{Queue: info.Queue, Key: info.Key, Past: scheduler.MaxPageSize}); ; {
		o, err := s.Occurrences(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o.Past...)
		if len(o.Past) < r.Past {
			return all
		}
		r.Before = o.Past[len(o.Past)-1].Occurrence
	}
}
