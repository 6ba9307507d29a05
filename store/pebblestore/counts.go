package pebblestore

import (
	"encoding/binary"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/task"
)

// A queue's counts are sums that Pebble adds up: every commit merges how many
// tasks more or fewer are in each state, and how many schedules there are. So 16
// shards count in one place without a lock, a read, or anything in memory.

// counts are the numbers of one queue, or what a commit changes of them.
type counts struct {
	tasks     task.Counts
	schedules int64
}

func (c *counts) add(d counts) {
	for i := range c.tasks {
		c.tasks[i] += d.tasks[i]
	}
	c.schedules += d.schedules
}

// countsMerger adds counts up. Its name is stored with the data.
var countsMerger = &pebble.Merger{
	Name: "timewheel.counts",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := &countsSum{}
		return m, m.add(value)
	},
}

type countsSum struct{ sum counts }

func (m *countsSum) add(value []byte) error {
	c, err := decodeCounts(value)
	if err != nil {
		return err
	}
	m.sum.add(c)
	return nil
}

func (m *countsSum) MergeNewer(value []byte) error { return m.add(value) }

func (m *countsSum) MergeOlder(value []byte) error { return m.add(value) }

func (m *countsSum) Finish(bool) ([]byte, io.Closer, error) {
	return appendCounts(nil, m.sum), nil, nil
}

// appendCounts writes the number of each of task.States, then that of
// schedules.
func appendCounts(dst []byte, c counts) []byte {
	for _, s := range task.States {
		dst = binary.AppendVarint(dst, c.tasks[s])
	}
	return binary.AppendVarint(dst, c.schedules)
}

// decodeCounts reads what appendCounts wrote. Numbers that were added later are
// 0 in older values.
func decodeCounts(b []byte) (c counts, err error) {
	rest := b
	for i := 0; i <= len(task.States) && len(rest) > 0; i++ {
		v, n := binary.Varint(rest)
		if n <= 0 {
			return counts{}, corrupt("counts %x", b)
		}
		if i < len(task.States) {
			c.tasks[task.States[i]] = v
		} else {
			c.schedules = v
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return counts{}, corrupt("counts %x", b)
	}
	return c, nil
}

// tally collects what one batch changes of the counts. It is reused.
type tally map[string]*counts

func (t tally) of(queue string) *counts {
	c := t[queue]
	if c == nil {
		c = new(counts)
		t[queue] = c
	}
	return c
}

func (t tally) move(queue string, prev, next task.State) {
	if prev == next {
		return
	}
	c := t.of(queue)
	c.tasks[prev]-- // 0, no record, is counted too and never written
	c.tasks[next]++
}
