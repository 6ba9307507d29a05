package storetest

import (
	"fmt"
	"slices"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var scheduleRules = []rule{
	{
		name: "WhatWasWrittenIsRead",
		why:  "all fields of a schedule and its plan come back as they were written",
		test: func(r *rig) {
			s := fullSchedule()
			r.putNew(s)
			r.sameSchedule(r.getSchedule(s), s)
		},
	},
	{
		name: "AbsentIsNil",
		why:  "a schedule that is absent is nil in the answer, and the i-th answer is to the i-th ref",
		test: func(r *rig) {
			a, b := newSchedule("q", "a", t0), newSchedule("q", "b", t0)
			for i := 0; r.shardOfSchedule(b) != r.shardOfSchedule(a); i++ {
				b.Key = fmt.Sprint("b", i)
			}
			r.putNew(a, b)
			refs := []store.Ref{store.ScheduleRef(b), {Queue: "q", Key: "?"}, store.ScheduleRef(a), store.ScheduleRef(b)}
			got, err := r.s.GetSchedules(r.ctx, r.shardOfSchedule(a), refs)
			r.must(err)
			r.equal("answers", showSchedules(got), showSchedules([]*task.Schedule{b, nil, a, b}))
			none, err := r.s.GetSchedules(r.ctx, 0, nil)
			r.must(err)
			r.equal("answers to nothing", len(none), 0)
		},
	},
	{
		name: "ANilPlanKeepsTheStoredOne",
		why:  "a schedule that moves on rewrites its head only; the plan is as it was, and Prev's is not looked at",
		test: func(r *rig) {
			s := fullSchedule()
			r.putNew(s)
			second := movedOn(s, t0+50)
			r.put(store.ScheduleWrite{Prev: withPlan(s, &task.Plan{Rule: []byte("not what is stored")}), Schedule: second})
			r.sameSchedule(r.getSchedule(s), withPlan(second, s.Plan))
			third := movedOn(second, t0+60)
			r.put(store.ScheduleWrite{Prev: second, Schedule: third})
			r.sameSchedule(r.getSchedule(s), withPlan(third, s.Plan))
		},
	},
	{
		name: "APlanReplacesTheStoredOne",
		why:  "a schedule that is asked for anew has the new plan, and nothing of the old one",
		test: func(r *rig) {
			s := fullSchedule()
			r.putNew(s)
			next := withPlan(movedOn(s, t0+50), &task.Plan{Rule: []byte("new")})
			next.Queued = nil
			r.put(store.ScheduleWrite{Prev: s, Schedule: next})
			r.sameSchedule(r.getSchedule(s), next)
		},
	},
	{
		name: "DeletedIsGone",
		why:  "a deleted schedule is in no answer, and a new one of its key has nothing of it",
		test: func(r *rig) {
			s := newSchedule("q", "k", t0)
			r.putNew(s)
			r.put(store.ScheduleWrite{Prev: s})
			shard := r.shardOfSchedule(s)
			r.sameSchedule(r.getSchedule(s), nil)
			r.equal("due", r.due(shard, 10), []store.Entry{})
			r.equal("listed", r.listSchedules(shard, store.ScheduleQuery{}, 10), []string{})
			r.wantScheduleCount("q", 0)
			r.equal("queues", r.queueNames(10), []string{"q"})
			again := newSchedule("q", "k", t0+5)
			again.Plan = &task.Plan{Rule: []byte("x")}
			r.putNew(again)
			r.sameSchedule(r.getSchedule(s), again)
		},
	},
	{
		name: "AnewInOneWrite",
		why:  "a schedule that another one of its key takes the place of leaves no row behind",
		test: func(r *rig) {
			s, anew := newSchedule("q", "k", t0), newSchedule("q", "k", t0)
			r.putNew(s)
			r.put(store.ScheduleWrite{Prev: s, Schedule: anew})
			r.equal("due", r.due(r.shardOfSchedule(s), 10), []store.Entry{scheduleEntry(anew)})
			r.sameSchedule(r.getSchedule(s), anew)
			r.wantScheduleCount("q", 1)
		},
	},
	{
		name: "NothingIsShared",
		why:  "the store keeps no reference to a schedule it was given, and gives away none to what it keeps",
		test: func(r *rig) {
			s, want := fullSchedule(), fullSchedule()
			want.ID = s.ID
			r.putNew(s)
			scribbleSchedule(s)
			r.sameSchedule(r.getSchedule(want), want)
			scribbleSchedule(r.getSchedule(want))
			r.sameSchedule(r.getSchedule(want), want)
		},
	},
	{
		name: "ATaskOfTheSameKey",
		why:  "a task and a schedule of the same queue and key are apart",
		test: func(r *rig) {
			t, s := newTask("q", "k", t0), newSchedule("q", "k", t0)
			r.create(t)
			r.sameSchedule(r.getSchedule(s), nil)
			r.putNew(s)
			r.same(r.get(t), t)
			r.equal("tasks", len(r.list(r.shardOf(t), store.ListQuery{Queue: "q"}, 10)), 1)
			r.equal("due", r.due(r.shardOf(t), 1), []store.Entry{entry(t), scheduleEntry(s)})
			r.commit(store.Write{Prev: t})
			r.same(r.get(t), nil)
			r.sameSchedule(r.getSchedule(s), s)
			r.create(t)
			r.put(store.ScheduleWrite{Prev: s})
			r.same(r.get(t), t)
			r.sameSchedule(r.getSchedule(s), nil)
		},
	},
	{
		name: "DueHasBothKinds",
		why:  "tasks and schedules come in one order, by (Next, ID), each marked for what it is, in pages of any length",
		test: func(r *rig) {
			var want [][]store.Entry
			for range r.s.Shards() {
				want = append(want, []store.Entry{})
			}
			for i := range 300 {
				at := t0 + task.Instant(i*7919%50) // many share an instant
				t, s := newTask("q", fmt.Sprint("t", i), at), newSchedule("q", fmt.Sprint("s", i), at)
				r.create(t)
				r.putNew(s)
				want[r.shardOf(t)] = append(want[r.shardOf(t)], entry(t))
				want[r.shardOfSchedule(s)] = append(want[r.shardOfSchedule(s)], scheduleEntry(s))
			}
			for shard, want := range want {
				slices.SortFunc(want, func(a, b store.Entry) int { return a.Compare(b.Pos) })
				for _, page := range []int{1, 3, 1000} {
					r.equal("due", r.due(shard, page), want)
				}
			}
		},
	},
	{
		name: "OneRowAtMost",
		why:  "a schedule has one entry where its Next is, and none while it is paused or finished",
		test: func(r *rig) {
			s := newSchedule("q", "k", t0)
			r.putNew(s)
			for _, next := range []task.Instant{t0 + 1, t0 + 1, 0, 0, t0, t0 + 1, t0} {
				moved := movedOn(s, next)
				moved.Cursor, moved.Paused = t0, next == 0
				r.put(store.ScheduleWrite{Prev: s, Schedule: moved})
				s = moved
				want := []store.Entry{}
				if next != 0 {
					want = append(want, scheduleEntry(s))
				}
				r.equal("due", r.due(r.shardOfSchedule(s), 10), want)
			}
		},
	},
	{
		name: "TogetherWithTasks",
		why:  "a schedule that moves on and the task that its occurrence becomes are written together or not at all",
		test: func(r *rig) {
			s := newSchedule("q", "k", t0)
			r.putNew(s)
			moved, t := movedOn(s, t0+10), newTask("q", task.OccurrenceKey(s.Key, t0), t0)
			b := r.scheduleBatch(store.ScheduleWrite{Prev: s, Schedule: moved})
			b.Writes = []store.Write{{Task: t}}
			b.Epoch++
			r.wantErr(r.s.Commit(r.ctx, b), store.ErrFenced)
			r.same(r.get(t), nil)
			r.sameSchedule(r.getSchedule(s), s)
			r.wantCounts("q", nil)
			b.Epoch--
			r.must(r.s.Commit(r.ctx, b))
			r.same(r.get(t), t)
			r.sameSchedule(r.getSchedule(s), withPlan(moved, s.Plan))
			r.wantCounts("q", []*task.Task{t})
			r.equal("due", r.due(b.Shard, 10), []store.Entry{entry(t), scheduleEntry(moved)})
		},
	},
	{
		name: "AFencedScheduleAlone",
		why:  "a batch that has only schedules is fenced as any other",
		test: func(r *rig) {
			s := newSchedule("q", "k", t0)
			b := r.scheduleBatch(store.ScheduleWrite{Schedule: s})
			b.Epoch++
			r.wantErr(r.s.Commit(r.ctx, b), store.ErrFenced)
			r.sameSchedule(r.getSchedule(s), nil)
			r.wantScheduleCount("q", 0)
			r.equal("queues", r.queueNames(10), []string{})
		},
	},
	{
		name: "Listed",
		why:  "schedules of one queue or of all come ordered by (Queue, Key), strictly after a place in any queue, without plans, in pages of any length",
		test: func(r *rig) {
			var all []*task.Schedule
			for i := range 40 {
				for _, queue := range []string{"q", "qq", "q.q", "r"} {
					all = append(all, newSchedule(queue, fmt.Sprint("k", i), t0))
				}
			}
			r.putNew(all...)
			r.create(many("q", 20)...)
			for shard := range r.s.Shards() {
				for _, queue := range []string{"", "a", "q", "q.q", "qq", "r", "z"} {
					for _, page := range []int{1, 7, 1000} {
						r.equal("listing of "+queue, r.listSchedules(shard, store.ScheduleQuery{Queue: queue}, page), r.wantSchedules(all, shard, queue, store.Ref{}))
					}
					for _, after := range []store.Ref{{Queue: "a", Key: "z"}, {Queue: "q"}, {Queue: "q", Key: "k2"}, {Queue: "q", Key: "k20"}, {Queue: "q.q", Key: "k3"}, {Queue: "qq", Key: "~"}, {Queue: "s"}} {
						q := store.ScheduleQuery{Queue: queue, After: after}
						r.equal(fmt.Sprintf("listing %+v", q), r.listSchedules(shard, q, 1000), r.wantSchedules(all, shard, queue, after))
					}
				}
			}
		},
	},
	{
		name: "ListLimit",
		why:  "a page has no more schedules than asked for; none are asked for with 0",
		test: func(r *rig) {
			r.putNew(newSchedule("q", "k", t0))
			shard := task.Shard("q", "k", r.s.Shards())
			for _, queue := range []string{"", "q"} {
				found, err := r.s.ListSchedules(r.ctx, shard, store.ScheduleQuery{Queue: queue})
				r.must(err)
				r.equal("schedules", len(found), 0)
			}
		},
	},
	{
		name: "Counted",
		why:  "a queue's row has the number of its schedules in all shards; a queue that has or had only schedules is listed",
		test: func(r *rig) {
			for i := range 30 {
				s := newSchedule("q", fmt.Sprint(i), t0)
				r.putNew(s)
				if i%3 == 0 {
					r.put(store.ScheduleWrite{Prev: s})
				} else {
					r.put(store.ScheduleWrite{Prev: s, Schedule: movedOn(s, t0+1)})
				}
			}
			r.putNew(newSchedule("qq", "k", t0))
			r.wantScheduleCount("q", 20)
			r.wantCounts("q", nil)
			r.create(many("q", 3)...)
			rows, err := r.s.Queues(r.ctx, "", 10)
			r.must(err)
			want := []store.QueueRow{
				{Queue: task.Queue{Name: "q"}, Counts: task.Counts{0, 3}, Schedules: 20},
				{Queue: task.Queue{Name: "qq"}, Schedules: 1},
			}
			r.equal("queues", rows, want)
		},
	},
	{
		name: "TheLargest",
		why:  "the longest key, the largest plan and the most queued occurrences are held whole",
		test: func(r *rig) {
			s := fullSchedule()
			s.Key = string(slices.Repeat([]byte("k"), task.MaxScheduleKeyLen))
			s.Plan.Rule = slices.Repeat([]byte("r"), task.MaxRuleLen)
			s.Plan.Task.Payload = slices.Repeat([]byte{0, 255}, task.DefaultMaxPayload/2)
			s.Queued = make([]task.Instant, task.MaxQueueLimit)
			for i := range s.Queued {
				s.Queued[i] = task.MaxInstant - task.Instant(i)
			}
			r.putNew(s)
			r.sameSchedule(r.getSchedule(s), s)
			t := newTask(s.Queue, task.OccurrenceKey(s.Key, task.MaxInstant-1), t0)
			t.Output = string(slices.Repeat([]byte("o"), task.MaxOutputLen))
			r.create(t)
			r.everywhere(t)
		},
	},
	{
		name: "Stay",
		why:  "schedules, their plans, entries and number are there after the store was closed and opened; what was deleted is not",
		test: durable(func(r *rig) {
			s, gone := fullSchedule(), newSchedule("q", "gone", t0)
			r.putNew(s, gone)
			moved := movedOn(s, t0+50)
			r.put(store.ScheduleWrite{Prev: s, Schedule: moved}, store.ScheduleWrite{Prev: gone})
			r.restart()
			r.sameSchedule(r.getSchedule(s), withPlan(moved, s.Plan))
			r.sameSchedule(r.getSchedule(gone), nil)
			shard := r.shardOfSchedule(s)
			r.equal("due", r.due(shard, 10), []store.Entry{scheduleEntry(moved)})
			r.equal("listed", r.listSchedules(shard, store.ScheduleQuery{Queue: s.Queue}, 10), showSchedules([]*task.Schedule{moved}))
			r.wantScheduleCount(s.Queue, 1)
			r.wantScheduleCount("q", 0)
			r.put(store.ScheduleWrite{Prev: moved, Schedule: movedOn(moved, t0+60)})
		}),
	},
}

// scribbleSchedule changes everything that s reaches.
func scribbleSchedule(s *task.Schedule) {
	s.Queued[0] = 1
	copy(s.Plan.Rule, "xxxxx")
	copy(s.Plan.Task.Payload, "xxxxx")
	s.Plan.Task.Metadata["a"] = "changed"
	s.Plan.Task.Webhook.Headers["X-A"] = "changed"
	s.Plan.Task.Webhook.URL = "changed"
	s.Plan.Overlap = task.OverlapAllow
	s.Revision, s.Zones = 99, "changed"
}
