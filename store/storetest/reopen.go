package storetest

import (
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// durable runs a case on drivers that keep data; for others there is nothing
// that could fail.
func durable(test func(r *rig)) func(r *rig) {
	return func(r *rig) {
		if r.reopen != nil {
			test(r)
		}
	}
}

var reopenRules = []rule{
	{
		name: "RecordsStay",
		why:  "every acknowledged record, index row and count is there after the store was closed and opened",
		test: durable(func(r *rig) {
			all := r.mixed()
			full := fullTask()
			r.create(full)
			r.restart()
			r.same(r.get(full), full)
			for shard := range r.s.Shards() {
				for _, state := range append([]task.State{0}, task.States[:]...) {
					got := r.list(shard, store.ListQuery{Queue: "q", State: state}, 7)
					r.equal(state.String(), heads(got), heads(r.wantList(all, shard, "q", state)))
				}
				r.equal("lanes", r.lanes(shard, 7), r.wantLanes(all, shard))
				lane := task.Lane{Queue: "q"}
				r.equal("ready", r.ready(shard, lane, 7), r.wantReady(all, shard, lane))
			}
			r.wantCounts("q", r.inQueue(all, "q"))
		}),
	},
	{
		name: "ShardsStay",
		why:  "the number of shards is that of the store's creation",
		test: durable(func(r *rig) {
			n := r.s.Shards()
			r.restart()
			r.equal("shards", r.s.Shards(), n)
		}),
	},
	{
		name: "EpochsStay",
		why:  "epochs grow across restarts: nothing that was under way before can be taken for the present owner's",
		test: durable(func(r *rig) {
			before := r.grants
			r.must(r.s.Close())
			r.s = r.reopen()
			t := newTask("q", "k", t0)
			b := r.batches([]store.Write{{Task: t}})[0]
			r.wantErr(r.s.Commit(r.ctx, b), store.ErrFenced)
			r.acquire()
			r.wantErr(r.s.Commit(r.ctx, b), store.ErrFenced)
			for i, g := range r.grants {
				if g.Epoch <= before[i].Epoch {
					r.Errorf("epoch %d after %d", g.Epoch, before[i].Epoch)
				}
			}
			r.create(t)
		}),
	},
	{
		name: "SettingsStay",
		why:  "a queue's settings, and its name when its tasks are gone, outlive a restart",
		test: durable(func(r *rig) {
			q := fullQueue()
			r.must(r.s.PutQueue(r.ctx, q))
			t := newTask("had-one", "k", t0)
			r.create(t)
			r.commit(store.Write{Prev: t})
			r.restart()
			r.wantSettings(q)
			r.equal("queues", r.queueNames(10), []string{"had-one", q.Name})
			q.Revision = 2
			r.must(r.s.PutQueue(r.ctx, q))
		}),
	},
	{
		name: "DeletedStaysGone",
		why:  "what was deleted, moved or replaced does not come back, however often the store is opened",
		test: durable(func(r *rig) {
			t := pushed(newTask("q", "k", t0), "a.example")
			for range 3 {
				r.create(t)
				r.restart()
				ready := r.change(t, moved(t, task.Ready))
				r.restart()
				back := moved(ready, task.Scheduled)
				back.Next, back.Expiry = t.Next, t.Expiry
				r.change(ready, back)
				r.restart()
				r.commit(store.Write{Prev: back})
				r.restart()
				r.nothingIn(r.shardOf(t), "q", t.Lane())
			}
		}),
	},
}
