package storetest

import (
	"fmt"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var readyRules = []rule{
	{
		name: "OneLaneAtATime",
		why:  "the ready tasks of a lane come ordered by (Expiry, ID), and nobody else's",
		test: func(r *rig) {
			var all []*task.Task
			for i := range 300 {
				t := newTask([]string{"a", "b"}[i%2], fmt.Sprint(i), t0+task.Instant(i*7919%40))
				if host := []string{"", "x.example", "y.example"}[i%3]; host != "" {
					pushed(t, host)
				}
				all = append(all, t)
			}
			r.create(all...)
			ready := r.makeReady(all)
			for shard := range r.s.Shards() {
				for _, lane := range lanesOf("a", "b") {
					want := r.wantReady(ready, shard, lane)
					for _, page := range []int{1, 4, 1000} {
						r.equal("ready", r.ready(shard, lane, page), want)
					}
				}
			}
		},
	},
	{
		name: "LanesInOrder",
		why:  "Lanes names each lane with ready tasks once, ordered by (Queue, Host), in pages of any length",
		test: func(r *rig) {
			var ready []*task.Task
			hosts := []string{"a", "a.b", "a.b:80", "a-b", "b", "::1", "xn--bcher-kva.example"}
			for _, queue := range []string{"q", "q.q", "q-q", "Q", "qq"} {
				for i := range 20 {
					ready = append(ready, newTask(queue, fmt.Sprint("pull", i), t0))
					for _, host := range hosts {
						ready = append(ready, pushed(newTask(queue, host+fmt.Sprint(i), t0), host))
					}
				}
			}
			r.create(ready...)
			ready = r.makeReady(ready)
			for shard := range r.s.Shards() {
				for _, page := range []int{1, 4, 1000} {
					r.equal("lanes", r.lanes(shard, page), r.wantLanes(ready, shard))
				}
			}
		},
	},
	{
		name: "AnEmptiedLaneIsGone",
		why:  "a lane whose last ready task was claimed, cancelled or deleted is not named any more",
		test: func(r *rig) {
			t := pushed(newTask("q", "k", t0), "a.example")
			r.create(t)
			for _, to := range []task.State{task.Leased, task.Scheduled, task.Cancelled, task.Scheduled} {
				next := t
				if t.State != task.Scheduled {
					next = r.change(t, moved(t, task.Scheduled))
				}
				next = r.change(next, moved(next, task.Ready))
				r.equal("lanes", r.lanes(r.shardOf(t), 10), []task.Lane{t.Lane()})
				r.equal("ready", r.ready(r.shardOf(t), t.Lane(), 10), []store.Entry{readyEntry(next)})
				t = r.change(next, moved(next, to))
				r.equal("lanes", r.lanes(r.shardOf(t), 10), []task.Lane{})
				r.equal("ready", r.ready(r.shardOf(t), t.Lane(), 10), []store.Entry{})
			}
		},
	},
	{
		name: "AReadyTaskChangesLane",
		why:  "a ready task that gets another webhook waits in the lane of the new one's host alone",
		test: func(r *rig) {
			t := pushed(newTask("q", "k", t0), "a.example")
			r.create(t)
			ready := r.change(t, moved(t, task.Ready))
			next := moved(ready, task.Ready)
			next.Host = "b.example"
			r.change(ready, next)
			r.equal("lanes", r.lanes(r.shardOf(t), 10), []task.Lane{next.Lane()})
			r.equal("old lane", r.ready(r.shardOf(t), t.Lane(), 10), []store.Entry{})
			r.equal("new lane", r.ready(r.shardOf(t), next.Lane(), 10), []store.Entry{readyEntry(next)})
		},
	},
	{
		name: "ReadyWithoutChange",
		why:  "a ready task that is rewritten where it is waits once",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			t = r.change(t, moved(t, task.Ready))
			t = r.change(t, moved(t, task.Ready))
			r.equal("ready", r.ready(r.shardOf(t), t.Lane(), 10), []store.Entry{readyEntry(t)})
			r.commit(store.Write{Prev: t})
			r.equal("ready", r.ready(r.shardOf(t), t.Lane(), 10), []store.Entry{})
		},
	},
	{
		name: "Limit",
		why:  "a page has no more lanes or entries than asked for; none are asked for with 0",
		test: func(r *rig) {
			all := many("q", 100)
			r.create(all...)
			r.makeReady(all)
			for _, limit := range []int{0, 1} {
				lanes, err := r.s.Lanes(r.ctx, 0, task.Lane{}, limit)
				r.must(err)
				r.equal("lanes", len(lanes), limit)
				entries, err := r.s.Ready(r.ctx, 0, task.Lane{Queue: "q"}, store.Pos{}, limit)
				r.must(err)
				r.equal("entries", len(entries), limit)
			}
		},
	},
}

// makeReady commits tasks as ready and returns them so.
func (r *rig) makeReady(tasks []*task.Task) []*task.Task {
	r.Helper()
	ready := make([]*task.Task, len(tasks))
	writes := make([]store.Write, len(tasks))
	for i, t := range tasks {
		ready[i] = moved(t, task.Ready)
		writes[i] = store.Write{Prev: t, Task: ready[i]}
	}
	r.commit(writes...)
	return ready
}

// lanes reads all lanes of a shard, in pages.
func (r *rig) lanes(shard, page int) []task.Lane {
	r.Helper()
	var all []task.Lane
	var last task.Lane
	for {
		found, err := r.s.Lanes(r.ctx, shard, last, page)
		r.must(err)
		all = append(all, found...)
		if len(found) < page {
			return all
		}
		last = found[len(found)-1]
	}
}

func lanesOf(queues ...string) []task.Lane {
	var lanes []task.Lane
	for _, q := range queues {
		for _, host := range []string{"", "x.example", "y.example", "z.example"} {
			lanes = append(lanes, task.Lane{Queue: q, Host: host})
		}
	}
	return lanes
}
