package scheduler

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Bounds on one pass, so that none keeps others waiting for long.
const (
	passOps     = 2048    // operations of commands
	passBytes   = 4 << 20 // payloads of those
	passExpired = 1024    // tasks whose Next instant has come
	passLeases  = 1024    // tasks of one lane handed out

	passTime = 10 * time.Millisecond // spent on schedules
)

// retryPause is how long a shard that could not commit waits before it fires
// again. Commands are tried at once: their callers hear of it.
const retryPause = 250 * time.Millisecond

// maxSleep bounds a writer's sleep, as a belt beside the braces of WatchSteps.
const maxSleep = time.Hour

// shard is one part of the task space and its single writer.
type shard struct {
	s     *Scheduler
	n     int
	epoch uint64

	commands chan *command
	wake     chan struct{} // capacity 1
	done     chan struct{} // closed when the writer has ended

	mu     sync.Mutex
	nudged map[task.Lane]bool // guarded by mu: lanes for which there may be takers now

	// The rest belongs to the writer.
	window    *window
	ready     *ready
	holdUntil task.Instant // fire nothing before, after a failed commit
	stale     bool         // memory is to be read anew before anything fires: doing so failed
	broken    error        // fenced: all that comes is refused with this

	stats struct{ wheel, ready, loaded atomic.Int64 }
}

func newShard(s *Scheduler, g store.Grant) *shard {
	sh := &shard{
		s: s, n: g.Shard, epoch: g.Epoch,
		commands: make(chan *command, 256),
		wake:     make(chan struct{}, 1),
		done:     make(chan struct{}),
		nudged:   make(map[task.Lane]bool),
	}
	sh.window = newWindow(s.store, g.Shard, max(64, s.o.Window/s.store.Shards()), s.o.Horizon)
	sh.ready = newReady(s.store, g.Shard)
	return sh
}

// load reads the near future and the lanes that have ready tasks.
func (sh *shard) load(ctx context.Context) error {
	if err := sh.window.reload(ctx, sh.s.now()); err != nil {
		return err
	}
	lanes, err := sh.ready.reload(ctx)
	if err != nil {
		return err
	}
	sh.s.hub.noteBacklog(lanes, sh)
	sh.postpone(lanes)
	sh.stale = false
	return nil
}

// awaken makes the writer take a pass soon.
func (sh *shard) awaken() {
	select {
	case sh.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// nudge tells the writer that there may be takers for a lane.
func (sh *shard) nudge(lane task.Lane) {
	sh.mu.Lock()
	sh.nudged[lane] = true
	sh.mu.Unlock()
	sh.awaken()
}

// postpone has lanes looked at in the next pass, whenever that is.
func (sh *shard) postpone(lanes []task.Lane) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, lane := range lanes {
		sh.nudged[lane] = true
	}
}

func (sh *shard) takeNudged() map[task.Lane]bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if len(sh.nudged) == 0 {
		return nil
	}
	n := sh.nudged
	sh.nudged = make(map[task.Lane]bool)
	return n
}

// run is the writer: it takes passes until ctx is done, then refuses what
// still waits.
func (sh *shard) run(ctx context.Context) {
	defer close(sh.done)
	timer := time.AfterFunc(0, sh.awaken)
	defer timer.Stop()
	for {
		var first *command
		select {
		case <-ctx.Done():
			sh.refuse(ErrClosed)
			return
		case first = <-sh.commands:
		case <-sh.wake:
		}
		for more := true; more && ctx.Err() == nil; first = nil {
			more = sh.pass(ctx, sh.gather(first))
		}
		timer.Reset(sh.sleep())
	}
}

// refuse answers all commands that wait with err.
func (sh *shard) refuse(err error) {
	for {
		select {
		case c := <-sh.commands:
			c.finish(err)
		default:
			return
		}
	}
}

