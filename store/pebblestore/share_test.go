package pebblestore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

// Commits that wait for the disk at the same time share its syncs: 16 writers
// on a disk that takes a millisecond for each get by with a small part of one
// for each commit.
func TestCommitsShareSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const commits = 50
		var syncs, told atomic.Int64
		disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if strings.HasSuffix(op.Path, ".log") && (op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
				syncs.Add(1)
				time.Sleep(time.Millisecond) // of the bubble
			}
			return nil
		}))
		s := open(t, dir, pebblestore.Options{FS: disk, OnCommit: func(writes int, took time.Duration, err error) {
			if writes != 1 || took <= 0 || err != nil {
				t.Errorf("OnCommit was told %d, %v, %v", writes, took, err)
			}
			told.Add(1)
		}})
		all := make([]int, s.Shards())
		for i := range all {
			all[i] = i
		}
		grants, err := s.Acquire(context.Background(), "node", all)
		if err != nil {
			t.Fatal(err)
		}
		syncs.Store(0)
		var wg sync.WaitGroup
		for shard := range all {
			wg.Go(func() {
				for n := range commits {
					w := store.Write{Task: &task.Task{Queue: "q", Key: fmt.Sprint(n), State: task.Scheduled, Revision: 1, Next: 1, Expiry: 1, Body: &task.Body{}}}
					w.Task.ID[0], w.Task.ID[1] = byte(shard), byte(n)
					if err := s.Commit(context.Background(), store.Batch{Shard: shard, Epoch: grants[shard].Epoch, Writes: []store.Write{w}}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		n, total := syncs.Load(), int64(commits*len(all))
		t.Logf("%d syncs for %d commits", n, total)
		if n > total/4 {
			t.Errorf("%d syncs for %d commits", n, total)
		}
		if told.Load() != total {
			t.Errorf("OnCommit was told of %d commits of %d", told.Load(), total)
		}
		if stats, err := s.Stats(); err != nil || stats.DiskBytes == 0 || stats.MemoryBytes == 0 {
			t.Errorf("Stats: %+v, %v", stats, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
