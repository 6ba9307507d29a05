package storetest

import (
	"errors"
	"sync"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var grantRules = []rule{
	{
		name: "EpochsGrow",
		why:  "every Acquire of a shard is under an epoch above all earlier ones, so that the owner before it can be told apart",
		test: func(r *rig) {
			before := r.grants
			r.acquire()
			for i, g := range r.grants {
				if g.Shard != i || before[i].Epoch == 0 || g.Epoch <= before[i].Epoch {
					r.Errorf("grant %+v after %+v", g, before[i])
				}
			}
		},
	},
	{
		name: "GrantsComeInTheOrderAskedFor",
		why:  "a caller takes the i-th grant for the i-th shard",
		test: func(r *rig) {
			last := r.s.Shards() - 1
			grants, err := r.s.Acquire(r.ctx, node, []int{last, 0}[:min(2, last+1)])
			r.must(err)
			if grants[0].Shard != last || grants[len(grants)-1].Shard != 0 {
				r.Errorf("got %+v", grants)
			}
		},
	},
	{
		name: "AShardHasOneOwner",
		why:  "a shard that a live node owns goes to no other node",
		test: func(r *rig) {
			_, err := r.s.Acquire(r.ctx, "node-2", r.allShards())
			r.wantErr(err, store.ErrHeld)
			r.create(newTask("q", "k", t0)) // the owner is not disturbed
		},
	},
	{
		name: "AllOrNone",
		why:  "an Acquire that can't have all shards takes none: those that were free stay free",
		test: func(r *rig) {
			r.must(r.s.Release(r.ctx, node, r.grants[:1]))
			if r.s.Shards() > 1 {
				_, err := r.s.Acquire(r.ctx, "node-2", r.allShards())
				r.wantErr(err, store.ErrHeld)
			}
			_, err := r.s.Acquire(r.ctx, "node-3", []int{0})
			r.must(err)
		},
	},
	{
		name: "ReleaseFreesAShard",
		why:  "a shard that was given back can be had by another node at once, under a higher epoch",
		test: func(r *rig) {
			r.must(r.s.Release(r.ctx, node, r.grants))
			grants, err := r.s.Acquire(r.ctx, "node-2", r.allShards())
			r.must(err)
			for i, g := range grants {
				if g.Epoch <= r.grants[i].Epoch {
					r.Errorf("epoch %d after %d", g.Epoch, r.grants[i].Epoch)
				}
			}
		},
	},
	{
		name: "ReleasePassesOverWhatIsNotCurrent",
		why:  "a late Release by a former owner must not take the shard from the present one",
		test: func(r *rig) {
			stale := r.grants
			r.acquire()
			r.must(r.s.Release(r.ctx, node, stale))
			r.must(r.s.Release(r.ctx, "node-2", r.grants))
			r.create(newTask("q", "k", t0))
		},
	},
	{
		name: "RenewKeepsAGrant",
		why:  "whoever holds a grant can renew it and goes on under the same epoch",
		test: func(r *rig) {
			renewed, err := r.s.Renew(r.ctx, node, r.grants)
			r.must(err)
			for i, g := range renewed {
				if g.Shard != r.grants[i].Shard || g.Epoch != r.grants[i].Epoch || g.Until.Before(r.grants[i].Until) {
					r.Errorf("renewed %+v, got %+v", r.grants[i], g)
				}
			}
			r.create(newTask("q", "k", t0))
		},
	},
	{
		name: "RenewOfALostGrantIsFenced",
		why:  "a node that lost a shard must hear of it at its next Renew, and so must one that never had it",
		test: func(r *rig) {
			stale := r.grants
			r.acquire()
			_, err := r.s.Renew(r.ctx, node, stale)
			r.wantErr(err, store.ErrFenced)
			_, err = r.s.Renew(r.ctx, "node-2", r.grants)
			r.wantErr(err, store.ErrFenced)
			r.must(r.s.Release(r.ctx, node, r.grants))
			_, err = r.s.Renew(r.ctx, node, r.grants)
			r.wantErr(err, store.ErrFenced)
		},
	},
	{
		name: "AnOldEpochIsFenced",
		why:  "a commit under an epoch that is not the present one changes nothing",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			stale := r.batches([]store.Write{{Task: t}})[0]
			r.acquire()
			r.wantErr(r.s.Commit(r.ctx, stale), store.ErrFenced)
			future := stale
			future.Epoch = r.grants[stale.Shard].Epoch + 1
			r.wantErr(r.s.Commit(r.ctx, future), store.ErrFenced)
			r.same(r.get(t), nil)
			r.create(t)
		},
	},
	{
		name: "AReleasedShardIsFenced",
		why:  "whoever gave a shard back may not write to it any more, even if nobody else has it",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.must(r.s.Release(r.ctx, node, r.grants))
			for _, b := range r.batches([]store.Write{{Task: t}}) {
				r.wantErr(r.s.Commit(r.ctx, b), store.ErrFenced)
			}
			r.same(r.get(t), nil)
		},
	},
	{
		name: "AcquireAndCommitRace",
		why:  "once Acquire has returned, no commit under an earlier epoch can slip through",
		test: testAcquireRace,
	},
	{
		name: "UnknownShard",
		why:  "a shard that the store has not is an error, not a crash",
		test: func(r *rig) {
			for _, shard := range []int{-1, r.s.Shards(), 1 << 40} {
				if _, err := r.s.Acquire(r.ctx, node, []int{shard}); err == nil {
					r.Errorf("Acquire of shard %d: no error", shard)
				}
				if err := r.s.Commit(r.ctx, store.Batch{Shard: shard, Epoch: 1}); err == nil {
					r.Errorf("Commit to shard %d: no error", shard)
				}
				if _, err := r.s.Due(r.ctx, shard, store.Pos{}, 1); err == nil {
					r.Errorf("Due of shard %d: no error", shard)
				}
				r.must(r.s.Release(r.ctx, node, []store.Grant{{Shard: shard, Epoch: 1}}))
			}
		},
	},
	{
		name: "AcquireRefusesNonsense",
		why:  "a node without a name could be told from no owner by nobody, and a shard asked for twice would fence itself",
		test: func(r *rig) {
			r.must(r.s.Release(r.ctx, node, r.grants))
			if _, err := r.s.Acquire(r.ctx, "", []int{0}); err == nil {
				r.Error("Acquire for no node: no error")
			}
			if _, err := r.s.Acquire(r.ctx, node, []int{0, 0}); err == nil {
				r.Error("Acquire of one shard twice: no error")
			}
			_, err := r.s.Acquire(r.ctx, "node-2", r.allShards()) // nothing was taken
			r.must(err)
		},
	},
}

// testAcquireRace has one goroutine commit as fast as it can while the shard
// is acquired anew again and again.
func testAcquireRace(r *rig) {
	t := newTask("q", "k", t0)
	shard := r.shardOf(t)
	r.create(t)
	for range 20 {
		epoch, first := r.grants[shard].Epoch, r.get(t)
		first.Body = nil
		var wg sync.WaitGroup
		started := make(chan struct{}, 1)
		wg.Go(func() {
			for prev := first; ; {
				next := moved(prev, task.Scheduled)
				err := r.s.Commit(r.ctx, store.Batch{Shard: shard, Epoch: epoch, Writes: []store.Write{{Prev: prev, Task: next}}})
				if errors.Is(err, store.ErrFenced) {
					return
				}
				if err != nil {
					r.Errorf("commit: %v", err)
					return
				}
				prev = next
				select {
				case started <- struct{}{}:
				default:
				}
			}
		})
		<-started
		grants, err := r.s.Acquire(r.ctx, node, []int{shard})
		r.must(err)
		seen := r.get(t).Revision
		wg.Wait()
		if now := r.get(t).Revision; now != seen {
			r.Fatalf("revision was %d when Acquire had returned, and %d later", seen, now)
		}
		r.grants[shard] = grants[0]
	}
}
