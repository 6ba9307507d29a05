package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// benchPayload is the size of a payload in benchmarks, in bytes.
const benchPayload = 256

// Benchmark measures a driver. Every result has the metric tasks/s, so that
// batches of different sizes can be compared.
func Benchmark(b *testing.B, open Open) {
	for _, writers := range []int{1, 16} {
		for _, batch := range []int{1, 16, 1000} {
			b.Run(fmt.Sprintf("Create/batch=%d/writers=%d", batch, writers), func(b *testing.B) { benchCreate(b, open, batch, writers) })
		}
	}
	b.Run("Fire/batch=16/writers=16", func(b *testing.B) { benchFire(b, open, 16) })
	b.Run("Recur/batch=100", func(b *testing.B) { benchRecur(b, open, 100) })
	for _, refs := range []int{1, 1000} {
		b.Run(fmt.Sprintf("Get/present/refs=%d", refs), func(b *testing.B) { benchGet(b, open, refs, "") })
		b.Run(fmt.Sprintf("Get/absent/refs=%d", refs), func(b *testing.B) { benchGet(b, open, refs, "?") })
	}
	b.Run("Due/limit=1000", func(b *testing.B) { benchDue(b, open) })
}

// benchCreate commits new tasks, each writer to shards of its own.
func benchCreate(b *testing.B, open Open, batch, writers int) {
	r := newRig(b, open)
	writers = min(writers, r.s.Shards())
	var next atomic.Int64
	b.ResetTimer()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			source := newSource(r.s.Shards(), w)
			for next.Add(1) <= int64(b.N) {
				if err := r.s.Commit(r.ctx, store.Batch{Shard: w, Epoch: r.grants[w].Epoch, Writes: creations(source.take(batch))}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "tasks/s")
	r.close()
}

// benchFire commits the four writes of a task's life.
func benchFire(b *testing.B, open Open, batch int) {
	r := newRig(b, open)
	var next atomic.Int64
	b.ResetTimer()
	var wg sync.WaitGroup
	for w := range min(16, r.s.Shards()) {
		wg.Go(func() {
			source := newSource(r.s.Shards(), w)
			for next.Add(1) <= int64(b.N) {
				for _, writes := range life(source.take(batch)) {
					if err := r.s.Commit(r.ctx, store.Batch{Shard: w, Epoch: r.grants[w].Epoch, Writes: writes}); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "tasks/s")
	r.close()
}

// benchRecur commits occurrences: the task of each, and its schedule, moved on.
func benchRecur(b *testing.B, open Open, batch int) {
	r := newRig(b, open)
	var all []store.ScheduleWrite
	for _, t := range newSource(r.s.Shards(), 0).take(batch) {
		all = append(all, store.ScheduleWrite{Schedule: newSchedule(t.Queue, t.Key, t.Due)})
	}
	commit := func(tasks []store.Write) {
		r.must(r.s.Commit(r.ctx, store.Batch{Shard: 0, Epoch: r.grants[0].Epoch, Writes: tasks, Schedules: all}))
	}
	commit(nil)
	for b.Loop() {
		var tasks []store.Write
		for i, w := range all {
			at := w.Schedule.Cursor
			all[i] = store.ScheduleWrite{Prev: w.Schedule, Schedule: movedOn(w.Schedule, at+600_000_000)}
			tasks = append(tasks, store.Write{Task: newTask(w.Schedule.Queue, task.OccurrenceKey(w.Schedule.Key, at), at)})
		}
		commit(tasks)
	}
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "tasks/s")
	r.close()
}

// life returns the writes that create tasks, claim, complete and purge them.
func life(tasks []*task.Task) [4][]store.Write {
	var all [4][]store.Write
	for _, t := range tasks {
		leased := moved(t, task.Leased)
		completed := moved(leased, task.Completed)
		all[0] = append(all[0], store.Write{Task: t})
		all[1] = append(all[1], store.Write{Prev: t, Task: leased})
		all[2] = append(all[2], store.Write{Prev: leased, Task: completed})
		all[3] = append(all[3], store.Write{Prev: completed})
	}
	return all
}

// stored is how many tasks the reading benchmarks look among.
const stored = 200_000

// benchGet reads random records, or ones that are absent.
func benchGet(b *testing.B, open Open, refs int, suffix string) {
	r := newRig(b, open)
	all := r.store(stored)
	rng := rand.New(rand.NewPCG(1, 2))
	b.ResetTimer()
	for b.Loop() {
		shard := rng.IntN(len(all))
		ask := make([]store.Ref, refs)
		for i := range ask {
			ask[i] = store.RefOf(all[shard][rng.IntN(len(all[shard]))])
			ask[i].Key += suffix
		}
		if _, err := r.s.Get(r.ctx, shard, ask, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*refs)/b.Elapsed().Seconds(), "tasks/s")
	r.close()
}

// benchDue reads pages of the index of next instants, as a scheduler does when
// its horizon moves on.
func benchDue(b *testing.B, open Open) {
	const limit = 1000
	r := newRig(b, open)
	r.store(stored)
	var after store.Pos
	for b.Loop() {
		found, err := r.s.Due(r.ctx, 0, after, limit)
		if err != nil {
			b.Fatal(err)
		}
		after = store.Pos{}
		if len(found) == limit {
			after = found[limit-1].Pos
		}
	}
	b.ReportMetric(float64(b.N*limit)/b.Elapsed().Seconds(), "tasks/s")
	r.close()
}

// store commits n tasks and returns them by shard.
func (r *rig) store(n int) [][]*task.Task {
	r.Helper()
	all := make([][]*task.Task, r.s.Shards())
	for shard := range all {
		all[shard] = newSource(r.s.Shards(), shard).take(n / len(all))
		for part := range slices.Chunk(all[shard], 1000) {
			r.must(r.s.Commit(r.ctx, store.Batch{Shard: shard, Epoch: r.grants[shard].Epoch, Writes: creations(part)}))
		}
	}
	return all
}

// source makes tasks of one shard, with random keys and payloads.
type source struct {
	shards, shard int
	rng           *rand.Rand
	payload       []byte
}

func newSource(shards, shard int) *source {
	s := &source{shards: shards, shard: shard, rng: rand.New(rand.NewPCG(uint64(shard), 1)), payload: make([]byte, benchPayload)}
	for i := range s.payload {
		s.payload[i] = byte(s.rng.Uint32())
	}
	return s
}

func (s *source) take(n int) []*task.Task {
	tasks := make([]*task.Task, 0, n)
	for len(tasks) < n {
		key := fmt.Sprintf("order-%016x", s.rng.Uint64())
		if task.Shard("orders", key, s.shards) != s.shard {
			continue
		}
		t := newTask("orders", key, t0+task.Instant(s.rng.Int64N(3_600_000_000)))
		t.Body = &task.Body{Payload: slices.Clone(s.payload), ContentType: "application/json"}
		t.Size = benchPayload
		s.rng.Shuffle(16, func(i, j int) { t.Body.Payload[i], t.Body.Payload[j] = t.Body.Payload[j], t.Body.Payload[i] })
		tasks = append(tasks, t)
	}
	return tasks
}
