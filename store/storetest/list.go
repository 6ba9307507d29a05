package storetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var listRules = []rule{
	{
		name: "ByKey",
		why:  "without a state, the records of one queue come ordered by key, strictly after a key, in pages of any length, without bodies",
		test: func(r *rig) {
			var all []*task.Task
			for i := range 200 {
				all = append(all, newTask("q", fmt.Sprint("k", i), t0), newTask("qq", fmt.Sprint("k", i), t0))
			}
			r.create(all...)
			for shard := range r.s.Shards() {
				want := r.wantList(all, shard, "q", 0)
				for _, page := range []int{1, 7, 1000} {
					r.equal("keys", keys(r.list(shard, store.ListQuery{Queue: "q"}, page)), keys(want))
				}
				for _, t := range r.list(shard, store.ListQuery{Queue: "q"}, 1000) {
					if t.Body != nil {
						r.Fatal("a listed record has a body")
					}
				}
			}
		},
	},
	{
		name: "KeysThatBeginWithOneAnother",
		why:  "keys are ordered as bytes are, the shorter first where one begins with the other",
		test: func(r *rig) {
			var all []*task.Task
			for _, key := range []string{"a", "aa", "a a", "a!", "ab", "a~", "é", "z", "Z", "\u007e", "日本", "a/b", "a0"} {
				for i := range 20 {
					all = append(all, newTask("q", key+fmt.Sprint(i), t0), newTask("q", fmt.Sprint(i)+key, t0))
				}
				all = append(all, newTask("q", key+"0000", t0))
			}
			r.create(all...)
			for shard := range r.s.Shards() {
				r.equal("keys", keys(r.list(shard, store.ListQuery{Queue: "q"}, 3)), keys(r.wantList(all, shard, "q", 0)))
			}
		},
	},
	{
		name: "Descending",
		why:  "the same records come ordered by key from the largest, in pages of any length",
		test: func(r *rig) {
			var all []*task.Task
			for i := range 200 {
				all = append(all, newTask("q", fmt.Sprint("k", i), t0), newTask("qq", fmt.Sprint("k", i), t0))
			}
			r.create(all...)
			for shard := range r.s.Shards() {
				want := r.wantList(all, shard, "q", 0)
				slices.Reverse(want)
				for _, page := range []int{1, 7, 1000} {
					r.equal("keys", keys(r.list(shard, store.ListQuery{Queue: "q", Descending: true}, page)), keys(want))
				}
			}
		},
	},
	{
		name: "BetweenKeys",
		why:  "both bounds keep out the record that has their key, in either order; bounds that cross leave nothing, and are not an error",
		test: func(r *rig) {
			var all []*task.Task
			for i := range 100 {
				all = append(all, newTask("q", fmt.Sprint(100+i), t0), newTask("qq", fmt.Sprint(100+i), t0))
			}
			r.create(all...)
			bounds := []string{"", "099", "100", "1000", "120", "150", "1501", "199", "2"}
			for shard := range r.s.Shards() {
				for i, after := range slices.Repeat(bounds, len(bounds)) {
					q := store.ListQuery{Queue: "q", AfterKey: after, BeforeKey: bounds[i/len(bounds)]}
					want := slices.DeleteFunc(r.wantList(all, shard, "q", 0), func(t *task.Task) bool {
						return t.Key <= q.AfterKey || q.BeforeKey != "" && t.Key >= q.BeforeKey
					})
					r.equal(fmt.Sprintf("%+v", q), keys(r.list(shard, q, 7)), keys(want))
					q.Descending = true
					slices.Reverse(want)
					r.equal(fmt.Sprintf("%+v", q), keys(r.list(shard, q, 7)), keys(want))
				}
			}
		},
	},
	{
		name: "ByState",
		why:  "with a state, the queue's records in it come ordered by (Expiry, ID), strictly after a position, in pages of any length",
		test: func(r *rig) {
			all := r.mixed()
			for shard := range r.s.Shards() {
				for _, state := range task.States {
					want := r.wantList(all, shard, "q", state)
					for _, page := range []int{1, 5, 1000} {
						got := r.list(shard, store.ListQuery{Queue: "q", State: state}, page)
						r.equal(state.String(), heads(got), heads(want))
					}
				}
			}
		},
	},
	{
		name: "Before",
		why:  "a bound keeps out records whose Expiry is at or after it",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			for before, want := range map[task.Instant]int{0: 1, 1: 0, t0 - 1: 0, t0: 0, t0 + 1: 1, task.MaxInstant: 1} {
				got, err := r.s.List(r.ctx, r.shardOf(t), store.ListQuery{Queue: "q", State: task.Scheduled, Before: before, Limit: 10})
				r.must(err)
				r.equal(fmt.Sprint("records before ", before), len(got), want)
			}
		},
	},
	{
		name: "BeforeAfter",
		why:  "a bound that lies before the position to go on from leaves nothing, and is not an error",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			got, err := r.s.List(r.ctx, r.shardOf(t), store.ListQuery{Queue: "q", State: task.Scheduled, After: store.Pos{At: t0 + 5}, Before: t0 + 1, Limit: 10})
			r.must(err)
			r.equal("records", len(got), 0)
		},
	},
	{
		name: "BeforeNeedsAState",
		why:  "records ordered by key can't be bounded by an instant",
		test: func(r *rig) {
			if _, err := r.s.List(r.ctx, 0, store.ListQuery{Queue: "q", Before: t0, Limit: 10}); err == nil {
				r.Error("no error")
			}
		},
	},
	{
		name: "Limit",
		why:  "a page has no more records than asked for; none are asked for with 0",
		test: func(r *rig) {
			r.create(many("q", 100)...)
			for _, state := range []task.State{0, task.Scheduled} {
				for _, limit := range []int{0, 1, 5} {
					got, err := r.s.List(r.ctx, 0, store.ListQuery{Queue: "q", State: state, Limit: limit})
					r.must(err)
					r.equal("records", len(got), limit)
				}
			}
		},
	},
	{
		name: "AnUnknownQueue",
		why:  "a queue that was never used has no records",
		test: func(r *rig) {
			r.create(many("qq", 10)...)
			for _, state := range []task.State{0, task.Scheduled} {
				got, err := r.s.List(r.ctx, 0, store.ListQuery{Queue: "q", State: state, Limit: 10})
				r.must(err)
				r.equal("records", len(got), 0)
			}
		},
	},
}

