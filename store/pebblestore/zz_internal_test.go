package pebblestore

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

func cpu() time.Duration {
	var ru syscall.Rusage
	syscall.Getrusage(0, &ru)
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

func mem() string {
	b, _ := os.ReadFile("/proc/self/status")
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(l, "VmHWM") || strings.HasPrefix(l, "VmRSS") {
			out = append(out, strings.Join(strings.Fields(l), " "))
		}
	}
	return strings.Join(out, ", ")
}

func envInt(name string, def int) int {
	if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return v
	}
	return def
}

type phase struct {
	name string
	n    int
	c    time.Duration
	t    time.Time
}

func begin(name string, n int) phase { return phase{name, n, cpu(), time.Now()} }
func (p phase) end() {
	c, w := cpu()-p.c, time.Since(p.t)
	fmt.Printf("%-28s n=%d wall=%v (%.0f/s) cpu=%.2fµs/op %s\n", p.name, p.n, w.Round(time.Millisecond), float64(p.n)/w.Seconds(), float64(c.Microseconds())/float64(p.n), mem())
}

func mk(rng *rand.Rand, i int) *task.Task {
	var id task.ID
	binary.BigEndian.PutUint64(id[:], uint64(i))
	key := fmt.Sprintf("order-%016x", rng.Uint64())
	due := task.Instant(1_800_000_000_000_000 + rng.Int64N(3_600_000_000))
	p := make([]byte, 256)
	for j := 0; j < 256; j += 8 {
		binary.LittleEndian.PutUint64(p[j:], rng.Uint64())
	}
	return &task.Task{ID: id, Queue: "orders", Key: key, State: task.Scheduled, Revision: 1, Due: due, Expiry: due, Next: due, Created: due - 1e9, Updated: due - 1e9,
		Timeout: 30 * time.Second, Retention: time.Hour, Retry: task.Retry{MaxAttempts: 16, MinBackoff: time.Second, MaxBackoff: time.Hour}, Size: 256, Body: &task.Body{Payload: p, ContentType: "application/json"}}
}

