package scheduler_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/memstore"
	"github.com/timewheel-dev/timewheel/task"
)

// scheduleModel is what a user knows of a few schedules. Each has a queue of its
// own, so that its tasks are all that are there.
type scheduleModel struct {
	t         *rapid.T
	rig       *rig
	store     *faulty
	schedules map[string]*known
	replaced  map[string]bool // tasks that were scheduled by their keys
	stepped   bool            // the clock was set back: instants may come twice
}

// known is what is known of one schedule.
type known struct {
	req       scheduler.PutScheduleRequest
	from      task.Instant    // the first occurrence that is not in passed
	passed    uint64          // occurrences between changes that moved the cursor
	triggered uint64          // and acknowledged
	unsure    uint64          // triggers that failed half-way
	old       map[string]bool // tasks of a schedule that had the key before
	loose     bool            // its overlap policy changed, or its tasks were replaced
	open      bool            // the counts can't be foretold: a call failed half-way
}

func (m *scheduleModel) key() string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(m.t, "key")
}

func (m *scheduleModel) now() task.Instant { return task.FloorInstant(m.rig.clock.Now()) }

func queueOf(key string) string { return "q" + key }

// draw makes a schedule.
func (m *scheduleModel) draw(key string) scheduler.PutScheduleRequest {
	queue := queueOf(key)
	r := scheduler.PutScheduleRequest{Queue: queue, Key: key, Rule: m.rule()}
	r.Plan.Times = rapid.SampledFrom([]uint64{0, 0, 0, 1, 2, 5, 30}).Draw(m.t, "times")
	r.Plan.Jitter = rapid.SampledFrom([]time.Duration{0, 0, time.Second, 5 * time.Minute, 24 * time.Hour}).Draw(m.t, "jitter")
	r.Plan.Misfire = task.Misfire{
		Policy: task.MisfirePolicy(rapid.IntRange(0, len(task.MisfirePolicies)-1).Draw(m.t, "misfire")),
		Limit:  rapid.SampledFrom([]uint32{0, 1, 3, 500}).Draw(m.t, "limit"),
		Window: rapid.SampledFrom([]time.Duration{0, 0, time.Minute, 3 * time.Hour}).Draw(m.t, "window"),
		Grace:  rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(m.t, "grace"),
	}
	r.Plan.Overlap = task.Overlap(rapid.IntRange(0, len(task.Overlaps)-1).Draw(m.t, "overlap"))
	r.Plan.QueueLimit = rapid.SampledFrom([]uint32{0, 1, 4}).Draw(m.t, "queue limit")
	r.Plan.Task = task.Spec{
		Payload: make([]byte, rapid.SampledFrom([]int{0, 10, 100_000}).Draw(m.t, "size")),
		Timeout: time.Minute, Retention: 10_000 * time.Hour,
		Retry: task.Retry{MaxAttempts: 3, MinBackoff: time.Second, MaxBackoff: time.Minute},
	}
	return r
}

func (m *scheduleModel) rule() recurrence.Spec {
	switch rapid.IntRange(0, 3).Draw(m.t, "kind") {
	case 0:
		return recurrence.Spec{Every: rapid.SampledFrom([]time.Duration{
			11 * time.Second, time.Minute, 7 * time.Minute, time.Hour, 25 * time.Hour,
		}).Draw(m.t, "every"), Spread: rapid.Bool().Draw(m.t, "spread")}
	case 1:
		var at []time.Time
		for range rapid.IntRange(1, 4).Draw(m.t, "instants") {
			at = append(at, m.now().Time().Add(time.Duration(rapid.Int64Range(1, 4*3600_000).Draw(m.t, "at"))*time.Millisecond))
		}
		return recurrence.Spec{At: at}
	}
	line := rapid.SampledFrom([]string{"* * * * *", "*/20 * * * * *", "0 * * * *", "30 9 * * *", "0 0 * * mon-fri", "H H(0-3) * * *"})
	zone := rapid.SampledFrom([]string{"", "Europe/Berlin", "Pacific/Apia"})
	return recurrence.Spec{Cron: []string{line.Draw(m.t, "cron")}, Zone: zone.Draw(m.t, "zone")}
}