// mixed commits tasks of two queues in all states and returns them.
func (r *rig) mixed() []*task.Task {
	r.Helper()
	paths := [][]task.State{
		{}, {task.Ready}, {task.Leased}, {task.Leased, task.Completed}, {task.Cancelled}, {task.Leased, task.Dead},
	}
	var all []*task.Task
	for i := range 240 {
		t := newTask([]string{"q", "qq"}[i%2], fmt.Sprint(i), t0+task.Instant(i*7919%30))
		r.create(t)
		for _, to := range paths[i/2%len(paths)] {
			t = r.change(t, moved(t, to))
		}
		all = append(all, t)
	}
	return all
}

// list reads a whole listing in pages.
func (r *rig) list(shard int, q store.ListQuery, page int) []*task.Task {
	r.Helper()
	q.Limit = page
	var all []*task.Task
	for {
		found, err := r.s.List(r.ctx, shard, q)
		r.must(err)
		all = append(all, found...)
		if len(found) < page {
			return all
		}
		last := found[len(found)-1]
		switch {
		case q.State != 0:
			q.After = store.Pos{At: last.Expiry, ID: last.ID}
		case q.Descending:
			q.BeforeKey = last.Key
		default:
			q.AfterKey = last.Key
		}
	}
}

// wantList returns what List must say, in its order.
func (r *rig) wantList(tasks []*task.Task, shard int, queue string, state task.State) []*task.Task {
	var want []*task.Task
	for _, t := range tasks {
		if r.shardOf(t) == shard && t.Queue == queue && (state == 0 || t.State == state) {
			want = append(want, t)
		}
	}
	slices.SortFunc(want, func(a, b *task.Task) int {
		if state == 0 {
			return cmp.Compare(a.Key, b.Key)
		}
		return readyEntry(a).Compare(readyEntry(b).Pos)
	})
	return want
}

// wantReady returns what Ready must say.
func (r *rig) wantReady(tasks []*task.Task, shard int, lane task.Lane) []store.Entry {
	want := []store.Entry{}
	for _, t := range r.wantList(tasks, shard, lane.Queue, task.Ready) {
		if t.Host == lane.Host {
			want = append(want, readyEntry(t))
		}
	}
	return want
}

// wantLanes returns what Lanes must say.
func (r *rig) wantLanes(tasks []*task.Task, shard int) []task.Lane {
	var want []task.Lane
	for _, t := range tasks {
		if r.shardOf(t) == shard && t.State == task.Ready {
			want = append(want, t.Lane())
		}
	}
	slices.SortFunc(want, func(a, b task.Lane) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Host, b.Host))
	})
	return slices.Compact(want)
}

func keys(tasks []*task.Task) []string {
	all := make([]string, len(tasks))
	for i, t := range tasks {
		all[i] = t.Key
	}
	return all
}

func heads(tasks []*task.Task) []string {
	all := make([]string, len(tasks))
	for i, t := range tasks {
		c := t.Clone()
		c.Body = nil
		all[i] = show(c)
	}
	return all
}
