package scheduler

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// moving is a schedule whose time has come.
type moving struct {
	record *scheduleRecord
	next   *task.Schedule // as it shall be
	timetable
	reckoning
}

// expireSchedules moves schedules on whose Next instant has come: their
// occurrences become tasks, and those go on as any that is due, all in one batch.
// What the pass has no room for is left for the next one.
func (tx *tx) expireSchedules(ctx context.Context) error {
	const atOnce = 64 // plans in memory
	elapsed := clock.Stopwatch()
	for part := range slices.Chunk(tx.dueSchedules(), atOnce) {
		moved := 0
		if len(tx.changed) <= 2*passExpired {
			var err error
			if moved, err = tx.move(ctx, part, elapsed); err != nil {
				return err
			}
		}
		tx.sh.window.putBack(part[moved:])
	}
	return nil
}

// dueSchedules takes schedules out of the window, in turn of each queue: as many as a pass
// does if there is a permit, else a few.
func (tx *tx) dueSchedules() []waiting {
	const few = 16
	w, bulk := tx.sh.window, tx.sh.s.bulk
	if w.schedules.len() <= few {
		bulk.leave(tx.sh)
		w.blocked = false
		return w.schedules.take(few)
	}
	tx.permit = bulk.acquire(tx.sh)
	w.blocked = !tx.permit
	if !tx.permit {
		return w.schedules.take(few)
	}
	return w.schedules.take(passExpired)
}

// move moves schedules on, the first so many that this pass has room for.
func (tx *tx) move(ctx context.Context, due []waiting, elapsed func() time.Duration) (moved int, err error) {
	if err := tx.fetchSchedules(ctx, refsOf(due)); err != nil {
		return 0, err
	}
	var all []*moving
	var keys []store.Ref
	for bytes := tx.bytes; moved < len(due) && bytes < passBytes && elapsed() <= passTime; moved++ {
		if m := tx.reckon(due[moved]); m != nil {
			all = append(all, m)
			keys = append(keys, m.keys()...)
			bytes += len(m.fire) * len(m.next.Plan.Task.Payload)
		}
	}
	if err := tx.fetch(ctx, keys); err != nil {
		return 0, err
	}
	for _, m := range all {
		if err := tx.moveOne(ctx, m); err != nil && !tx.putOff(m.record, err) {
			return 0, err
		}
	}
	return moved, nil
}

// reckon works out what is due of a schedule; nil if nothing is, or if it
// has to wait for its turn.
func (tx *tx) reckon(w waiting) *moving {
	r := tx.schedules[w.ref]
	if r.err != nil {
		tx.lookAgain(w)
		return nil
	}
	if r.changed || r.cur == nil {
		return nil // an operation of this pass has decided already
	}
	if r.cur.Next > tx.now { // the clock was set back: not yet
		tx.sh.window.put(scheduleEntry(r.cur))
		return nil
	}
	m := &moving{record: r, next: r.cur.Clone()}
	var err error
	if m.timetable, err = tx.sh.s.rules.compile(r.cur); err != nil {
		tx.strand(r, err)
		return nil
	}
	m.reckoning = reckon(m.timetable, r.cur.Plan.Misfire, r.cur.Cursor, tx.now, r.cur.Turn != 0)
	if size := len(r.cur.Plan.Task.Payload); size > 0 {
		m.atMost(max(1, passBytes/size))
	}
	switch {
	case r.cur.Turn != 0 && r.cur.Updated >= tx.sh.s.opened: // it was booked here, for one
		m.atMost(1)
	case m.late && len(m.fire) > 0:
		n, turn := tx.sh.s.drain.turn(r.cur.Queue, tx.now, len(m.fire))
		if n == 0 {
			m.next.Turn, m.next.Next = turn, turn
			tx.putSchedule(r, m.next)
			return nil
		}
		m.atMost(n)
	}
	return m
}

// strand takes a schedule that can't be worked out any more off the wheel. It
// is paused: whoever mends it, by scheduling its key anew, resumes it.
func (tx *tx) strand(r *scheduleRecord, err error) {
	tx.sh.s.trouble("working out a schedule, which is paused now", err)
	s := r.cur.Clone()
	s.Paused, s.Next = true, 0
	tx.putSchedule(r, s)
}

