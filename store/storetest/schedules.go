package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// newSchedule returns a schedule whose next occurrence is at an instant.
func newSchedule(queue, key string, at task.Instant) *task.Schedule {
	return &task.Schedule{
		ID: newID(), Queue: queue, Key: key, Revision: 1, Created: t0, Updated: t0,
		Anchor: t0, Cursor: at, Next: at,
		Plan: &task.Plan{Rule: []byte(`{"every":"10m"}`), Task: task.Spec{Payload: []byte("payload"), ContentType: "text/plain"}},
	}
}

// fullSchedule returns a schedule with a value in every field, negative and
// large numbers among them.
func fullSchedule() *task.Schedule {
	s := newSchedule("queue.A_b-1", "key/with spaces & ünïcode", t0)
	s.Revision, s.Created, s.Updated, s.Anchor = 1<<62, 1, task.MaxInstant, -5
	s.Next, s.Turn, s.Last = t0+7, t0+7, t0-1
	s.Fired, s.Missed, s.Skipped = 1<<64-1, 1<<40, 3
	s.Queued = []task.Instant{t0 - 9, t0 - 5, t0 - 7}
	s.Zones = "2025c"
	s.Plan = &task.Plan{
		Rule: []byte{0, 1, 255, '\n', 0}, Times: 1<<64 - 1, Jitter: 24 * time.Hour,
		Misfire: task.Misfire{Policy: task.MisfireSkip, Limit: 1<<32 - 1, Window: 1<<63 - 1, Grace: time.Second},
		Overlap: task.OverlapReplace, QueueLimit: 1000,
		Task: task.Spec{
			Payload: []byte{0, 255, 0}, ContentType: "application/octet-stream",
			Metadata: map[string]string{"a": "1", "b": "", "ключ": "значение"},
			Webhook:  &task.Webhook{URL: "https://example.org/ünï", Headers: map[string]string{"X-A": "1", "X-B": ""}},
			Timeout:  time.Minute, Retention: -1, Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			Retry: task.Retry{MaxAttempts: 7, MinBackoff: time.Millisecond, MaxBackoff: time.Hour},
		},
	}
	return s
}

// movedOn returns s's next version without its plan, which is to be kept. s
// itself stays as it is.
func movedOn(s *task.Schedule, next task.Instant) *task.Schedule {
	c := s.Clone()
	c.Plan = nil
	c.Revision++
	c.Last, c.Cursor, c.Next, c.Updated = s.Cursor, next, next, s.Updated+1
	c.Fired++
	return c
}

// withPlan returns s with a plan.
func withPlan(s *task.Schedule, p *task.Plan) *task.Schedule {
	c := s.Clone()
	c.Plan = p
	return c
}

// scheduleEntry is s's row in the index of next instants.
func scheduleEntry(s *task.Schedule) store.Entry {
	return store.Entry{Pos: store.Pos{At: s.Next, ID: s.ID}, Ref: store.ScheduleRef(s), Schedule: true}
}

func (r *rig) shardOfSchedule(s *task.Schedule) int {
	return task.Shard(s.Queue, s.Key, r.s.Shards())
}

// put commits schedules, one commit for each.
func (r *rig) put(writes ...store.ScheduleWrite) {
	r.Helper()
	for _, w := range writes {
		r.must(r.s.Commit(r.ctx, r.scheduleBatch(w)))
	}
}

func (r *rig) scheduleBatch(w store.ScheduleWrite) store.Batch {
	s := w.Schedule
	if s == nil {
		s = w.Prev
	}
	shard := r.shardOfSchedule(s)
	return store.Batch{Shard: shard, Epoch: r.grants[shard].Epoch, Schedules: []store.ScheduleWrite{w}}
}

// putNew commits new schedules.
func (r *rig) putNew(schedules ...*task.Schedule) {
	r.Helper()
	for _, s := range schedules {
		r.put(store.ScheduleWrite{Schedule: s})
	}
}

// getSchedule reads one schedule.
func (r *rig) getSchedule(s *task.Schedule) *task.Schedule {
	r.Helper()
	found, err := r.s.GetSchedules(r.ctx, r.shardOfSchedule(s), []store.Ref{store.ScheduleRef(s)})
	r.must(err)
	if len(found) != 1 {
		r.Fatalf("GetSchedules of one schedule returned %d", len(found))
	}
	return found[0]
}

// sameSchedule fails unless two schedules are equal, plans included.
func (r *rig) sameSchedule(got, want *task.Schedule) {
	r.Helper()
	r.equal("schedule", showSchedule(got), showSchedule(want))
}

// showSchedule prints a schedule with what it points to.
func showSchedule(s *task.Schedule) string {
	if s == nil {
		return "no schedule"
	}
	c, plan := *s, "no plan"
	c.Plan = nil
	if s.Plan != nil {
		p, hook := *s.Plan, "none"
		if w := p.Task.Webhook; w != nil {
			hook = fmt.Sprintf("%q %q", w.URL, w.Headers)
		}
		p.Task.Webhook = nil
		plan = fmt.Sprintf("plan %+v webhook %s", p, hook)
	}
	return fmt.Sprintf("%+v %s", c, plan)
}

func showSchedules(schedules []*task.Schedule) []string {
	all := make([]string, len(schedules))
	for i, s := range schedules {
		all[i] = showSchedule(s)
	}
	return all
}

// listSchedules reads a whole listing in pages.
func (r *rig) listSchedules(shard int, q store.ScheduleQuery, page int) []string {
	r.Helper()
	q.Limit = page
	var all []*task.Schedule
	for {
		found, err := r.s.ListSchedules(r.ctx, shard, q)
		r.must(err)
		if len(found) > page {
			r.Fatalf("got %d schedules, the limit was %d", len(found), page)
		}
		all = append(all, found...)
		if len(found) < page {
			return showSchedules(all)
		}
		q.After = store.ScheduleRef(found[len(found)-1])
	}
}

// wantSchedules returns what ListSchedules must say, of one queue or, if that
// is "", of all, behind a place.
func (r *rig) wantSchedules(all []*task.Schedule, shard int, queue string, after store.Ref) []string {
	var want []*task.Schedule
	for _, s := range all {
		ref := store.ScheduleRef(s)
		if r.shardOfSchedule(s) == shard && (queue == "" || queue == s.Queue) && compareRefs(ref, after) > 0 {
			want = append(want, withPlan(s, nil))
		}
	}
	slices.SortFunc(want, func(a, b *task.Schedule) int {
		return compareRefs(store.ScheduleRef(a), store.ScheduleRef(b))
	})
	return showSchedules(want)
}

func compareRefs(a, b store.Ref) int {
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Key, b.Key))
}

func (r *rig) wantScheduleCount(queue string, want int64) {
	r.Helper()
	row, err := r.s.Queue(r.ctx, queue)
	r.must(err)
	r.equal("schedules of "+queue, row.Schedules, want)
}
