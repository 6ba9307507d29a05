package pebblestore

import (
	"encoding/binary"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/task"
)

// A queue's counts are sums that Pebble adds up: every commit merges how many
// tasks more or fewer are in each state. So 16 shards count in one place
// without a lock, a read, or anything in memory.

// countsMerger adds counts up. Its name is stored with the data.
var countsMerger = &pebble.Merger{
	Name: "timewheel.counts",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := &countsSum{}
		return m, m.add(value)
	},
}

type countsSum struct{ sum task.Counts }

func (m *countsSum) add(value []byte) error {
	c, err := decodeCounts(value)
	if err != nil {
		return err
	}
	for i := range m.sum {
		m.sum[i] += c[i]
	}
	return nil
}

func (m *countsSum) MergeNewer(value []byte) error { return m.add(value) }

func (m *countsSum) MergeOlder(value []byte) error { return m.add(value) }

func (m *countsSum) Finish(bool) ([]byte, io.Closer, error) {
	return appendCounts(nil, m.sum), nil, nil
}

// appendCounts writes the number of each of task.States.
func appendCounts(dst []byte, c task.Counts) []byte {
	for _, s := range task.States {
		dst = binary.AppendVarint(dst, c[s])
	}
	return dst
}

// decodeCounts reads what appendCounts wrote. States that were added later are
// 0 in older values.
func decodeCounts(b []byte) (task.Counts, error) {
	var c task.Counts
	rest := b
	for _, s := range task.States {
		if len(rest) == 0 {
			break
		}
		v, n := binary.Varint(rest)
		if n <= 0 {
			return c, corrupt("counts %x", b)
		}
		c[s], rest = v, rest[n:]
	}
	if len(rest) > 0 {
		return c, corrupt("counts %x", b)
	}
	return c, nil
}

// tally collects what one batch changes of the counts. It is reused.
type tally map[string]*task.Counts

func (t tally) move(queue string, prev, next task.State) {
	if prev == next {
		return
	}
	c := t[queue]
	if c == nil {
		c = new(task.Counts)
		t[queue] = c
	}
	c[prev]-- // 0, no record, is counted too and never written
	c[next]++
}