// keys names the records that moving on looks at.
func (m *moving) keys() []store.Ref {
	refs := make([]store.Ref, 0, len(m.fire)+1)
	for _, at := range m.fire {
		refs = append(refs, occurrenceRef(m.next, at))
	}
	if m.next.Last != 0 {
		refs = append(refs, occurrenceRef(m.next, m.next.Last))
	}
	return refs
}

func occurrenceRef(s *task.Schedule, at task.Instant) store.Ref {
	return store.Ref{Queue: s.Queue, Key: task.OccurrenceKey(s.Key, at)}
}

func (tx *tx) moveOne(ctx context.Context, m *moving) error {
	s := m.next
	s.Cursor, s.Turn = m.cursor, 0
	s.Missed += m.dropped
	s.Zones = m.zones
	for _, at := range m.fire {
		due := m.due(at)
		if _, err := tx.occur(ctx, s, occurrence{at: at, due: due, expiry: due, stands: m.stands}); err != nil {
			return err
		}
		if s.Exhausted() {
			s.Cursor = 0
			break
		}
	}
	tx.noteFate(s, FateMissed, int(m.dropped))
	s.Next = m.nextLook(s)
	if m.late && s.Next != 0 && s.Next <= tx.now { // the rest, at its turn
		_, s.Turn = tx.sh.s.drain.turn(s.Queue, tx.now, 0)
		s.Next = s.Turn
	}
	tx.putSchedule(m.record, s)
	return nil
}

// nextLook returns when a schedule has to be looked at for its cursor.
func (t timetable) nextLook(s *task.Schedule) task.Instant {
	if s.Paused {
		return 0
	}
	return t.due(s.Cursor)
}

// occurrence is one that is to become a task.
type occurrence struct {
	at     task.Instant // as the recurrence names it
	due    task.Instant // with its jitter
	expiry task.Instant // when the overlap policy lets it be due
	stands uint32       // missed ones that it stands for
}

// occur lets an occurrence become a task, as far as the overlap policy has
// nothing against it. s is changed; storing it is the caller's.
func (tx *tx) occur(ctx context.Context, s *task.Schedule, o occurrence) (Fate, error) {
	policy := s.Plan.Overlap
	if policy == task.OverlapAllow && len(s.Queued) == 0 {
		return FateFired, tx.makeTask(ctx, s, o)
	}
	last, err := tx.runningOf(ctx, s)
	switch {
	case err != nil:
		return 0, err
	case policy == task.OverlapQueue && s.Paused: // triggered: the queue stands still
		if last != nil {
			return FateSkipped, nil
		}
	case policy == task.OverlapQueue && (last != nil || len(s.Queued) > 0):
		return tx.enqueue(s, o.at, last), nil
	case policy == task.OverlapSkip && last != nil:
		s.Skipped++
		return tx.noteFate(s, FateSkipped, 1), nil
	case policy == task.OverlapReplace && last != nil:
		if err := tx.makeTask(ctx, s, o); err != nil {
			return 0, err
		}
		tx.revoke(last, "replaced by the occurrence of "+o.at.Time().Format(time.RFC3339Nano))
		return tx.noteFate(s, FateReplaced, 1), nil
	}
	return FateFired, tx.makeTask(ctx, s, o)
}

// runningOf returns the newest occurrence's task, nil if it is finished. If it is,
// and others wait for that, the first of them begins.
func (tx *tx) runningOf(ctx context.Context, s *task.Schedule) (*record, error) {
	last, err := tx.lastOf(ctx, s)
	if err != nil || unfinished(last) {
		return last, err
	}
	if len(s.Queued) == 0 || s.Paused {
		return nil, nil //nolint:nilnil // none is a legal answer
	}
	if err := tx.beginFirst(ctx, s); err != nil {
		return nil, err
	}
	if last, err = tx.lastOf(ctx, s); !unfinished(last) {
		last = nil
	}
	return last, err
}