// info reads a schedule, nil if there is none.
func (m *scheduleModel) info(key string) *scheduler.ScheduleInfo {
	queue := queueOf(key)
	s, err := m.rig.GetSchedule(context.Background(), queue, key)
	if errors.Is(err, scheduler.ErrNoSchedule) {
		return nil
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// between counts the occurrences of a schedule in [from, to).
func (m *scheduleModel) between(s *scheduler.ScheduleInfo, from, to task.Instant) uint64 {
	rule, err := s.Rule.Compile(recurrence.Context{Key: s.Queue + "/" + s.Key, Anchor: s.Anchor.Time()})
	if err != nil {
		m.t.Fatal(err)
	}
	return uint64(len(recurrence.Between(rule, from.Time(), to.Time(), 1_000_000)))
}

// put schedules a key, anew or with another plan.
func (m *scheduleModel) put() {
	key := m.key()
	synctest.Wait()
	k, before := m.schedules[key], m.info(key)
	req := m.draw(key)
	if k != nil && rapid.Bool().Draw(m.t, "same rule") {
		req.Rule = k.req.Rule
	}
	if paused := rapid.SampledFrom([]string{"", "", "pause", "resume"}).Draw(m.t, "paused"); paused != "" {
		yes := paused == "pause"
		req.Paused = &yes
	}
	res := m.rig.PutSchedule(context.Background(), req)
	var bad task.Invalid
	switch {
	case errors.As(res.Err, &bad): // instants that are past
		return
	case res.Err != nil:
		m.failed(key, res.Err)
		return
	case res.Replaced != (before != nil):
		m.t.Fatalf("%s was replaced: %t", key, res.Replaced)
	}
	if k == nil {
		k = &known{old: m.tasks(key)}
		m.schedules[key] = k
	}
	k.loose = k.loose || before != nil && before.Plan.Overlap != req.Plan.Overlap
	m.changed(k, before, res.Schedule)
	k.req = req
}

// changed notes how far a schedule was before a change that may have moved its
// cursor.
func (m *scheduleModel) changed(k *known, before, after *scheduler.ScheduleInfo) {
	if before != nil && (after.Cursor != before.Cursor || after.Cursor == 0 || !bytes.Equal(before.Plan.Rule, after.Plan.Rule)) {
		k.passed = passed(before)
		k.from = after.Cursor
	}
	if before == nil {
		k.from = after.Cursor
	}
	if after.Cursor != 0 && after.Due <= m.now() && (before == nil || before.Cursor != after.Cursor) {
		m.t.Fatalf("%s goes on in the past, at %s, due %s", after.Key, after.Cursor.Time(), after.Due.Time())
	}
}

// failed notes that it is open what became of a call.
func (m *scheduleModel) failed(key string, err error) {
	if !errors.Is(err, errDisk) {
		m.t.Fatalf("%s: %v", key, err)
	}
	if k := m.schedules[key]; k != nil {
		k.open, k.loose = true, true
	} else {
		m.schedules[key] = &known{open: true, loose: true, old: m.tasks(key)}
	}
	time.Sleep(time.Second)
}

// call calls f on a schedule that may be there.
func (m *scheduleModel) call(f func(queue, key string, k *known, before *scheduler.ScheduleInfo) error) {
	key := m.key()
	queue := queueOf(key)
	synctest.Wait()
	before, k := m.info(key), m.schedules[key]
	err := f(queue, key, k, before)
	switch {
	case errors.Is(err, errDisk):
		m.failed(key, err)
	case before == nil && !errors.Is(err, scheduler.ErrNoSchedule), before != nil && err != nil:
		m.t.Fatalf("%s, there before: %t: %v", key, before != nil, err)
	}
}

func (m *scheduleModel) pause() {
	m.call(func(queue, key string, _ *known, _ *scheduler.ScheduleInfo) error {
		_, err := m.rig.PauseSchedule(context.Background(), queue, key)
		return err
	})
}

func (m *scheduleModel) resume() {
	m.call(func(queue, key string, k *known, before *scheduler.ScheduleInfo) error {
		after, err := m.rig.ResumeSchedule(context.Background(), queue, key)
		if err == nil {
			m.changed(k, before, after)
		}
		return err
	})
}

func (m *scheduleModel) trigger() {
	m.call(func(queue, key string, k *known, before *scheduler.ScheduleInfo) error {
		_, err := m.rig.TriggerSchedule(context.Background(), queue, key)
		switch {
		case err == nil:
			k.triggered++
		case errors.Is(err, scheduler.ErrOverlap) && (before.Plan.Overlap == task.OverlapSkip || before.Plan.Overlap == task.OverlapQueue):
			return nil
		case errors.Is(err, errDisk) && k != nil:
			k.unsure++
		}
		return err
	})
}

func (m *scheduleModel) remove() {
	m.call(func(queue, key string, _ *known, _ *scheduler.ScheduleInfo) error {
		err := m.rig.DeleteSchedule(context.Background(), queue, key, 0)
		if err == nil {
			delete(m.schedules, key)
		}
		return err
	})
}

// work claims some tasks of one queue, and settles most of them.
func (m *scheduleModel) work() {
	queue := queueOf(m.key())
	ls, err := m.rig.Claim(context.Background(), scheduler.ClaimRequest{Queue: queue, Max: rapid.IntRange(1, 5).Draw(m.t, "max")})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, l := range ls {
		if l.Task.Due > m.now() {
			m.t.Fatalf("%s was claimed %s early", l.Task.Key, l.Task.Due.Sub(m.now()))
		}
		if verdict := task.Verdict(rapid.IntRange(0, int(task.Released)).Draw(m.t, "verdict")); verdict != 0 {
			if _, err := m.rig.settle(l, task.Outcome{Verdict: verdict}); err != nil && !errors.Is(err, scheduler.ErrStaleLease) {
				m.t.Fatal(err)
			}
		}
	}
}

// cancel cancels a task, or replaces it.
func (m *scheduleModel) cancel() {
	key := m.key()
	queue := queueOf(key)
	all := slices.Sorted(maps.Keys(m.tasks(key)))
	if len(all) == 0 {
		return
	}
	name := rapid.SampledFrom(all).Draw(m.t, "task")
	if rapid.Bool().Draw(m.t, "replace") {
		if k := m.schedules[key]; k != nil && m.rig.state(queue, name).Finished() {
			k.loose = true // it runs again, beside others
		}
		m.replaced[queue+"/"+name] = true
		m.rig.scheduleSpec(task.Spec{Queue: queue, Key: name, Delay: time.Second, Retention: 10_000 * time.Hour, Timeout: time.Minute})
		return
	}
	var state *scheduler.StateError
	if _, err := m.rig.Cancel(context.Background(), queue, name, 0); err != nil && !errors.As(err, &state) && !errors.Is(err, scheduler.ErrAlreadyClaimed) {
		m.t.Fatal(err)
	}
}

func (m *scheduleModel) draws(least, most time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(least/time.Microsecond), int64(most/time.Microsecond)).Draw(m.t, "µs")) * time.Microsecond
}

