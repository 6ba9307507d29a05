package pebblestore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

// What of a schedule does not fit together is reported as damage by whoever
// reads it.
func TestDamagedSchedules(t *testing.T) {
	const head, plan = "t\x00\x00q\x00k", "p\x00\x00q\x00k"
	get := func(s store.Store) error {
		_, err := s.GetSchedules(context.Background(), 0, []store.Ref{{Queue: "q", Key: "k"}})
		return err
	}
	list := func(s store.Store) error {
		_, err := s.ListSchedules(context.Background(), 0, store.ScheduleQuery{Limit: 10})
		return err
	}
	due := func(s store.Store) error {
		_, err := s.Due(context.Background(), 0, store.Pos{}, 10)
		return err
	}
	queue := func(s store.Store) error {
		_, err := s.Queue(context.Background(), "q")
		return err
	}
	other := string(task.AppendSchedule(nil, &task.Schedule{Queue: "q", Key: "other"}))
	next := "n\x00\x00\x80" + strings.Repeat("\x01", 23)
	for _, c := range []struct {
		name, key, value string
		read             func(store.Store) error
	}{
		{"no plan", plan, "", get},
		{"a plan that is none", plan, "\x01", get},
		{"a head that is none", head, "\x01", get},
		{"a listed head that is none", head, "\x01", list},
		{"another one's head", head, other, get},
		{"a row that ends early", next, "\x00\x05q", due},
		{"a row without a queue", next, "\x00\x00k", due},
		{"an empty row", next, "\x00", due},
		{"eight counts", "cq", "\x02\x00\x00\x00\x00\x00\x00\x00", queue},
	} {
		s := open(t, dir, pebblestore.Options{FS: vfs.NewMem(), Shards: 1})
		grants, err := s.Acquire(context.Background(), "node", []int{0})
		if err != nil {
			t.Fatal(err)
		}
		w := store.ScheduleWrite{Schedule: &task.Schedule{Queue: "q", Key: "k", Revision: 1, Plan: &task.Plan{Rule: []byte("x")}}}
		if err := s.Commit(context.Background(), store.Batch{Epoch: grants[0].Epoch, Schedules: []store.ScheduleWrite{w}}); err != nil {
			t.Fatal(err)
		}
		if err := c.read(s); err != nil {
			t.Errorf("%s: before: %v", c.name, err)
		}
		err = s.WriteRaw(func(b *pebble.Batch) error {
			if c.value == "" {
				return b.Delete([]byte(c.key), nil)
			}
			return b.Set([]byte(c.key), []byte(c.value), nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.read(s); !errors.Is(err, pebblestore.ErrCorrupt) {
			t.Errorf("%s: got %v", c.name, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