// lastOf returns the record of the newest occurrence that became a task; nil if
// there is none.
func (tx *tx) lastOf(ctx context.Context, s *task.Schedule) (*record, error) {
	if s.Last == 0 {
		return nil, nil //nolint:nilnil // none is a legal answer
	}
	return tx.one(ctx, occurrenceRef(s, s.Last))
}

// one fetches one record.
func (tx *tx) one(ctx context.Context, ref store.Ref) (*record, error) {
	if err := tx.fetch(ctx, []store.Ref{ref}); err != nil {
		return nil, err
	}
	r := tx.records[ref]
	if r.err != nil {
		return nil, &unreadableError{r.err}
	}
	return r, nil
}

// unreadableError is of one record, which must not stop its whole shard.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }

func (e *unreadableError) Unwrap() error { return e.err }

// putOff has a schedule looked at again in a while, if err is but that the
// record of an occurrence can't be read. Nothing is decided on till then.
func (tx *tx) putOff(r *scheduleRecord, err error) bool {
	if _, ok := errors.AsType[*unreadableError](err); !ok {
		return false
	}
	tx.lookAgain(waiting{id: r.cur.ID, ref: store.ScheduleRef(r.cur), schedule: true})
	return true
}

func unfinished(r *record) bool { return r != nil && r.cur != nil && !r.cur.State.Finished() }

// revoke cancels a task, also one of which an attempt is running: that attempt's
// lease is void from then on.
func (tx *tx) revoke(r *record, why string) {
	t := r.cur.Clone()
	t.State, t.LastError = task.Cancelled, why
	if fresh := tx.fresh[t.Lane()]; len(fresh) > 0 { // it may have become ready in this pass
		tx.fresh[t.Lane()] = slices.DeleteFunc(fresh, func(f *record) bool { return f == r })
	}
	if r.cur.RunBy != 0 {
		token := task.Token{Queue: t.Queue, Key: t.Key, Attempt: t.Attempt, Nonce: t.Nonce}
		tx.then(func() { tx.sh.s.attempts.revoke(token) })
	}
	tx.conclude(r, t, t.Retention)
	if f := tx.sh.s.o.Events.Cancelled; f != nil {
		tx.then(func() { f(t) })
	}
}

// makeTask makes the task of an occurrence. If its key has a record already, that
// is taken for it: an occurrence has one task, whatever happens. A task that somebody
// scheduled under that key is theirs: it has no part in overlaps.
func (tx *tx) makeTask(ctx context.Context, s *task.Schedule, o occurrence) error {
	r, err := tx.one(ctx, occurrenceRef(s, o.at))
	if err != nil {
		return err
	}
	s.Fired++
	if r.cur == nil || r.cur.Occurrence != 0 {
		s.Last = o.at
	}
	if r.cur != nil {
		return nil
	}
	settings, err := tx.sh.s.settings.get(ctx, s.Queue)
	if err != nil {
		return err
	}
	spec := s.Plan.Task.WithDefaults(settings.Defaults)
	spec.Queue, spec.Key = s.Queue, task.OccurrenceKey(s.Key, o.at)
	spec.Metadata, spec.Webhook = maps.Clone(spec.Metadata), cloneWebhook(spec.Webhook)
	tx.bytes += len(spec.Payload)
	t := newTask(newID(), &spec, o.due, o.expiry, tx.now)
	t.Occurrence, t.Missed, t.Chained = o.at, o.stands, s.Plan.Overlap == task.OverlapQueue || len(s.Queued) > 0
	tx.put(r, t)
	tx.expireOne(r)
	if t.Chained {
		tx.noteChained(r)
	}
	tx.noteFate(s, FateFired, 1)
	if f := tx.sh.s.o.Events.Scheduled; f != nil {
		tx.then(func() { f(t.Queue, 1) })
	}
	return nil
}

// noteFate reports what became of n occurrences once that is durable.
func (tx *tx) noteFate(s *task.Schedule, fate Fate, n int) Fate {
	if f := tx.sh.s.o.Events.Occurred; f != nil && n > 0 {
		queue := s.Queue
		tx.then(func() { f(queue, fate, n) })
	}
	return fate
}
