package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// stray is a task that stands in another shard than its own.
type stray struct {
	ref        store.Ref
	from, home int
	head       []byte // valid until the next one
}

// strays calls visit for every stray, as the store was when it began.
func (s *Store) strays(visit func(stray) error) (err error) {
	it, err := s.iterate(context.Background(), []byte{kindHead}, []byte{kindHead + 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, asCorrupt(it.Close())) }()
	for ok := it.First(); ok; ok = it.Next() {
		st, is, err := readStray(it, len(s.shards))
		if err == nil && is {
			err = visit(st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readStray reports whether the head that it stands at is that of a stray.
func readStray(it *pebble.Iterator, shards int) (st stray, is bool, err error) {
	shard, ref, ok := readRef(it.Key())
	if !ok || shard >= shards {
		return st, false, corrupt("head at key %x", it.Key())
	}
	home := task.Shard(ref.Queue, ref.Key, shards)
	if home == shard {
		return st, false, nil
	}
	if shard != formerShard(ref, shards) {
		return st, false, corrupt("head of %s/%s is in shard %d, which was never its own", ref.Queue, ref.Key, shard)
	}
	head, err := it.ValueAndErr()
	return stray{ref: ref, from: shard, home: home, head: head}, true, asCorrupt(err)
}

// formerShard is task.Shard as it was in format 1.
func formerShard(r store.Ref, n int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Queue + "\x00" + r.Key)) // never fails
	return int(h.Sum64() % uint64(n))
}

// checkStray reports a task that is not whole: moving it would hide that.
func (s *Store) checkStray(st stray) error {
	t, _, err := s.readParts(st)
	if err != nil {
		return err
	}
	other, err := s.read(appendRef(nil, kindHead, st.home, st.ref))
	if err == nil && other != nil {
		err = corrupt("head of %s/%s is in the shards %d and %d", st.ref.Queue, st.ref.Key, st.from, st.home)
	}
	return errors.Join(err, s.checkRows(st.from, t))
}

// readParts returns the task and its body's bytes.
func (s *Store) readParts(st stray) (*task.Task, []byte, error) {
	t, err := decodeHead(st.ref, st.head)
	if err != nil {
		return nil, nil, err
	}
	body, err := s.read(appendRef(nil, kindBody, st.from, st.ref))
	if err == nil && body == nil {
		err = corrupt("body of %s/%s is missing", st.ref.Queue, st.ref.Key)
	}
	return t, body, err
}

func (s *Store) checkRows(shard int, t *task.Task) error {
	for i := range rows {
		r := &rows[i]
		if !r.has(t) {
			continue
		}
		key := r.key(nil, shard, t)
		value, err := s.read(key)
		if err != nil {
			return err
		}
		if !bytes.Equal(value, r.value(nil, t)) {
			return corrupt("index key %x of %s/%s is missing, or points to something else", key, t.Queue, t.Key)
		}
	}
	return nil
}
