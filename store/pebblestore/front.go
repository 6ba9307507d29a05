package pebblestore

import (
	"sync"

	"github.com/timewheel-dev/timewheel/store"
)

// front remembers where the index "next" of one shard begins. Its head is
// deleted all the time, and until Pebble has compacted them away, a scan from
// the start steps over all those deleted rows; a scan from the front over none.
//
// A scan finds the front, a commit in front of it moves it back. A scan that a
// commit overtook does not count, since it may not have seen its rows.
type front struct {
	mu      sync.Mutex
	pos     store.Pos // no acknowledged row is before; guarded by mu
	commits uint64    // that wrote rows; guarded by mu
}

// begin returns the front and a mark for found.
func (f *front) begin() (store.Pos, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pos, f.commits
}

// found says that a scan from the front, begun at the mark, met its first row
// at pos.
func (f *front) found(pos store.Pos, mark uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.commits == mark {
		f.pos = pos
	}
}

// wrote says that rows were written, the first of them at pos. It is called
// when they can be seen and before anybody is told of them.
func (f *front) wrote(pos store.Pos) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commits++
	if pos.Compare(f.pos) < 0 {
		f.pos = pos
	}
}

// firstNext returns the first row of the index "next" that a batch writes.
func firstNext(b store.Batch) (first store.Pos, any bool) {
	for _, w := range b.Writes {
		if w.Task == nil || w.Task.Next == 0 {
			continue
		}
		pos := store.Pos{At: w.Task.Next, ID: w.Task.ID}
		if !any || pos.Compare(first) < 0 {
			first, any = pos, true
		}
	}
	return first, any
}