// gather takes the commands that wait, up to the bounds of a pass.
func (sh *shard) gather(first *command) []*command {
	var cs []*command
	ops, bytes := 0, 0
	add := func(c *command) {
		cs = append(cs, c)
		ops += len(c.ops)
		bytes += c.bytes
	}
	if first != nil {
		add(first)
	}
	for ops < passOps && bytes < passBytes {
		select {
		case c := <-sh.commands:
			add(c)
		default:
			return cs
		}
	}
	return cs
}

// sleep returns how long there is nothing to do.
func (sh *shard) sleep() time.Duration {
	if sh.broken != nil {
		return maxSleep
	}
	until, ok := sh.window.next()
	switch {
	case sh.holdUntil > sh.s.now():
		return retryPause
	case !ok:
		return maxSleep
	}
	return min(max(until.Time().Sub(sh.s.clock.Now()), 0), maxSleep)
}

// pass takes one turn: commands, expiries, hand-outs, one commit, and what
// follows from it. It reports whether there is more to do at once.
func (sh *shard) pass(ctx context.Context, cs []*command) (more bool) {
	if sh.broken != nil {
		finishAll(cs, sh.broken)
		return len(cs) > 0
	}
	tx := newTx(sh)
	defer tx.end()
	more, err := sh.prepare(ctx, tx, cs)
	if err == nil {
		err = tx.commit(ctx)
	}
	if err != nil {
		sh.failed(ctx, tx, cs, err)
		return len(cs) > 0
	}
	if err := tx.apply(ctx); err != nil {
		sh.recover(ctx, err)
	}
	finishAll(cs, nil)
	sh.publish()
	return more || len(cs) > 0
}

// prepare works out the new records of a pass.
func (sh *shard) prepare(ctx context.Context, tx *tx, cs []*command) (more bool, err error) {
	if err := tx.prefetch(ctx, cs); err != nil {
		return false, err
	}
	for lane := range sh.takeNudged() {
		tx.touch(lane)
	}
	for _, c := range cs {
		if c.look != nil {
			tx.touch(*c.look)
		}
		if err := tx.applyOps(ctx, c.ops); err != nil {
			return false, err
		}
	}
	sh.holdUntil = min(sh.holdUntil, tx.now.Add(retryPause)) // the clock may have been set back
	if tx.now < sh.holdUntil {
		err := tx.unchain(ctx)
		sh.postpone(tx.lanes)
		return false, err
	}
	if sh.stale {
		if err := sh.load(ctx); err != nil {
			return false, err
		}
	}
	if more, err = tx.expire(ctx); err != nil {
		return false, err
	}
	if err := tx.unchain(ctx); err != nil {
		return false, err
	}
	return more, tx.dispatch(ctx)
}

// failed undoes a pass whose commit did not succeed. Whether the store has the
// batch is open, so all that is in memory is read anew.
func (sh *shard) failed(ctx context.Context, tx *tx, cs []*command, err error) {
	tx.giveBack()
	if ctx.Err() != nil {
		finishAll(cs, ErrClosed)
		return
	}
	finishAll(cs, err)
	sh.recover(ctx, err)
}

// recover reads all that is in memory anew, or ends the shard if the store
// says that it is another's.
func (sh *shard) recover(ctx context.Context, err error) {
	sh.s.trouble("shard writer", err)
	if errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrClosed) {
		sh.broken = err
		sh.s.hub.forget(sh)
		sh.s.bulk.leave(sh)
		return
	}
	sh.s.bulk.leave(sh) // a permit would lie idle while the shard holds
	sh.holdUntil = sh.s.now().Add(retryPause)
	sh.stale = true
	if err := sh.load(ctx); err != nil {
		sh.window.lose(sh.holdUntil)
		sh.s.trouble("reloading a shard", err)
	}
}

// publish makes the writer's figures visible to Stats.
func (sh *shard) publish() {
	sh.stats.wheel.Store(int64(sh.window.len()))
	sh.stats.ready.Store(int64(sh.ready.len()))
	sh.stats.loaded.Store(int64(sh.window.loaded.At))
}

func (s *Scheduler) trouble(where string, err error) {
	if s.o.Events.Trouble != nil {
		s.o.Events.Trouble(where, err)
	}
}
