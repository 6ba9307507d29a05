package scheduler

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// List returns a page of a queue's tasks, without bodies: of one state ordered
// by the instant at which the present attempt is or was due, or of all states
// ordered by key.
func (s *Scheduler) List(ctx context.Context, r ListRequest) (Page, error) {
	if err := r.validate(); err != nil {
		return Page{}, err
	}
	setDefault(&r.PageSize, DefaultPageSize)
	q := store.ListQuery{Queue: r.Queue, State: r.State, Before: r.DueBefore, Limit: r.PageSize + 1}
	if err := r.readToken(&q); err != nil {
		return Page{}, err
	}
	var all []*task.Task
	for shard := range s.shards {
		part, err := s.store.List(ctx, shard, q)
		if err != nil {
			return Page{}, err
		}
		all = append(all, part...)
	}
	slices.SortFunc(all, r.compare)
	if len(all) <= r.PageSize {
		return Page{Tasks: all}, nil
	}
	all = all[:r.PageSize]
	return Page{Tasks: all, NextPageToken: r.token(all[len(all)-1])}, nil
}

func (r *ListRequest) validate() error {
	if err := task.ValidateQueueName(r.Queue); err != nil {
		return err
	}
	switch {
	case r.State != 0 && !r.State.Valid():
		return task.Invalid{{Field: "state", Reason: "must be one of the six states"}}
	case r.DueBefore != 0 && r.State == 0:
		return task.Invalid{{Field: "due_before", Reason: "needs a state beside it"}}
	case r.PageSize < 0 || r.PageSize > MaxPageSize:
		return task.Invalid{{Field: "page_size", Reason: fmt.Sprintf("must be from 1 to %d, got %d", MaxPageSize, r.PageSize)}}
	}
	return nil
}

func (r *ListRequest) compare(a, b *task.Task) int {
	if r.State == 0 {
		return strings.Compare(a.Key, b.Key)
	}
	return cmp.Or(cmp.Compare(a.Expiry, b.Expiry), bytes.Compare(a.ID[:], b.ID[:]))
}

// fingerprint ties a page token to its listing.
func (r *ListRequest) fingerprint() []byte {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%d\x00%d", r.Queue, r.State, r.DueBefore) // a hash takes all
	return h.Sum(nil)
}

// token names the place after t.
func (r *ListRequest) token(t *task.Task) string {
	b := r.fingerprint()
	if r.State == 0 {
		b = append(b, t.Key...)
	} else {
		b = binary.BigEndian.AppendUint64(b, uint64(t.Expiry))
		b = append(b, t.ID[:]...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func (r *ListRequest) readToken(q *store.ListQuery) error {
	if r.PageToken == "" {
		return nil
	}
	b, err := base64.RawURLEncoding.DecodeString(r.PageToken)
	mark := r.fingerprint()
	if err != nil || len(b) <= len(mark) || !bytes.Equal(b[:len(mark)], mark) {
		return ErrPageToken
	}
	b = b[len(mark):]
	if r.State == 0 {
		q.AfterKey = string(b)
		return nil
	}
	if len(b) != 8+len(q.After.ID) {
		return ErrPageToken
	}
	q.After.At = task.Instant(binary.BigEndian.Uint64(b))
	copy(q.After.ID[:], b[8:])
	return nil
}
