package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/internal/invariant"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// tx is what one pass has read and wants to write. All of a pass happens at
// one instant, now.
type tx struct {
	sh      *shard
	now     task.Instant // the wall clock, rounded down: what is due by it is due
	up      task.Instant // the same reading, rounded up: what delays count from
	records map[store.Ref]*record
	changed []*record

	schedules        map[store.Ref]*scheduleRecord
	changedSchedules []*scheduleRecord

	chained map[*record]store.Ref // tasks whose end is to be told to these schedules, marked so in this pass

	bytes  int  // of payloads that occurrences brought
	permit bool // of bulk work, given back when the pass is over

	lanes   []task.Lane // to be dispatched, each once
	touched map[task.Lane]bool
	fresh   map[task.Lane][]*record // became ready in this pass
	out     []handOut
	after   []func() // run once the batch is durable: events
}

// record is one task in a tx.
type record struct {
	prev    *task.Task // as stored
	cur     *task.Task // as it shall be; nil: absent
	changed bool
	err     error // it can't be read
}

// handOut is leases that go to one taker when the batch is durable.
type handOut struct {
	grant  grant
	leases []task.Lease
}

func newTx(sh *shard) *tx {
	now := sh.s.clock.Now()
	return &tx{sh: sh, now: task.FloorInstant(now), up: task.CeilInstant(now), records: make(map[store.Ref]*record), schedules: make(map[store.Ref]*scheduleRecord)}
}

// prefetch reads the records that the commands name, at once.
func (tx *tx) prefetch(ctx context.Context, cs []*command) error {
	var tasks, schedules []store.Ref
	for _, c := range cs {
		for _, o := range c.ops {
			if at := o.target(); at.schedule {
				schedules = append(schedules, at.Ref)
			} else {
				tasks = append(tasks, at.Ref)
			}
		}
	}
	if err := tx.fetchSchedules(ctx, schedules); err != nil {
		return err
	}
	return tx.fetch(ctx, tasks)
}

// fetch reads records that the tx does not have yet.
func (tx *tx) fetch(ctx context.Context, refs []store.Ref) error {
	missing := missingIn(tx.records, refs)
	if len(missing) == 0 {
		return nil
	}
	got, err := tx.get(ctx, missing, false)
	if err != nil {
		return err
	}
	for ref, g := range got {
		tx.records[ref] = &record{prev: g.record, cur: g.record, err: g.err}
	}
	return nil
}

// fetchSchedules reads schedules, with their plans, that the tx does not have yet.
func (tx *tx) fetchSchedules(ctx context.Context, refs []store.Ref) error {
	missing := missingIn(tx.schedules, refs)
	if len(missing) == 0 {
		return nil
	}
	got, err := readEach(ctx, tx.sh, "schedule", missing, tx.sh.s.store.GetSchedules)
	if err != nil {
		return err
	}
	for ref, g := range got {
		tx.schedules[ref] = &scheduleRecord{prev: g.record, cur: g.record, err: g.err}
	}
	return nil
}

// missingIn returns those refs that have no record yet, each once.
func missingIn[R any](records map[store.Ref]R, refs []store.Ref) []store.Ref {
	var missing []store.Ref
	seen := make(map[store.Ref]bool)
	for _, ref := range refs {
		if _, ok := records[ref]; !ok && !seen[ref] {
			seen[ref] = true
			missing = append(missing, ref)
		}
	}
	return missing
}

// get reads tasks.
func (tx *tx) get(ctx context.Context, refs []store.Ref, bodies bool) (map[store.Ref]gotten[task.Task], error) {
	return readEach(ctx, tx.sh, "task", refs, func(ctx context.Context, shard int, refs []store.Ref) ([]*task.Task, error) {
		return tx.sh.s.store.Get(ctx, shard, refs, bodies)
	})
}

// gotten is what the store has of one record: nil if nothing, or an error.
type gotten[T any] struct {
	record *T
	err    error
}

