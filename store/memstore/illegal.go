package memstore

import (
	"fmt"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// IllegalError is the refusal of a batch that a correct scheduler never writes.
type IllegalError struct {
	Shard  int
	Ref    store.Ref
	Reason string
}

// Error says which record it is about and which rule was broken.
func (e *IllegalError) Error() string {
	return fmt.Sprintf("illegal write of %s/%s in shard %d: %s", e.Ref.Queue, e.Ref.Key, e.Shard, e.Reason)
}

// checkBatchLocked reports the first rule that b breaks, as an *IllegalError.
func (s *Store) checkBatchLocked(h *shard, b store.Batch) error {
	seen := make(map[store.Ref]bool, len(b.Writes))
	for _, w := range b.Writes {
		ref := refOf(w)
		if err := s.judge(b.Shard, ref, seen, checkWrite(w, h.records[ref])); err != nil {
			return err
		}
	}
	clear(seen)
	for _, w := range b.Schedules {
		ref := scheduleRefOf(w)
		if err := s.judge(b.Shard, ref, seen, checkScheduleWrite(w, h.schedules[ref])); err != nil {
			return err
		}
	}
	return nil
}

// judge adds a record to those seen in a batch. reason is what is known to be
// wrong with its write.
func (s *Store) judge(shard int, ref store.Ref, seen map[store.Ref]bool, reason string) error {
	home := task.Shard(ref.Queue, ref.Key, len(s.shards))
	switch {
	case seen[ref]:
		reason = "the record occurs twice in the batch"
	case reason == "" && home != shard:
		reason = fmt.Sprintf("it belongs to shard %d", home)
	}
	if reason != "" {
		return &IllegalError{Shard: shard, Ref: ref, Reason: reason}
	}
	seen[ref] = true
	return nil
}

func refOf(w store.Write) store.Ref {
	switch {
	case w.Task != nil:
		return store.RefOf(w.Task)
	case w.Prev != nil:
		return store.RefOf(w.Prev)
	}
	return store.Ref{}
}

// checkWrite returns what is wrong with w where stored is the record as it is,
// "" if nothing is.
func checkWrite(w store.Write, stored *task.Task) string {
	if reason := checkPrev(w.Prev, stored); reason != "" {
		return reason
	}
	if w.Task == nil {
		if w.Prev == nil {
			return "it has neither Prev nor Task"
		}
		return "" // a record may be deleted in any state: its retention can be 0
	}
	if reason := checkMove(w.Prev, w.Task); reason != "" {
		return reason
	}
	return checkTask(w.Task)
}

// checkPrev compares all fields: a driver finds the old index rows by them.
func checkPrev(prev, stored *task.Task) string {
	switch {
	case prev == nil && stored == nil:
		return ""
	case prev == nil:
		return fmt.Sprintf("Prev is nil, but revision %d is stored", stored.Revision)
	case stored == nil:
		return fmt.Sprintf("Prev has revision %d, but nothing is stored", prev.Revision)
	case prev.Revision != stored.Revision:
		return fmt.Sprintf("Prev has revision %d, but revision %d is stored", prev.Revision, stored.Revision)
	}
	a, b := *prev, *stored
	a.Body, b.Body = nil, nil
	if a != b {
		return fmt.Sprintf("Prev has the stored revision %d but is not what is stored: it was changed in place\nPrev:   %+v\nstored: %+v", a.Revision, a, b)
	}
	return ""
}

// checkMove looks at the change as a whole. Single moves are the scheduler's to
// check: several of them may be committed as one write.
func checkMove(prev, t *task.Task) string {
	if prev == nil {
		if t.Body == nil {
			return "a new record needs a Body"
		}
		return ""
	}
	switch {
	case store.RefOf(prev) != store.RefOf(t):
		return fmt.Sprintf("Prev is another record, %s/%s", prev.Queue, prev.Key)
	case prev.ID != t.ID && prev.State.Pending() && prev.Attempt == 0 && t.Revision != 1: // 1: it was deleted and made anew
		return fmt.Sprintf("its id changes, though it is %s and no receiver knows it yet", prev.State)
	case prev.ID == t.ID && t.Revision <= prev.Revision:
		return fmt.Sprintf("its revision does not grow: %d after %d", t.Revision, prev.Revision)
	case prev.ID == t.ID && t.Attempt < prev.Attempt:
		return fmt.Sprintf("its attempt shrinks: %d after %d", t.Attempt, prev.Attempt)
	}
	return ""
}

func checkTask(t *task.Task) string {
	switch {
	case t.Revision == 0:
		return "its revision is 0: the first is 1"
	case t.State == task.Ready && t.Next != 0:
		return "it is ready and has a Next instant"
	case t.State != task.Ready && t.Next <= 0:
		return fmt.Sprintf("it is %s and has no Next instant: nobody would ever look at it again", t.State)
	case t.Body != nil && int(t.Size) != len(t.Body.Payload):
		return fmt.Sprintf("its Size is %d, its payload has %d bytes", t.Size, len(t.Body.Payload))
	case t.State == task.Leased && t.Nonce == 0:
		return "it is leased and has no Nonce"
	case t.State != task.Leased && t.Nonce != 0:
		return fmt.Sprintf("it is %s and has a Nonce", t.State)
	}
	return ""
}
