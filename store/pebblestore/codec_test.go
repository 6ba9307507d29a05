package pebblestore

import (
	"bytes"
	"cmp"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Parts of keys sort as the strings do, whatever follows, and come back.
func TestPartsKeepTheirOrder(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune{0, 1, 2, 'a'}), 0, 4, -1))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		restA, restB := text.Draw(t, "rest of a"), text.Draw(t, "rest of b")
		keyA := append(appendPart(nil, a), restA...)
		keyB := append(appendPart(nil, b), restB...)
		if want := cmp.Compare(a, b); want != 0 && bytes.Compare(keyA, keyB) != want {
			t.Fatalf("%q and %q: keys %x and %x", a, b, keyA, keyB)
		}
		got, rest, ok := cutPart(keyA)
		if !ok || got != a || string(rest) != restA {
			t.Fatalf("%q came back as %q, %q, %v", a, got, rest, ok)
		}
	})
}

// Places in an index sort as they compare, from the first instant to the last,
// and come back.
func TestPlacesKeepTheirOrder(t *testing.T) {
	pos := rapid.Custom(func(t *rapid.T) (p store.Pos) {
		p.At = task.Instant(rapid.Int64().Draw(t, "at"))
		copy(p.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := pos.Draw(t, "a"), pos.Draw(t, "b")
		if got := bytes.Compare(appendPos(nil, a), appendPos(nil, b)); got != a.Compare(b) {
			t.Fatalf("%v and %v: keys compare %d", a, b, got)
		}
		if got, ok := readPos(appendPos([]byte("prefix"), a)); !ok || got != a {
			t.Fatalf("%v came back as %v", a, got)
		}
	})
}

// Counts come back, also those of a program that had fewer of them, and add up.
func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum counts
		m, err := countsMerger.Merge(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rapid.IntRange(0, 5).Draw(t, "operands") {
			var c counts
			for _, s := range task.States {
				c.tasks[s] = rapid.Int64Range(-1<<40, 1<<40).Draw(t, "count")
				sum.tasks[s] += c.tasks[s]
			}
			c.schedules = rapid.Int64Range(-1<<40, 1<<40).Draw(t, "schedules")
			sum.schedules += c.schedules
			add := m.MergeNewer
			if i%2 == 0 {
				add = m.MergeOlder
			}
			if err := add(appendCounts(nil, c)); err != nil {
				t.Fatal(err)
			}
		}
		value, _, err := m.Finish(true)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeCounts(value); err != nil || got != sum {
			t.Fatalf("got %v, %v, want %v", got, err, sum)
		}
	})
	if got, err := decodeCounts([]byte{2, 4}); err != nil || got != (counts{tasks: task.Counts{0, 1, 2}}) {
		t.Errorf("two counts: %v, %v", got, err)
	}
	if got, err := decodeCounts([]byte{2, 0, 0, 0, 0, 0}); err != nil || got != (counts{tasks: task.Counts{0, 1}}) {
		t.Errorf("the six of format 1: %v, %v", got, err)
	}
	if got, err := decodeCounts(make([]byte, 8)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("eight counts: %v, %v", got, err)
	}
}

// Nothing that can be in a file makes a decoder panic.
func FuzzDecoders(f *testing.F) {
	f.Add(appendNext(nil, 3, store.Pos{At: 5}))
	f.Add(appendLane(nil, 3, task.Lane{Queue: "q", Host: "h"}))
	f.Add(appendMeta(nil, meta{shards: 16, created: 7}))
	f.Add(appendCounts(nil, counts{tasks: task.Counts{1, 2, 3}, schedules: 4}))
	f.Add(appendNextValue(nil, store.Ref{Queue: "q", Key: "k"}, false))
	f.Add(appendNextValue(nil, store.Ref{Queue: "q", Key: "k"}, true))
	f.Add([]byte{1, 5, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(_ *testing.T, b []byte) { // what they make of it does not matter
		_, _ = readPos(b)
		_, _ = readLane(b)
		_, _, _ = readRef(b)
		_, _ = decodeMeta(b)
		_, _ = decodeCounts(b)
		_, _ = decodeNextValue(b)
		_, _ = decodeEpoch(b)
		_, _, _ = cutPart(b)
	})
}