func (m *scheduleModel) wait() { time.Sleep(m.draws(1, 2*time.Hour)) }

func (m *scheduleModel) outage() {
	m.rig.close()
	time.Sleep(m.draws(1, 24*time.Hour))
	m.rig.open()
}

func (m *scheduleModel) breakStore() {
	after := rapid.Bool().Draw(m.t, "after it took effect")
	m.store.before.Store(!after)
	m.store.after.Store(after)
	switch rapid.IntRange(0, 3).Draw(m.t, "call") {
	case 0:
		m.put()
	case 1:
		m.trigger()
	case 2:
		m.pause()
	}
	time.Sleep(m.draws(1, time.Hour))
	m.store.before.Store(false)
	m.store.after.Store(false)
	time.Sleep(time.Second)
}

func (m *scheduleModel) step() {
	by := m.draws(-2*time.Hour, 26*time.Hour)
	m.stepped = m.stepped || by < 0
	m.rig.clock.Step(by)
	synctest.Wait()
}

// tasks returns the keys of the tasks that are occurrences of a schedule.
func (m *scheduleModel) tasks(key string) map[string]bool {
	all := make(map[string]bool)
	for _, t := range m.past(key) {
		if all[t.Key] {
			m.t.Fatalf("%s is there twice", t.Key)
		}
		all[t.Key] = true
	}
	return all
}

