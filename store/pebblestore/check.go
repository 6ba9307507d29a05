package pebblestore

import (
	"bytes"
	"fmt"

	"github.com/timewheel-dev/timewheel/internal/invariant"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// checkPrevs asserts that each write names the record as it is stored. The old
// rows of the indexes are found by it, so that a wrong one would leave rows
// behind that nothing ever deletes.
func (s *Store) checkPrevs(b store.Batch) {
	for _, w := range b.Writes {
		var want []byte
		var ref store.Ref
		if w.Prev != nil {
			want, ref = task.AppendHead(nil, w.Prev), store.RefOf(w.Prev)
		} else {
			ref = store.RefOf(w.Task)
		}
		have, err := s.read(appendRef(nil, kindHead, b.Shard, ref))
		invariant.Check(err == nil, "reading %s/%s: %v", ref.Queue, ref.Key, err)
		invariant.Check(bytes.Equal(have, want), "write of %s/%s: Prev is not what is stored%s", ref.Queue, ref.Key, difference(have, want))
	}
}

func difference(have, want []byte) string {
	if bytes.Equal(have, want) {
		return ""
	}
	a, errA := task.DecodeHead(have)
	b, errB := task.DecodeHead(want)
	return fmt.Sprintf("\nstored: %+v %v\nPrev:   %+v %v", a, errA, b, errB)
}