func TestZZ(t *testing.T) {
	n, batch := envInt("N", 200_000), envInt("B", 100)
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, s.Shards())
	for i := range all {
		all[i] = i
	}
	ctx := context.Background()
	grants, err := s.Acquire(ctx, "n", all)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	heads := make([][]*task.Task, len(all))
	// CPU of making tasks is measured apart
	p := begin("make", n)
	for i := range n {
		x := mk(rng, i)
		sh := task.Shard(x.Queue, x.Key, len(all))
		heads[sh] = append(heads[sh], x)
	}
	p.end()
	run := func(name string, f func(sh int, part []*task.Task) []store.Write) {
		p := begin(name, n)
		var wg sync.WaitGroup
		for sh := range all {
			wg.Go(func() {
				for at := 0; at < len(heads[sh]); at += batch {
					part := heads[sh][at:min(at+batch, len(heads[sh]))]
					if err := s.Commit(ctx, store.Batch{Shard: sh, Epoch: grants[sh].Epoch, Writes: f(sh, part)}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		p.end()
	}
	run("create", func(sh int, part []*task.Task) []store.Write {
		w := make([]store.Write, len(part))
		for i, x := range part {
			w[i] = store.Write{Task: x}
		}
		return w
	})
	st, _ := s.Stats()
	fmt.Printf("%+v per task %d\n", st, int(st.DiskBytes)/n)
	time.Sleep(time.Duration(envInt("SETTLE", 3)) * time.Second)
	st, _ = s.Stats()
	fmt.Printf("%+v per task %d\n", st, int(st.DiskBytes)/n)
	for _, k := range []int{1, 100} {
		for _, sfx := range []string{"", "?"} {
			g := min(n, 50_000)
			p := begin(fmt.Sprintf("get %d %q", k, sfx), g)
			for range g / k {
				sh := rng.IntN(len(all))
				refs := make([]store.Ref, k)
				for i := range refs {
					refs[i] = store.RefOf(heads[sh][rng.IntN(len(heads[sh]))])
					refs[i].Key += sfx
				}
				if _, err := s.Get(ctx, sh, refs, false); err != nil {
					t.Fatal(err)
				}
			}
			p.end()
		}
	}
	due := func(name string) {
		p := begin(name, 16)
		for sh := range all {
			if _, err := s.Due(ctx, sh, store.Pos{}, 100); err != nil {
				t.Fatal(err)
			}
		}
		p.end()
	}
	due("due from start")
	p = begin("due all with heads", n)
	for sh := range all {
		var after store.Pos
		for {
			es, err := s.Due(ctx, sh, after, 1000)
			if err != nil {
				t.Fatal(err)
			}
			refs := make([]store.Ref, len(es))
			for i := range es {
				refs[i] = es[i].Ref
			}
			if _, err := s.Get(ctx, sh, refs, false); err != nil {
				t.Fatal(err)
			}
			if len(es) < 1000 {
				break
			}
			after = es[len(es)-1].Pos
		}
	}
	p.end()
	if os.Getenv("FIRE") != "" {
		cur := map[*task.Task]*task.Task{}
		var mu sync.Mutex
		move := func(to task.State, next func(x *task.Task) task.Instant) func(sh int, part []*task.Task) []store.Write {
			return func(sh int, part []*task.Task) []store.Write {
				w := make([]store.Write, len(part))
				for i, x := range part {
					mu.Lock()
					prev := cur[x]
					mu.Unlock()
					if prev == nil {
						prev = x
					}
					c := prev.Clone()
					c.Body, c.State, c.Revision = nil, to, prev.Revision+1
					c.Next = next(c)
					w[i] = store.Write{Prev: prev, Task: c}
					mu.Lock()
					cur[x] = c
					mu.Unlock()
				}
				return w
			}
		}
		run("ready", move(task.Ready, func(*task.Task) task.Instant { return 0 }))
		due("due from start, fired")
		p := begin("ready lane from start", 16)
		for sh := range all {
			s.Ready(ctx, sh, task.Lane{Queue: "orders"}, store.Pos{}, 100)
		}
		p.end()
		run("leased", move(task.Leased, func(x *task.Task) task.Instant { return x.Due + 30_000_000 }))
		due("due from start, leased")
		p = begin("lanes after leased", 16)
		for sh := range all {
			s.Lanes(ctx, sh, task.Lane{}, 100)
		}
		p.end()
		run("completed", move(task.Completed, func(x *task.Task) task.Instant { return x.Due + 1e10 }))
		due("due from start, completed")
		p = begin("lanes after completed", 16)
		for sh := range all {
			s.Lanes(ctx, sh, task.Lane{}, 100)
		}
		p.end()
		run("purged", func(sh int, part []*task.Task) []store.Write {
			w := make([]store.Write, len(part))
			for i, x := range part {
				mu.Lock()
				w[i] = store.Write{Prev: cur[x]}
				mu.Unlock()
			}
			return w
		})
		due("due from start, purged")
		p = begin("queue", 16)
		for range 16 {
			s.Queue(ctx, "orders")
		}
		p.end()
		st, _ = s.Stats()
		fmt.Printf("%+v\n", st)
	}
	p = begin("close", 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p.end()
	p = begin("open", 1)
	s, err = Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.end()
	due("due from start, reopened")
	s.Close()
}

func TestZGet(t *testing.T) {
	n := envInt("N", 200_000)
	dir := t.TempDir()
	s, err := Open(dir, Options{CacheBytes: int64(envInt("CACHE", 32)) << 20})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, s.Shards())
	for i := range all {
		all[i] = i
	}
	ctx := context.Background()
	grants, _ := s.Acquire(ctx, "n", all)
	rng := rand.New(rand.NewPCG(1, 2))
	refs := make([][]store.Ref, len(all))
	batch := make([][]store.Write, len(all))
	for i := range n {
		x := mk(rng, i)
		sh := task.Shard(x.Queue, x.Key, len(all))
		refs[sh] = append(refs[sh], store.RefOf(x))
		batch[sh] = append(batch[sh], store.Write{Task: x})
		if len(batch[sh]) == 1000 {
			if err := s.Commit(ctx, store.Batch{Shard: sh, Epoch: grants[sh].Epoch, Writes: batch[sh]}); err != nil {
				t.Fatal(err)
			}
			batch[sh] = nil
		}
	}
	time.Sleep(3 * time.Second)
	fmt.Println(s.db.Metrics().String())
	for _, k := range []int{1, 1, 100} {
		for _, sfx := range []string{"", "?"} {
			g := min(n, 50_000)
			p := begin(fmt.Sprintf("get %d %q", k, sfx), g)
			for range g / k {
				sh := rng.IntN(len(all))
				ask := make([]store.Ref, k)
				for i := range ask {
					ask[i] = refs[sh][rng.IntN(len(refs[sh]))]
					ask[i].Key += sfx
				}
				if _, err := s.Get(ctx, sh, ask, false); err != nil {
					t.Fatal(err)
				}
			}
			p.end()
		}
	}
	fmt.Println(s.db.Metrics().String())
	s.Close()
}
