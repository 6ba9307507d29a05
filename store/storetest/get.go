package storetest

import (
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var getRules = []rule{
	{
		name: "AbsentIsNil",
		why:  "a record that is absent is nil in the answer, not an error",
		test: func(r *rig) { r.same(r.get(newTask("q", "k", t0)), nil) },
	},
	{
		name: "AnswersStandInTheOrderAskedFor",
		why:  "the i-th answer is to the i-th ref, whatever their order, absent ones and repetitions included",
		test: func(r *rig) {
			all := many("q", 300)
			r.create(all...)
			shard := r.shardOf(all[0])
			var refs []store.Ref
			var want []*task.Task
			for _, t := range slices.Backward(all) {
				if r.shardOf(t) != shard {
					continue
				}
				refs = append(refs, store.RefOf(t), store.Ref{Queue: "q", Key: t.Key + "?"}, store.RefOf(t))
				want = append(want, t, nil, t)
			}
			got, err := r.s.Get(r.ctx, shard, refs, true)
			r.must(err)
			r.equal("number of answers", len(got), len(want))
			for i := range want {
				r.same(got[i], want[i])
			}
		},
	},
	{
		name: "BodiesOnlyIfAskedFor",
		why:  "a record that was read without its body has a nil Body, so that it can be written back",
		test: func(r *rig) {
			t := fullTask()
			r.create(t)
			got, err := r.s.Get(r.ctx, r.shardOf(t), []store.Ref{store.RefOf(t)}, false)
			r.must(err)
			head := t.Clone()
			head.Body = nil
			r.same(got[0], head)
		},
	},
	{
		name: "QueuesAreApart",
		why:  "the same key in two queues is two records, also where one queue's name begins with the other's",
		test: func(r *rig) {
			a, b, c := newTask("q", "qk", t0), newTask("qq", "k", t0+1), newTask("q.q", "k", t0+2)
			r.create(a, b, c)
			r.same(r.get(a), a)
			r.same(r.get(b), b)
			r.same(r.get(c), c)
			r.same(r.get(newTask("q", "k", t0)), nil)
			r.same(r.get(newTask("qqk", "", t0)), nil)
		},
	},
	{
		name: "NoRefs",
		why:  "asking for nothing is answered with nothing",
		test: func(r *rig) {
			got, err := r.s.Get(r.ctx, 0, nil, true)
			r.must(err)
			r.equal("answers", len(got), 0)
		},
	},
}
