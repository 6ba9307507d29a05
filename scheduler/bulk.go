package scheduler

import (
	"slices"
	"sync"
)

// bulk lets a few shards at a time turn many schedules into tasks. That is work
// for the processors, and sixteen shards at it would keep each other, and what
// else is due, waiting. A shard that finds no permit goes on with all else and is
// woken when it is its turn.
type bulk struct {
	mu      sync.Mutex // guards all below
	free    int
	waiting []*shard        // in order of arrival
	granted map[*shard]bool // permits on their way to shards that were woken
}

func newBulk(permits int) *bulk { return &bulk{free: permits, granted: make(map[*shard]bool)} }

// acquire takes a permit, if there is one. If not, the shard is remembered.
func (b *bulk) acquire(sh *shard) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.granted[sh]:
		delete(b.granted, sh)
	case b.free > 0:
		b.free--
	default:
		if !slices.Contains(b.waiting, sh) {
			b.waiting = append(b.waiting, sh)
		}
		return false
	}
	return true
}

// release gives a permit back, to whom has waited longest.
func (b *bulk) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releaseLocked()
}

func (b *bulk) releaseLocked() {
	if len(b.waiting) == 0 {
		b.free++
		return
	}
	sh := b.waiting[0]
	b.waiting = b.waiting[1:]
	b.granted[sh] = true
	sh.awaken()
}

// leave takes back what a shard asked for and does not need any more.
func (b *bulk) leave(sh *shard) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, sh); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
	if b.granted[sh] {
		delete(b.granted, sh)
		b.releaseLocked()
	}
}
