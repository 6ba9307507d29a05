package storetest

import (
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var countRules = []rule{
	{
		name: "EveryMoveIsCounted",
		why:  "a queue's counts are the numbers of its records by state, after every commit",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			r.wantCounts("q", []*task.Task{t})
			for _, to := range []task.State{task.Scheduled, task.Ready, task.Leased, task.Dead, task.Scheduled, task.Cancelled} {
				t = r.change(t, moved(t, to))
				r.wantCounts("q", []*task.Task{t})
			}
			r.commit(store.Write{Prev: t})
			r.wantCounts("q", nil)
		},
	},
	{
		name: "AllShardsTogether",
		why:  "counts are of the queue in all shards, and of no other queue",
		test: func(r *rig) {
			all := r.mixed()
			r.wantCounts("q", r.inQueue(all, "q"))
			r.wantCounts("qq", r.inQueue(all, "qq"))
			r.wantCounts("q.", nil)
		},
	},
	{
		name: "ARefusedCommitCountsNothing",
		why:  "counts change with the records or not at all",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			b := r.batches([]store.Write{{Task: t}})[0]
			b.Epoch++
			r.wantErr(r.s.Commit(r.ctx, b), store.ErrFenced)
			r.wantCounts("q", nil)
		},
	},
	{
		name: "TwoQueuesInOneBatch",
		why:  "a batch counts for each queue in it",
		test: func(r *rig) {
			all := append(many("q", 50), many("p", 70)...)
			r.create(all...)
			r.wantCounts("q", all[:50])
			r.wantCounts("p", all[50:])
		},
	},
}

func (r *rig) inQueue(tasks []*task.Task, queue string) []*task.Task {
	var in []*task.Task
	for _, t := range tasks {
		if t.Queue == queue {
			in = append(in, t)
		}
	}
	return in
}

func (r *rig) wantCounts(queue string, tasks []*task.Task) {
	r.Helper()
	var want task.Counts
	for _, t := range tasks {
		want[t.State]++
	}
	row, err := r.s.Queue(r.ctx, queue)
	r.must(err)
	r.equal("counts of "+queue, row.Counts, want)
}