// readEach reads records. If that fails, it reads them one by one, so that one
// damaged record does not stop its shard; the error is of the store as a whole.
func readEach[T any](
	ctx context.Context, sh *shard, what string, refs []store.Ref,
	read func(ctx context.Context, shard int, refs []store.Ref) ([]*T, error),
) (map[store.Ref]gotten[T], error) {
	got := make(map[store.Ref]gotten[T], len(refs))
	all, err := read(ctx, sh.n, refs)
	if err == nil {
		for i, ref := range refs {
			got[ref] = gotten[T]{record: all[i]}
		}
		return got, nil
	}
	failed := 0
	for _, ref := range refs {
		one, err := read(ctx, sh.n, []store.Ref{ref})
		if err != nil {
			failed++
			got[ref] = gotten[T]{err: err}
			continue
		}
		got[ref] = gotten[T]{record: one[0]}
	}
	if ctx.Err() != nil || failed == len(refs) && failed > 1 {
		return nil, err
	}
	for ref, g := range got {
		if g.err != nil {
			sh.s.trouble("reading "+what+" "+ref.Queue+"/"+ref.Key, g.err)
		}
	}
	return got, nil
}

// applyOps carries out a command's operations, but for those on records that
// can't be read.
func (tx *tx) applyOps(ctx context.Context, ops []op) error {
	for _, o := range ops {
		if err := tx.unreadable(o.target()); err != nil {
			o.fail(err)
			continue
		}
		if err := o.apply(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// unreadable returns why a record can't be read, nil if it can.
func (tx *tx) unreadable(at target) error {
	if at.schedule {
		return tx.schedules[at.Ref].err
	}
	return tx.records[at.Ref].err
}

// put changes a record; nil deletes it. The caller made next for this purpose.
func (tx *tx) put(r *record, next *task.Task) {
	if next != nil {
		from := task.State(0)
		next.Revision = 1
		if r.cur != nil {
			from, next.Revision = r.cur.State, r.cur.Revision+1
		}
		next.Updated = tx.now
		invariant.Check(from.CanMove(next.State), "task %s/%s moves from %s to %s", next.Queue, next.Key, from, next.State)
		if next.Body == nil && r.cur != nil && r.changed {
			next.Body = r.cur.Body // not stored yet
		}
	}
	r.cur = next
	if !r.changed {
		r.changed = true
		tx.changed = append(tx.changed, r)
	}
}

// touch notes that a lane is to be dispatched in this pass.
func (tx *tx) touch(lane task.Lane) {
	if tx.touched[lane] {
		return
	}
	if tx.touched == nil {
		tx.touched = make(map[task.Lane]bool)
	}
	tx.touched[lane] = true
	tx.lanes = append(tx.lanes, lane)
}

// then runs f once the batch is durable.
func (tx *tx) then(f func()) { tx.after = append(tx.after, f) }

// expire takes the tasks and schedules whose Next instant has come and moves
// them on. It reports whether more wait than one pass takes.
func (tx *tx) expire(ctx context.Context) (more bool, err error) {
	due, more, err := tx.sh.window.expire(ctx, tx.now, passExpired)
	if err != nil {
		return false, err
	}
	if err := tx.expireTasks(ctx, due); err != nil {
		return false, err
	}
	if err := tx.expireSchedules(ctx); err != nil {
		return false, err
	}
	return more || tx.sh.window.takable(), nil
}

func (tx *tx) expireTasks(ctx context.Context, due []waiting) error {
	if err := tx.fetch(ctx, refsOf(due)); err != nil {
		return err
	}
	for _, w := range due {
		r := tx.records[w.ref]
		if r.err != nil {
			tx.lookAgain(w)
			continue
		}
		if r.changed || r.cur == nil {
			continue // an operation of this pass has decided already
		}
		if r.cur.Next > tx.now { // the clock was set back: not yet
			tx.sh.window.put(taskEntry(r.cur))
			continue
		}
		tx.expireOne(r)
	}
	return nil
}

func refsOf(due []waiting) []store.Ref {
	refs := make([]store.Ref, len(due))
	for i, w := range due {
		refs[i] = w.ref
	}
	return refs
}

// lookAgain has a record that can't be read looked at in a while.
func (tx *tx) lookAgain(w waiting) {
	const wait = time.Minute
	tx.sh.window.add(store.Entry{Pos: store.Pos{At: tx.now.Add(wait), ID: w.id}, Ref: w.ref, Schedule: w.schedule})
}

func (tx *tx) expireOne(r *record) {
	switch t := r.cur.Clone(); t.State {
	case task.Scheduled:
		t.State, t.Next = task.Ready, 0
		tx.put(r, t)
		if tx.fresh == nil {
			tx.fresh = make(map[task.Lane][]*record)
		}
		tx.fresh[t.Lane()] = append(tx.fresh[t.Lane()], r)
		tx.touch(t.Lane())
	case task.Leased:
		tx.settle(r, task.Outcome{Verdict: task.Failed, Error: "the lease ran out before the attempt was settled"}, true)
	case task.Completed, task.Cancelled, task.Dead:
		tx.put(r, nil) // its retention is over
	case task.Ready:
		invariant.Check(false, "task %s/%s is ready and has an entry in the wheel", t.Queue, t.Key)
	}
}

// commit stores what changed. A record that came and went within the pass is
// left out.
func (tx *tx) commit(ctx context.Context) error {
	b := store.Batch{Shard: tx.sh.n, Epoch: tx.sh.epoch, Writes: make([]store.Write, 0, len(tx.changed))}
	for _, r := range tx.changed {
		if r.prev == nil && r.cur == nil {
			continue
		}
		b.Writes = append(b.Writes, store.Write{Prev: r.prev, Task: r.cur})
	}
	for _, r := range tx.changedSchedules {
		if r.prev != nil || r.cur != nil {
			b.Schedules = append(b.Schedules, r.write())
		}
	}
	n := len(b.Writes) + len(b.Schedules)
	if n == 0 {
		return nil
	}
	elapsed := clock.Stopwatch()
	// The commit is not abandoned half-way when the scheduler closes.
	if err := tx.sh.s.store.Commit(context.WithoutCancel(ctx), b); err != nil {
		return fmt.Errorf("storing %d changes: %w", n, err)
	}
	if f := tx.sh.s.o.Events.Committed; f != nil {
		f(n, elapsed())
	}
	return nil
}

// apply lets memory follow the store: wheel, lanes, hand-outs, events.
func (tx *tx) apply(ctx context.Context) error {
	var emptied []task.Lane
	for _, r := range tx.changed {
		if r.prev != nil {
			tx.sh.window.remove(r.prev.ID)
			if r.prev.State == task.Ready && tx.sh.ready.remove(r.prev) {
				emptied = append(emptied, r.prev.Lane())
			}
		}
		if r.cur == nil {
			continue
		}
		tx.sh.window.put(taskEntry(r.cur))
		if r.cur.State == task.Ready {
			tx.sh.ready.add(r.cur)
		}
	}
	for _, lane := range emptied {
		if n, more := tx.sh.ready.waiting(lane); n == 0 && !more { // and none came instead
			tx.sh.s.hub.emptied(lane, tx.sh)
		}
	}
	for _, r := range tx.changedSchedules {
		if r.prev != nil {
			tx.sh.window.remove(r.prev.ID)
		}
		if r.cur != nil {
			tx.sh.window.put(scheduleEntry(r.cur))
		}
	}
	for _, f := range tx.after {
		f()
	}
	for _, h := range tx.out {
		tx.sh.s.handOut(h)
	}
	return tx.sh.window.settle(ctx, tx.now)
}

// end gives back what a pass needs while it lasts.
func (tx *tx) end() {
	if tx.permit {
		tx.sh.s.bulk.release()
	}
}

// giveBack returns what was reserved for a batch that did not come about.
func (tx *tx) giveBack() {
	for _, h := range tx.out {
		tx.sh.s.hub.giveBack(h.grant, h.grant.n)
	}
	tx.sh.postpone(tx.lanes)
}
