package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// node is the owner of all shards of a rig.
const node = "node-1"

// rig is a store under test, all of its shards owned by node.
type rig struct {
	testing.TB
	ctx    context.Context
	s      store.Store
	reopen func() store.Store
	grants []store.Grant // by shard
	closed bool
}

func newRig(t testing.TB, open Open) *rig {
	t.Helper()
	s, reopen := open(t)
	r := &rig{TB: t, ctx: context.Background(), s: s, reopen: reopen}
	r.acquire()
	return r
}

// acquire makes node the owner of all shards.
func (r *rig) acquire() {
	r.Helper()
	grants, err := r.s.Acquire(r.ctx, node, r.allShards())
	r.must(err)
	r.grants = grants
}

func (r *rig) allShards() []int {
	all := make([]int, r.s.Shards())
	for i := range all {
		all[i] = i
	}
	return all
}

// restart closes the store, opens it again and takes the shards.
func (r *rig) restart() {
	r.Helper()
	r.must(r.s.Close())
	r.s = r.reopen()
	r.acquire()
}

func (r *rig) close() {
	r.Helper()
	if !r.closed {
		r.must(r.s.Close())
	}
	r.closed = true
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// wantErr fails unless err is want.
func (r *rig) wantErr(err, want error) {
	r.Helper()
	if !errors.Is(err, want) {
		r.Fatalf("got error %v, want %v", err, want)
	}
}

func (r *rig) shardOf(t *task.Task) int { return task.Shard(t.Queue, t.Key, r.s.Shards()) }

// batches groups writes by shard.
func (r *rig) batches(writes []store.Write) []store.Batch {
	byShard := make(map[int][]store.Write)
	for _, w := range writes {
		t := w.Task
		if t == nil {
			t = w.Prev
		}
		byShard[r.shardOf(t)] = append(byShard[r.shardOf(t)], w)
	}
	var all []store.Batch
	for shard, writes := range byShard {
		all = append(all, store.Batch{Shard: shard, Epoch: r.grants[shard].Epoch, Writes: writes})
	}
	slices.SortFunc(all, func(a, b store.Batch) int { return a.Shard - b.Shard })
	return all
}

// commit writes to as many shards as the writes belong to.
func (r *rig) commit(writes ...store.Write) {
	r.Helper()
	for _, b := range r.batches(writes) {
		r.must(r.s.Commit(r.ctx, b))
	}
}

// create commits new records.
func (r *rig) create(tasks ...*task.Task) {
	r.Helper()
	writes := make([]store.Write, len(tasks))
	for i, t := range tasks {
		writes[i] = store.Write{Task: t}
	}
	r.commit(writes...)
}

// change commits next in place of prev, and returns it.
func (r *rig) change(prev, next *task.Task) *task.Task {
	r.Helper()
	r.commit(store.Write{Prev: prev, Task: next})
	return next
}

// get reads one record with its body.
func (r *rig) get(t *task.Task) *task.Task {
	r.Helper()
	found, err := r.s.Get(r.ctx, r.shardOf(t), []store.Ref{store.RefOf(t)}, true)
	r.must(err)
	if len(found) != 1 {
		r.Fatalf("Get of one record returned %d", len(found))
	}
	return found[0]
}

// due reads a whole shard's index, in pages of the given length.
func (r *rig) due(shard, page int) []store.Entry {
	r.Helper()
	return r.entries(page, func(after store.Pos) ([]store.Entry, error) {
		return r.s.Due(r.ctx, shard, after, page)
	})
}

// ready reads a whole lane.
func (r *rig) ready(shard int, lane task.Lane, page int) []store.Entry {
	r.Helper()
	return r.entries(page, func(after store.Pos) ([]store.Entry, error) {
		return r.s.Ready(r.ctx, shard, lane, after, page)
	})
}

func (r *rig) entries(page int, read func(after store.Pos) ([]store.Entry, error)) []store.Entry {
	r.Helper()
	var all []store.Entry
	for {
		var after store.Pos
		if len(all) > 0 {
			after = all[len(all)-1].Pos
		}
		found, err := read(after)
		r.must(err)
		if len(found) > page {
			r.Fatalf("got %d entries, the limit was %d", len(found), page)
		}
		all = append(all, found...)
		if len(found) < page {
			return all
		}
	}
}

// equal fails unless got and want print the same.
func (r *rig) equal(what string, got, want any) {
	r.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		r.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// same fails unless two records are equal, bodies included.
func (r *rig) same(got, want *task.Task) {
	r.Helper()
	if g, w := show(got), show(want); g != w {
		r.Fatalf("record:\n got %s\nwant %s", g, w)
	}
}

// show prints a record with what it points to. No payload and an empty one are
// the same, and so are no pairs and empty ones.
func show(t *task.Task) string {
	if t == nil {
		return "no record"
	}
	c := *t
	c.Body = nil
	if t.Body == nil {
		return fmt.Sprintf("%+v", c)
	}
	b := t.Body
	hook := "none"
	if b.Webhook != nil {
		hook = fmt.Sprintf("%q %q", b.Webhook.URL, b.Webhook.Headers)
	}
	return fmt.Sprintf("%+v payload %q type %q metadata %q trace %q webhook %s", c, b.Payload, b.ContentType, b.Metadata, b.Traceparent, hook)
}