// past returns those tasks, oldest first.
func (m *scheduleModel) past(key string) []*task.Task {
	queue := queueOf(key)
	var all []*task.Task
	r := scheduler.ListRequest{Queue: queue, PageSize: scheduler.MaxPageSize}
	for {
		page, err := m.rig.List(context.Background(), r)
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, page.Tasks...)
		if r.PageToken = page.NextPageToken; r.PageToken == "" {
			break
		}
	}
	slices.SortFunc(all, func(a, b *task.Task) int {
		_, i, _ := task.CutOccurrence(a.Key)
		_, k, _ := task.CutOccurrence(b.Key)
		return int(i - k)
	})
	return all
}

// check looks at all that must always hold.
func (m *scheduleModel) check() {
	synctest.Wait()
	for key, k := range m.schedules {
		if s := m.info(key); s != nil {
			m.checkCounts(k, s)
			m.checkNext(s)
			m.checkTasks(k, s)
		} else if !k.open {
			m.t.Fatalf("%s is gone", key)
		}
	}
}

// checkCounts: each occurrence that was passed has one fate.
func (m *scheduleModel) checkCounts(k *known, s *scheduler.ScheduleInfo) {
	if t := s.Plan.Times; t > 0 && s.Fired > t+s.Triggered && k.req.Plan.Times == t && k.passed == 0 {
		m.t.Fatalf("%s fired %d times of %d", s.Key, s.Fired, t)
	}
	if k.open || m.stepped {
		return
	}
	made := uint64(0)
	for name := range m.tasks(s.Key) {
		if !k.old[name] {
			made++
		}
	}
	if made != s.Fired {
		m.t.Fatalf("%s: %d tasks, fired %d, triggered %d, queued %d, skipped %d", s.Key, made, s.Fired, s.Triggered, len(s.Queued), s.Skipped)
	}
	if s.Triggered != k.triggered && k.unsure == 0 {
		m.t.Fatalf("%s: %d triggered, want %d", s.Key, s.Triggered, k.triggered)
	}
	if s.Cursor == 0 || k.from == 0 {
		return
	}
	if want, got := k.passed+m.between(s, k.from, s.Cursor), passed(s); got != want && !k.loose && s.Missed < 10_000 {
		m.t.Fatalf("%s: of %d occurrences %d fired, %d were missed, %d skipped", s.Key, want, s.Fired, s.Missed, s.Skipped)
	}
}

// passed is how many occurrences of the recurrence a schedule has books of.
func passed(s *scheduler.ScheduleInfo) uint64 {
	return s.Fired + uint64(len(s.Queued)) - s.Triggered + s.Missed + s.Skipped
}

// checkNext: a schedule that is not paused waits for its next occurrence.
func (m *scheduleModel) checkNext(s *scheduler.ScheduleInfo) {
	switch idle := s.Paused || s.Cursor == 0; {
	case idle != (s.Next == 0):
		m.t.Fatalf("%s, paused %t, has its cursor at %d and is looked at when it is %d", s.Key, s.Paused, s.Cursor, s.Next)
	case s.Next != 0 && s.Next <= m.now():
		m.t.Fatalf("%s is forgotten since %s, it is %s", s.Key, s.Next.Time(), m.now().Time())
	case s.Next != 0 && s.Next < s.Cursor:
		m.t.Fatalf("%s is looked at %s before its time", s.Key, s.Cursor.Sub(s.Next))
	case s.Cursor != 0 && m.between(s, s.Cursor, s.Cursor+1) != 1:
		m.t.Fatalf("%s has its cursor at %s, which is none of its occurrences", s.Key, s.Cursor.Time())
	}
}

