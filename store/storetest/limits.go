package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var limitRules = []rule{
	{
		name: "LongestNames",
		why:  "queue names, keys and hosts of the longest kind that is valid are held whole in every index",
		test: func(r *rig) {
			queue, host := strings.Repeat("q", task.MaxQueueLen), strings.Repeat("h", 253)+":65535"
			for _, key := range []string{strings.Repeat("k", task.MaxKeyLen), strings.Repeat("日", task.MaxKeyLen/3)} {
				t := pushed(newTask(queue, key, t0), host)
				r.create(t)
				r.everywhere(t)
			}
		},
	},
	{
		name: "LargestPayload",
		why:  "a payload of the largest size that is allowed by default comes back whole, and so do several in one batch",
		test: func(r *rig) {
			all := many("q", 4)
			for i, t := range all {
				t.Body.Payload = bytes.Repeat([]byte{byte(i), 255, 0, 7}, task.DefaultMaxPayload/4)
				t.Size = task.DefaultMaxPayload
			}
			r.create(all...)
			for _, t := range all {
				r.same(r.get(t), t)
			}
		},
	},
	{
		name: "NoPayload",
		why:  "a task without payload, content type and metadata is a task",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			t.Body, t.Size = &task.Body{}, 0
			r.create(t)
			r.same(r.get(t), t)
		},
	},
	{
		name: "AnyTextInAKey",
		why:  "every key that is valid names its own record, and comes back as the bytes that were written: nothing is normalised, folded or cut",
		test: func(r *rig) {
			texts := []string{
				" ", "  ", "a b", " a", "a ", "%00", "%", "_", "'; drop table", `\`, `"`, "{}", "{a}", "*", "?", "a:b", "a/b/c", "../x",
				"é", "e\u0301", "É", "ß", "ss", "İ", "ı", "ﬁ", "\u200b", "\u202eabc", "\ufeff", "\uffff", "\U0010ffff", "👩‍👩‍👧", "k", "\u212a", "ａ", "日本語",
			}
			var all []*task.Task
			for i, key := range texts {
				all = append(all, newTask("q", key, t0+task.Instant(i)))
			}
			r.create(all...)
			for _, t := range all {
				r.same(r.get(t), t)
			}
			for shard := range r.s.Shards() {
				got := r.list(shard, store.ListQuery{Queue: "q"}, 3)
				r.equal("keys", fmt.Sprintf("%q", keys(got)), fmt.Sprintf("%q", keys(r.wantList(all, shard, "q", 0))))
				r.equal("due", r.due(shard, 3), r.wantDue(all, shard))
			}
		},
	},
	{
		name: "LargestNumbers",
		why:  "numbers come back whole up to the ends of their types",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			t.Attempt, t.Failures, t.Revision = 1<<32-1, 1<<32-1, 1<<64-1
			t.Occurrence, t.Missed = task.MaxInstant, 1<<32-1
			t.Timeout, t.Retention = 1<<63-1, 1<<63-1
			t.Retry = task.Retry{MaxAttempts: 1<<32 - 1, MinBackoff: 1<<63 - 1, MaxBackoff: 1<<63 - 1}
			t.Due, t.Expiry, t.Next = task.MaxInstant, task.MaxInstant, task.MaxInstant
			t.Created, t.Updated, t.Fired, t.Finished = task.MaxInstant, task.MaxInstant, task.MaxInstant, task.MaxInstant
			r.create(t)
			r.everywhere(t)
		},
	},
}

// everywhere fails unless a scheduled task, and then the same task ready, is
// found by every query.
func (r *rig) everywhere(t *task.Task) {
	r.Helper()
	r.same(r.get(t), t)
	shard := r.shardOf(t)
	r.contains("due", r.due(shard, 100), entry(t))
	q := store.ListQuery{Queue: t.Queue}
	r.equal("listed by key", heads(r.list(shard, q, 100)), heads(r.onlyIn(shard, q, t)))
	if t.Revision == 1<<64-1 {
		return // no further revision
	}
	ready := r.change(t, moved(t, task.Ready))
	r.contains("ready", r.ready(shard, ready.Lane(), 100), readyEntry(ready))
	if lanes := r.lanes(shard, 100); len(lanes) == 0 {
		r.Errorf("lane %v is not named", ready.Lane())
	}
	q.State = task.Ready
	r.equal("listed by state", heads(r.list(shard, q, 100)), heads(r.onlyIn(shard, q, ready)))
}

// onlyIn returns what a listing says now, with t in the place of the record of
// its key, which has to be there.
func (r *rig) onlyIn(shard int, q store.ListQuery, t *task.Task) []*task.Task {
	r.Helper()
	found := r.list(shard, q, 100)
	for i := range found {
		if found[i].Key == t.Key {
			found[i] = t
			return found
		}
	}
	r.Fatalf("%s/%s is not listed", t.Queue, t.Key)
	return nil
}

func (r *rig) contains(what string, entries []store.Entry, want store.Entry) {
	r.Helper()
	if !slices.Contains(entries, want) {
		r.Fatalf("%s: %v has not %v", what, entries, want)
	}
}
