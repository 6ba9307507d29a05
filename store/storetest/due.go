package storetest

import (
	"cmp"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var dueRules = []rule{
	{
		name: "OrderedByInstantThenID",
		why:  "entries come ordered by (Next, ID), each once, whatever the order they were written in and the length of the pages",
		test: func(r *rig) {
			all := many("q", 400)
			for i, t := range all {
				t.Next = t0 + task.Instant(i*7919%50) // many share an instant
			}
			r.create(all...)
			for shard := range r.s.Shards() {
				want := r.wantDue(all, shard)
				for _, page := range []int{1, 3, 1000} {
					r.equal("due", r.due(shard, page), want)
				}
			}
		},
	},
	{
		name: "StrictlyAfter",
		why:  "a position is not in the page after it, whether or not an entry is there",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			for _, c := range []struct {
				after store.Pos
				want  int
			}{
				{store.Pos{}, 1},
				{store.Pos{At: t0 - 1, ID: maxID}, 1},
				{store.Pos{At: t0}, 1},
				{store.Pos{At: t0, ID: t.ID}, 0},
				{store.Pos{At: t0, ID: maxID}, 0},
				{store.Pos{At: t0 + 1}, 0},
			} {
				got, err := r.s.Due(r.ctx, r.shardOf(t), c.after, 10)
				r.must(err)
				if len(got) != c.want {
					r.Errorf("after %v: got %v", c.after, got)
				}
			}
		},
	},
	{
		name: "Limit",
		why:  "a page has no more entries than asked for; none are asked for with 0",
		test: func(r *rig) {
			all := many("q", 100)
			r.create(all...)
			for _, limit := range []int{0, 1, 5} {
				got, err := r.s.Due(r.ctx, r.shardOf(all[0]), store.Pos{}, limit)
				r.must(err)
				r.equal("entries", len(got), limit)
			}
		},
	},
	{
		name: "EveryStateWithANextInstant",
		why:  "running attempts, backoffs and retentions wait in the same index as due instants; ready tasks, which wait for a claim, do not",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			for _, to := range []task.State{task.Leased, task.Scheduled, task.Ready, task.Leased, task.Dead, task.Scheduled, task.Cancelled, task.Scheduled, task.Leased, task.Completed} {
				t = r.change(t, moved(t, to))
				want := []store.Entry{}
				if t.Next != 0 {
					want = append(want, entry(t))
				}
				r.equal("due when "+to.String(), r.due(r.shardOf(t), 10), want)
			}
		},
	},
	{
		name: "AChangeThatLeavesTheInstant",
		why:  "a record whose Next stays has one entry still",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			next := moved(t, task.Scheduled)
			next.Expiry, next.Next = t.Expiry, t.Next
			r.change(t, next)
			r.equal("due", r.due(r.shardOf(t), 10), []store.Entry{entry(t)})
			third := moved(next, task.Cancelled)
			third.Next = t.Next
			r.change(next, third)
			r.equal("due", r.due(r.shardOf(t), 10), []store.Entry{entry(t)})
			r.commit(store.Write{Prev: third})
			r.equal("due", r.due(r.shardOf(t), 10), []store.Entry{})
		},
	},
	{
		name: "BackAndForth",
		why:  "a task can be moved to another instant and back any number of times and has one entry",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			for i := range 20 {
				next := moved(t, task.Scheduled)
				next.Next = t0 + task.Instant((i+1)%2)
				next.Expiry = next.Next
				t = r.change(t, next)
				r.equal("due", r.due(r.shardOf(t), 10), []store.Entry{entry(t)})
			}
			r.commit(store.Write{Prev: t})
			r.equal("due", r.due(r.shardOf(t), 10), []store.Entry{})
		},
	},
	{
		name: "ANewIDUnderTheSameKey",
		why:  "a finished record whose key is scheduled anew has the new id's entry and not the old one's",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			t = r.change(t, moved(t, task.Cancelled))
			anew := newTask("q", "k", t0)
			anew.Next, anew.Expiry = t.Next, t.Expiry
			r.change(t, anew)
			r.equal("due", r.due(r.shardOf(t), 10), []store.Entry{entry(anew)})
		},
	},
	{
		name: "TheWholeRangeOfInstants",
		why:  "the order holds from 1970 to the year 9999",
		test: func(r *rig) {
			var all []*task.Task
			for i, at := range []task.Instant{task.MaxInstant, 1, 255, 256, 1 << 31, 1 << 32, 1 << 40, t0, task.MaxInstant - 1} {
				t := newTask("q", string(rune('a'+i)), at)
				all = append(all, t)
			}
			r.create(all...)
			for shard := range r.s.Shards() {
				r.equal("due", r.due(shard, 2), r.wantDue(all, shard))
			}
		},
	},
	{
		name: "AfterManyHaveFired",
		why:  "entries that are gone from the front do not come back, nor hide those behind them",
		test: func(r *rig) {
			all := many("q", 3000)
			r.create(all...)
			var writes []store.Write
			for _, t := range all[:2900] {
				writes = append(writes, store.Write{Prev: t, Task: moved(t, task.Ready)})
			}
			r.commit(writes...)
			for shard := range r.s.Shards() {
				r.equal("due", r.due(shard, 7), r.wantDue(all[2900:], shard))
			}
		},
	},
}

var maxID = func() (id task.ID) {
	for i := range id {
		id[i] = 255
	}
	return id
}()

// wantDue returns what Due must say about scheduled tasks.
func (r *rig) wantDue(tasks []*task.Task, shard int) []store.Entry {
	want := []store.Entry{}
	for _, t := range tasks {
		if r.shardOf(t) == shard {
			want = append(want, entry(t))
		}
	}
	slices.SortFunc(want, func(a, b store.Entry) int {
		return cmp.Or(cmp.Compare(a.At, b.At), slices.Compare(a.ID[:], b.ID[:]))
	})
	return want
}
