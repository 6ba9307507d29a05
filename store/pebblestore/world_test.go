package pebblestore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

const (
	dir    = "data"
	shards = 3
)

// small makes memtables so small that a short workload flushes, compacts and
// changes logs many times.
func small(fs vfs.FS) pebblestore.Options {
	return pebblestore.Options{FS: fs, Shards: shards, MemTableBytes: 64 << 10, CacheBytes: 1 << 20}
}

// records is what a shard holds: by name, all of a record in one string.
type records map[store.Ref]string

// history is what a workload did to one shard: states[k] is what the shard
// holds after k commits. acked commits were acknowledged, and at most one more
// was begun.
type history struct {
	mu     sync.Mutex
	states []records
	acked  atomic.Int64
}

// workload commits random batches to all shards at once, n to each, until a
// commit fails.
type workload struct {
	seed   uint64
	shards [shards]history
}

func newWorkload(seed uint64) *workload {
	w := &workload{seed: seed}
	for i := range w.shards {
		w.shards[i].states = []records{{}}
	}
	return w
}

// run returns the error that ended it, nil after n commits to each shard.
func (w *workload) run(s store.Store, n int) error {
	ctx := context.Background()
	grants, err := s.Acquire(ctx, "node", []int{0, 1, 2})
	if err != nil {
		return err
	}
	errs := make([]error, shards)
	var wg sync.WaitGroup
	for shard := range shards {
		wg.Go(func() { errs[shard] = w.runShard(ctx, s, grants[shard], n) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (w *workload) runShard(ctx context.Context, s store.Store, g store.Grant, n int) error {
	rng := rand.New(rand.NewPCG(w.seed, uint64(g.Shard)))
	h := &w.shards[g.Shard]
	heads, bodies, timed, err := h.adopt(ctx, s, g.Shard)
	if err != nil {
		return err
	}
	for range n {
		b := store.Batch{Shard: g.Shard, Epoch: g.Epoch}
		for _, ref := range refsOf(g.Shard) {
			if rng.IntN(4) > 0 {
				continue
			}
			next := draw(rng, ref, heads[ref])
			b.Writes = append(b.Writes, store.Write{Prev: heads[ref], Task: next})
			if next == nil {
				delete(heads, ref)
				delete(bodies, ref)
				continue
			}
			if next.Body != nil {
				bodies[ref] = next.Body
			}
			heads[ref] = next.Clone()
			heads[ref].Body = nil
		}
		b.Schedules = timed.draw(rng, g.Shard)
		h.begin(heads, bodies, timed)
		if err := s.Commit(ctx, b); err != nil {
			return err
		}
		h.acked.Add(1)
	}
	return nil
}

// adopt takes what the shard holds as the state before the first commit.
func (h *history) adopt(ctx context.Context, s store.Store, shard int) (heads map[store.Ref]*task.Task, bodies map[store.Ref]*task.Body, timed schedules, err error) {
	heads, bodies = make(map[store.Ref]*task.Task), make(map[store.Ref]*task.Body)
	tasks, err := s.Get(ctx, shard, refsOf(shard), true)
	if err != nil {
		return nil, nil, nil, err
	}
	timed, _, err = readSchedules(s, shard, make(map[string]numbers))
	if err != nil {
		return nil, nil, nil, err
	}
	for _, t := range tasks {
		if t != nil {
			heads[store.RefOf(t)], bodies[store.RefOf(t)] = t, t.Body
			t.Body = nil
		}
	}
	h.states = nil
	h.begin(heads, bodies, timed)
	return heads, bodies, timed, nil
}

// begin records what the shard will hold if the next commit is applied.
func (h *history) begin(heads map[store.Ref]*task.Task, bodies map[store.Ref]*task.Body, timed schedules) {
	state := make(records, len(heads)+len(timed))
	timed.add(state)
	for ref, t := range heads {
		state[ref] = show(t, bodies[ref])
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.states = append(h.states, state)
}

// refsOf returns the few records of a shard that a workload changes.
func refsOf(shard int) []store.Ref {
	var refs []store.Ref
	for i := 0; len(refs) < 8; i++ {
		ref := store.Ref{Queue: []string{"q", "r"}[i%2], Key: fmt.Sprint("k", i)}
		if task.Shard(ref.Queue, ref.Key, shards) == shard {
			refs = append(refs, ref)
		}
	}
	return refs
}

// draw returns the next version of a record, nil to delete it.
func draw(rng *rand.Rand, ref store.Ref, prev *task.Task) *task.Task {
	t := &task.Task{Queue: ref.Queue, Key: ref.Key}
	for i := range t.ID {
		t.ID[i] = byte(rng.Uint32())
	}
	if prev != nil {
		if rng.IntN(5) == 0 {
			return nil
		}
		t = prev.Clone()
	}
	t.Revision++
	t.Expiry = task.Instant(1_000_000 + rng.IntN(1000))
	t.Next = t.Expiry
	t.State = task.States[rng.IntN(len(task.States))]
	if t.State == task.Ready {
		t.Next = 0
	}
	if prev == nil || rng.IntN(3) == 0 {
		t.Host = []string{"", "a.example", "b.example"}[rng.IntN(3)]
		t.Body = &task.Body{Payload: make([]byte, 1+rng.IntN(400)), Metadata: map[string]string{"n": fmt.Sprint(rng.Uint64())}}
		for i := range t.Body.Payload {
			t.Body.Payload[i] = byte(rng.Uint32())
		}
		t.Size = uint32(len(t.Body.Payload))
	}
	return t
}

func show(t *task.Task, b *task.Body) string {
	h := t.Clone()
	h.Body = nil
	return fmt.Sprintf("%+v %x %v", *h, b.Payload, b.Metadata)
}

// check fails unless s holds, of each shard, the state after some number of
// commits, from low to all that were begun, with indexes and counts to match.
// It returns those numbers.
func (w *workload) check(t *testing.T, s store.Store, low [shards]int64) (found [shards]int) {
	t.Helper()
	counts := make(map[string]numbers)
	for shard := range shards {
		got := readShard(t, s, shard, counts)
		h := &w.shards[shard]
		h.mu.Lock()
		states := slices.Clone(h.states)
		h.mu.Unlock()
		at := len(states) - 1
		for at >= 0 && !maps.Equal(states[at], got) {
			at--
		}
		if int64(at) < low[shard] {
			t.Fatalf("seed %d, shard %d: the state found is that after commit %d (-1: none) of %d, %d were acknowledged", w.seed, shard, at, len(states)-1, low[shard])
		}
		found[shard] = at
	}
	for queue, want := range counts {
		if got, err := count(s, queue); err != nil || got != want {
			t.Fatalf("seed %d, queue %s: counted %v, %v, has %v", w.seed, queue, got, err, want)
		}
	}
	return found
}

// readShard reads a shard by key and fails unless the indexes say the same.
func readShard(t *testing.T, s store.Store, shard int, counts map[string]numbers) records {
	t.Helper()
	got, err := tryReadShard(s, shard, counts)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func tryReadShard(s store.Store, shard int, counts map[string]numbers) (records, error) {
	ctx := context.Background()
	got := make(records)
	timed, next, err := readSchedules(s, shard, counts)
	if err != nil {
		return nil, err
	}
	timed.add(got)
	var state, ready []string
	for _, queue := range []string{"q", "r"} {
		heads, err := s.List(ctx, shard, store.ListQuery{Queue: queue, Limit: 10_000})
		if err != nil {
			return nil, err
		}
		c := counts[queue]
		for _, h := range heads {
			full, err := s.Get(ctx, shard, []store.Ref{store.RefOf(h)}, true)
			if err != nil || full[0] == nil {
				return nil, fmt.Errorf("%s/%s is listed, got %v, %w", h.Queue, h.Key, full, err)
			}
			got[store.RefOf(h)] = show(full[0], full[0].Body)
			c.tasks[h.State]++
			if h.Next != 0 {
				next = append(next, fmt.Sprint(h.Next, h.ID, h.Queue, h.Key, false))
			}
			state = append(state, fmt.Sprint(h.State, h.Expiry, h.ID, h.Queue, h.Key))
			if h.State == task.Ready {
				ready = append(ready, fmt.Sprint(h.Lane(), h.Expiry, h.ID, h.Key))
			}
		}
		counts[queue] = c
	}
	return got, errors.Join(sameRows("next", next)(dueRows(s, shard)), sameRows("state", state)(stateRows(s, shard)), sameRows("ready", ready)(readyRows(s, shard)))
}

func sameRows(index string, want []string) func([]string, error) error {
	return func(got []string, err error) error {
		slices.Sort(want)
		slices.Sort(got)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("index %s:\n got %q\nwant %q", index, got, want)
		}
		return err
	}
}

func dueRows(s store.Store, shard int) (rows []string, err error) {
	entries, err := s.Due(context.Background(), shard, store.Pos{}, 10_000)
	for _, e := range entries {
		rows = append(rows, fmt.Sprint(e.At, e.ID, e.Queue, e.Key, e.Schedule))
	}
	return rows, err
}

func stateRows(s store.Store, shard int) (rows []string, err error) {
	for _, queue := range []string{"q", "r"} {
		for _, state := range task.States {
			tasks, err := s.List(context.Background(), shard, store.ListQuery{Queue: queue, State: state, Limit: 10_000})
			if err != nil {
				return nil, err
			}
			for _, t := range tasks {
				rows = append(rows, fmt.Sprint(state, t.Expiry, t.ID, t.Queue, t.Key))
			}
		}
	}
	return rows, nil
}

func readyRows(s store.Store, shard int) (rows []string, err error) {
	lanes, err := s.Lanes(context.Background(), shard, task.Lane{}, 100)
	for _, lane := range lanes {
		entries, err := s.Ready(context.Background(), shard, lane, store.Pos{}, 10_000)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("lane %v is named and empty", lane)
		}
		for _, e := range entries {
			rows = append(rows, fmt.Sprint(lane, e.At, e.ID, e.Key))
		}
	}
	return rows, err
}

// acked returns how many commits of each shard were acknowledged.
func (w *workload) acked() (n [shards]int64) {
	for i := range w.shards {
		n[i] = w.shards[i].acked.Load()
	}
	return n
}
