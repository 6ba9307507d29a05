package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// makeUp has all that was missed made up for.
func makeUp(r *scheduler.PutScheduleRequest) {
	r.Plan.Misfire = task.Misfire{Policy: task.MisfireAll, Limit: task.MaxMisfireLimit}
}

// polls is a schedule of each second in a queue of its own.
func polls() scheduler.PutScheduleRequest {
	p := every("polls", time.Second)
	p.Queue = "other"
	return p
}

// wantPolls takes polls that are to come at most a second after one another.
func (r *rig) wantPolls(n int) {
	r.t.Helper()
	for range n {
		asked := r.clock.Now()
		l := r.next("other")
		r.mustSettle(l, success)
		if waited := r.clock.Now().Sub(asked); waited > time.Second {
			r.t.Errorf("%s came after %s", l.Task.Key, waited)
		}
	}
}

// While a queue has much to catch up with, one that has missed little does not wait
// behind it, neither after the same outage nor after another, short one.
func TestCatchingUpIsFair(t *testing.T) {
	bubble(t, scheduler.Options{CatchUpRate: 10}, func(t *testing.T, r *rig) {
		for i := range 200 {
			r.put(hourly(fmt.Sprint("s", i), makeUp))
		}
		r.put(polls())
		r.down(3*time.Hour + 30*time.Minute)
		r.wantPolls(3)
		r.down(3 * time.Second)
		r.wantPolls(3)
		r.clock.Step(2 * time.Second) // the machine slept
		r.wantPolls(3)
		r.clock.Step(2 * time.Minute)
		r.wantPolls(3)
	})
}

// A schedule that is put again and again, as it is, keeps the one place that it has
// in the line, and nobody waits longer for it.
func TestPuttingAgainTakesNoTurns(t *testing.T) {
	bubbleOf(t, 1, scheduler.Options{CatchUpRate: 10}, func(t *testing.T, r *rig) {
		r.put(every("s", time.Second, makeUp))
		r.down(2 * time.Hour)
		time.Sleep(time.Millisecond)
		turn := r.getSchedule("s").Next
		for range 200 {
			if s := r.put(every("s", time.Second, makeUp)); s.Next != turn {
				t.Fatalf("its turn was at %s, and is at %s", turn.Time(), s.Next.Time())
			}
		}
		r.put(polls())
		r.wantPolls(1)
		r.clock.Step(2 * time.Minute)
		r.wantPolls(3)
	})
}

// lateMade counts the tasks of schedules that were made when they had been missed.
func (r *rig) lateMade(rs []scheduler.PutScheduleRequest) (late int) {
	r.t.Helper()
	for _, s := range rs {
		o, err := r.Occurrences(r.t.Context(), scheduler.OccurrencesRequest{Queue: s.Queue, Key: s.Key, Past: 1000})
		if err != nil {
			r.t.Fatal(err)
		}
		for _, tk := range o.Past {
			if tk.Created.Sub(tk.Due) > task.DefaultGrace {
				late++
			}
		}
	}
	return late
}

// What was missed comes back no faster than Options.CatchUpRate says, over all
// queues, though more is missed while it does.
func TestTheRateOfCatchingUp(t *testing.T) {
	const n, rate, burst = 150, 1, 4
	bubble(t, scheduler.Options{CatchUpRate: rate}, func(t *testing.T, r *rig) {
		rs := make([]scheduler.PutScheduleRequest, n)
		for i := range rs {
			rs[i] = every(fmt.Sprint("s", i), time.Minute, makeUp)
			rs[i].Queue = []string{"q", "other"}[i%2]
			r.put(rs[i])
		}
		r.clock.Step(20*time.Minute + 30*time.Second)
		for minute := range 5 {
			time.Sleep(time.Minute)
			made, most := r.lateMade(rs), (minute+1)*60*rate+burst
			if made > most || made < most/2 {
				t.Errorf("%d minutes on %d were made, want %d at most", minute+1, made, most)
			}
		}
	})
}

// However many occurrences of an interval are missed, they are counted.
func TestMissedOnesAreCounted(t *testing.T) {
	bubble(t, scheduler.Options{}, func(t *testing.T, r *rig) {
		r.put(every("s", time.Second))
		r.down(24 * time.Hour)
		time.Sleep(time.Millisecond)
		r.wantMade("s", "00:00 ready +86399")
		if s := r.getSchedule("s"); s.Missed != 86399 || s.Fired != 1 {
			t.Errorf("missed %d, fired %d", s.Missed, s.Fired)
		}
	})
}

// sick is a store of two shards. Once it is armed, the first commit of many
// schedules waits at the gate, and the other shard fails.
type sick struct {
	store.Store
	gate chan struct{}

	mu    sync.Mutex // guards all below
	armed bool
	well  int // -1: none yet
}

func (s *sick) arm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = true
}

// waits says whether a commit is the one that waits.
func (s *sick) waits(b store.Batch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	const many = 100
	if !s.armed || s.well >= 0 || len(b.Schedules) <= many {
		return false
	}
	s.well = b.Shard
	return true
}

func (s *sick) fails(shard int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.well >= 0 && s.well != shard
}

func (s *sick) Commit(ctx context.Context, b store.Batch) error {
	if s.waits(b) {
		<-s.gate
	}
	if s.fails(b.Shard) {
		return errDisk
	}
	return s.Store.Commit(ctx, b)
}

func (s *sick) Due(ctx context.Context, shard int, after store.Pos, limit int) ([]store.Entry, error) {
	if s.fails(shard) {
		return nil, errDisk
	}
	return s.Store.Due(ctx, shard, after, limit)
}

// A shard whose disk fails does not keep the one permit for bulk work from a shard
// that can.
func TestPermitOfASickShard(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // for one permit
	synctest.Test(t, func(t *testing.T) {
		s := &sick{Store: memstore.New(2), gate: make(chan struct{}), well: -1}
		r := &rig{t: t, store: s, clock: &clock.Fake{}}
		r.open()
		defer func() { r.close() }()
		rs := make([]scheduler.PutScheduleRequest, 5000)
		for i := range rs {
			rs[i] = hourly(fmt.Sprint("s", i))
		}
		if _, err := r.PutSchedules(t.Context(), rs); err != nil {
			t.Fatal(err)
		}
		s.arm()
		time.Sleep(time.Hour + 5*time.Second) // the other shard fails and fails
		close(s.gate)
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, q := range rs {
			if key := q.Key + "@2000-01-01T01:00:00Z"; task.Shard("q", q.Key, 2) == s.well && r.state("q", key) != task.Ready {
				t.Fatalf("%s is not ready: the sick shard keeps the permit", key)
			}
		}
	})
}