// checkTasks: none is early, and none begins before the one before is finished,
// unless that is allowed.
func (m *scheduleModel) checkTasks(k *known, s *scheduler.ScheduleInfo) {
	var last *task.Task
	unfinished := 0
	all := m.past(s.Key)
	slices.SortStableFunc(all, func(a, b *task.Task) int { return cmp.Compare(a.Created, b.Created) })
	for _, t := range all {
		if !t.State.Finished() {
			unfinished++
		}
		if k.old[t.Key] || t.Occurrence == 0 {
			continue
		}
		if own := m.between(s, t.Occurrence, t.Occurrence+1) == 1; !m.stepped && !m.replaced[t.Queue+"/"+t.Key] && (t.Created < t.Due || own && t.Due < t.Occurrence) {
			m.t.Fatalf("%s was made at %s and is due at %s", t.Key, t.Created.Time(), t.Due.Time())
		}
		if k.loose || m.stepped || s.Plan.Overlap == task.OverlapAllow {
			continue
		}
		if last != nil && (last.Finished == 0 || last.Finished > t.Created) {
			m.t.Fatalf("%s was made at %s, %s is %s since %s", t.Key, t.Created.Time(), last.Key, last.State, last.Finished.Time())
		}
		last = t
	}
	if unfinished == 0 && len(s.Queued) > 0 && !s.Paused {
		m.t.Fatalf("%d occurrences of %s wait for nothing", len(s.Queued), s.Key)
	}
}

// drain lets everything come to its end.
func (m *scheduleModel) drain() {
	for key := range m.schedules {
		queue := queueOf(key)
		if _, err := m.rig.ResumeSchedule(context.Background(), queue, key); err != nil && !errors.Is(err, scheduler.ErrNoSchedule) {
			m.t.Fatal(err)
		}
	}
	clear(m.schedules)
	for range 3 {
		time.Sleep(time.Hour)
		if m.stepped { // leases end that much later
			m.rig.clock.Step(100 * time.Hour)
		}
		synctest.Wait()
		for _, key := range []string{"a", "b", "c", "d"} {
			m.finish(key)
			if s := m.info(key); s != nil {
				m.checkNext(s)
				if len(s.Queued) > 0 {
					m.t.Fatalf("%v of %s are left", s.Queued, key)
				}
			}
		}
	}
}

// finish works until nothing of a queue waits.
func (m *scheduleModel) finish(key string) {
	queue := queueOf(key)
	for {
		ls, err := m.rig.Claim(context.Background(), scheduler.ClaimRequest{Queue: queue, Max: 100})
		if err != nil {
			m.t.Fatal(err)
		}
		if len(ls) == 0 {
			return
		}
		for _, l := range ls {
			if _, err := m.rig.settle(l, success); err != nil {
				m.t.Fatal(err)
			}
		}
	}
}

// Random schedules, calls, outages and failing disks: each occurrence has one
// fate, in time, in its order, and no schedule is forgotten. To replay a
// failure, run the command that rapid prints.
func TestScheduleModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // rapid's own, carried out of the bubble's goroutine
		synctest.Test(t, func(t *testing.T) {
			f := &faulty{Store: memstore.New(2)}
			r := &rig{t: t, store: f, clock: &clock.Fake{}, o: scheduler.Options{Window: 64, Horizon: 30 * time.Second, CatchUpRate: 1_000_000_000}}
			r.open()
			defer r.close()
			defer func() { failure = recover() }()
			m := &scheduleModel{t: rt, rig: r, store: f, schedules: make(map[string]*known), replaced: make(map[string]bool)}
			actions := map[string]func(*rapid.T){
				"put":     func(*rapid.T) { m.put() },
				"change":  func(*rapid.T) { m.put() },
				"pause":   func(*rapid.T) { m.pause() },
				"resume":  func(*rapid.T) { m.resume() },
				"trigger": func(*rapid.T) { m.trigger() },
				"remove":  func(*rapid.T) { m.remove() },
				"work":    func(*rapid.T) { m.work() },
				"finish":  func(*rapid.T) { m.finish(m.key()) },
				"cancel":  func(*rapid.T) { m.cancel() },
				"wait":    func(*rapid.T) { m.wait() },
				"again":   func(*rapid.T) { m.wait() },
				"outage":  func(*rapid.T) { m.outage() },
				"break":   func(*rapid.T) { m.breakStore() },
				"":        func(*rapid.T) { m.check() },
			}
			if rapid.IntRange(0, 3).Draw(rt, "clock is stepped") == 0 {
				actions["step"] = func(*rapid.T) { m.step() }
			}
			rt.Repeat(actions)
			m.drain()
		})
		if failure != nil {
			panic(failure)
		}
	})
}
