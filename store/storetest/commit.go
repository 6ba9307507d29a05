package storetest

import (
	"context"
	"fmt"
	"sync"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var commitRules = []rule{
	{
		name: "WhatWasWrittenIsRead",
		why:  "all fields of a record come back as they were written",
		test: func(r *rig) {
			t := fullTask()
			r.create(t)
			r.same(r.get(t), t)
		},
	},
	{
		name: "BatchesApplyWhole",
		why:  "all writes of a batch are applied",
		test: func(r *rig) {
			all := many("q", 500)
			r.create(all...)
			gone, changed := all[:100], all[100:200]
			var writes []store.Write
			for _, t := range gone {
				writes = append(writes, store.Write{Prev: t})
			}
			var next []*task.Task
			for _, t := range changed {
				n := moved(t, task.Leased)
				next = append(next, n)
				writes = append(writes, store.Write{Prev: t, Task: n})
			}
			r.commit(writes...)
			for _, t := range gone {
				r.same(r.get(t), nil)
			}
			for i, t := range next {
				t.Body = changed[i].Body
				r.same(r.get(t), t)
			}
			r.same(r.get(all[499]), all[499])
		},
	},
	{
		name: "ANilBodyKeepsTheStoredOne",
		why:  "a move rewrites the head only; the body is as it was",
		test: func(r *rig) {
			t := fullTask()
			r.create(t)
			leased := r.change(t, moved(t, task.Leased))
			leased = leased.Clone()
			leased.Body = t.Body
			r.same(r.get(t), leased)
		},
	},
	{
		name: "ABodyReplacesTheStoredOne",
		why:  "a record that is replaced has the new body, and nothing of the old one",
		test: func(r *rig) {
			t := fullTask()
			r.create(t)
			next := moved(t, task.Scheduled)
			next.Body, next.Size = &task.Body{Payload: []byte("new")}, 3
			r.same(r.get(r.change(t, next)), next)
		},
	},
	{
		name: "PrevsBodyIsNotLookedAt",
		why:  "the caller need not read a body to move a task, and one that it happens to have does no harm",
		test: func(r *rig) {
			t := fullTask()
			r.create(t)
			bare := t.Clone()
			bare.Body = nil
			second := r.change(bare, moved(bare, task.Ready))
			withBody := second.Clone()
			withBody.Body = &task.Body{Payload: []byte("not what is stored")}
			third := r.change(withBody, moved(withBody, task.Leased)).Clone()
			third.Body = t.Body
			r.same(r.get(t), third)
		},
	},
	{
		name: "DeletedIsGone",
		why:  "a deleted record is in no answer, and a new one of its key has nothing of it",
		test: func(r *rig) {
			t := pushed(newTask("q", "k", t0), "a.example")
			r.create(t)
			prev := r.change(t, moved(t, task.Ready))
			r.commit(store.Write{Prev: prev})
			r.same(r.get(t), nil)
			r.nothingIn(r.shardOf(t), "q", prev.Lane())
			again := newTask("q", "k", t0+5)
			again.Body, again.Size = &task.Body{}, 0
			r.create(again)
			r.same(r.get(again), again)
		},
	},
	{
		name: "NothingIsShared",
		why:  "the store keeps no reference to what it was given, and gives away none to what it keeps",
		test: func(r *rig) {
			t, want := fullTask(), fullTask()
			want.ID = t.ID
			r.create(t)
			scribble(t)
			r.same(r.get(want), want)
			scribble(r.get(want))
			r.same(r.get(want), want)
		},
	},
	{
		name: "EmptyBatch",
		why:  "a batch without writes asks only whether the epoch is current",
		test: func(r *rig) {
			g := r.grants[0]
			r.must(r.s.Commit(r.ctx, store.Batch{Shard: 0, Epoch: g.Epoch}))
			r.wantErr(r.s.Commit(r.ctx, store.Batch{Shard: 0, Epoch: g.Epoch + 1}), store.ErrFenced)
		},
	},
	{
		name: "ADoneContext",
		why:  "a commit whose context is done before it begins is not applied, and reports the context's error",
		test: func(r *rig) {
			ctx, cancel := context.WithCancel(r.ctx)
			cancel()
			t := newTask("q", "k", t0)
			r.wantErr(r.s.Commit(ctx, r.batches([]store.Write{{Task: t}})[0]), context.Canceled)
			r.same(r.get(t), nil)
			r.create(t)
		},
	},
	{
		name: "LargeBatch",
		why:  "a batch may hold ten thousand writes",
		test: func(r *rig) {
			all := make([]*task.Task, 0, 10_000)
			for i := 0; len(all) < cap(all); i++ {
				if t := newTask("q", fmt.Sprint(i), t0); r.shardOf(t) == 0 {
					all = append(all, t)
				}
			}
			r.create(all...)
			if n := len(r.due(0, 3000)); n != len(all) {
				r.Errorf("%d records written, %d found", len(all), n)
			}
		},
	},
	{
		name: "ShardsCommitAtOnce",
		why:  "owners of different shards commit at the same time without disturbing each other",
		test: func(r *rig) {
			all := many("q", 2000)
			var wg sync.WaitGroup
			for _, b := range r.batches(creations(all)) {
				wg.Go(func() {
					for i := range b.Writes {
						one := store.Batch{Shard: b.Shard, Epoch: b.Epoch, Writes: b.Writes[i : i+1]}
						if err := r.s.Commit(r.ctx, one); err != nil {
							r.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			row, err := r.s.Queue(r.ctx, "q")
			r.must(err)
			if row.Counts[task.Scheduled] != int64(len(all)) {
				r.Errorf("%d records written, counted %v", len(all), row.Counts)
			}
		},
	},
}

func creations(tasks []*task.Task) []store.Write {
	writes := make([]store.Write, len(tasks))
	for i, t := range tasks {
		writes[i] = store.Write{Task: t}
	}
	return writes
}

// fullTask returns a task with a value in every field, negative and large
// numbers among them.
func fullTask() *task.Task {
	t := pushed(newTask("queue.A_b-1", "key/with spaces & ünïcode", t0), "hooks.example:8443")
	t.Failures, t.LastError, t.Fired = 2, "connection refused\n", t0-1
	t.Attempt, t.Revision = 1<<32-1-5, 1<<62
	t.Output, t.Occurrence, t.Missed, t.Chained = "done\x00\xff", t0-3, 1<<32-1, true
	t.Created, t.Updated, t.Due = 1, task.MaxInstant, t0-5
	t.Body.Metadata = map[string]string{"a": "1", "b": "", "ключ": "значение"}
	t.Body.Traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	t.Body.Payload = []byte{0, 1, 255, 254, '\n', 0}
	t.Size = uint32(len(t.Body.Payload))
	return t
}

// scribble changes everything that t reaches.
func scribble(t *task.Task) {
	copy(t.Body.Payload, "xxxxxxxxxxxxx")
	for k := range t.Body.Metadata {
		t.Body.Metadata[k] = "changed"
	}
	for k := range t.Body.Webhook.Headers {
		t.Body.Webhook.Headers[k] = "changed"
	}
	t.Body.Webhook.URL = "changed"
	t.Body.ContentType = "changed"
	t.Revision, t.LastError, t.State = 99, "changed", task.Dead
}

// nothingIn fails if a shard has any row of a queue.
func (r *rig) nothingIn(shard int, queue string, lane task.Lane) {
	r.Helper()
	r.equal("due", r.due(shard, 10), []store.Entry{})
	r.equal("ready", r.ready(shard, lane, 10), []store.Entry{})
	lanes, err := r.s.Lanes(r.ctx, shard, task.Lane{}, 10)
	r.must(err)
	r.equal("lanes", lanes, []task.Lane{})
	for _, state := range append([]task.State{0}, task.States[:]...) {
		listed, err := r.s.List(r.ctx, shard, store.ListQuery{Queue: queue, State: state, Limit: 10})
		r.must(err)
		r.equal("listed", len(listed), 0)
	}
	row, err := r.s.Queue(r.ctx, queue)
	r.must(err)
	r.equal("counts", row.Counts, task.Counts{})
}
