package task_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/task"
)

// TestShardsStay where they are: tasks on disk are found by them.
func TestShardsStay(t *testing.T) {
	for _, tc := range []struct {
		queue, key string
		want       [4]int // of 1, 8, 64 and 1000 shards
	}{
		{"", "", [4]int{0, 7, 31, 455}},
		{"orders", "42", [4]int{0, 6, 38, 990}},
		{"orders", "43", [4]int{0, 1, 25, 201}},
		{"orders4", "2", [4]int{0, 6, 62, 358}},
		{"mail", "größe/42", [4]int{0, 2, 26, 850}},
		{"mail", "01904b3c-5d6e-7f80-8192-a3b4c5d6e7f8", [4]int{0, 3, 3, 331}},
	} {
		for i, n := range []int{1, 8, 64, 1000} {
			if got := task.Shard(tc.queue, tc.key, n); got != tc.want[i] {
				t.Errorf("%q, %q of %d: %d, was %d", tc.queue, tc.key, n, got, tc.want[i])
			}
		}
	}
}

// TestShardIsFNV1a, as its comment and the page on formats say.
func TestShardIsFNV1a(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queue, key := anyBytesString().Draw(t, "queue"), anyBytesString().Draw(t, "key")
		n := rapid.IntRange(1, 1<<20).Draw(t, "shards")
		h := fnv.New64a()
		fmt.Fprintf(h, "%s\x00%s", queue, key)
		if got, want := task.Shard(queue, key, n), int(h.Sum64()%uint64(n)); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// TestShardsAreEven over keys as people make them. No shard of 64 should be more
// than a tenth off its share; with 100,000 keys, chance alone makes some 6 %.
func TestShardsAreEven(t *testing.T) {
	const keys, shards = 100_000, 64
	for name, key := range map[string]func(i int) string{
		"numbers":       func(i int) string { return fmt.Sprint(i) },
		"padded":        func(i int) string { return fmt.Sprintf("order-%08d", i) },
		"even numbers":  func(i int) string { return fmt.Sprint(2 * i) },
		"ids of a node": func(i int) string { return task.ID{1, 0x90, 0x4b, byte(i >> 16), byte(i >> 8), byte(i), 0x7f}.String() },
		"suffixed":      func(i int) string { return fmt.Sprintf("%d/close", i) },
	} {
		var count [shards]int
		for i := range keys {
			count[task.Shard("orders", key(i), shards)]++
		}
		for s, n := range count {
			if share := keys / shards; n < share*9/10 || n > share*11/10 {
				t.Errorf("%s: shard %d has %d of %d keys, its share is %d", name, s, n, keys, share)
			}
		}
	}
}

func TestLane(t *testing.T) {
	k := task.Task{Queue: "orders", Key: "42", Host: "shop.test:80"}
	if got := k.Lane(); got != (task.Lane{Queue: "orders", Host: "shop.test:80"}) {
		t.Errorf("%+v", got)
	}
}

func TestCloneSharesOnlyTheBody(t *testing.T) {
	k := sampleTask()
	k.Body = sampleBody()
	c := k.Clone()
	if *c != *k || c.Body != k.Body {
		t.Errorf("%+v, want %+v", c, k)
	}
	if c.Attempt++; k.Attempt == c.Attempt {
		t.Error("the clone is the task itself")
	}
}

func TestIDs(t *testing.T) {
	const text = "01904b3c-5d6e-7f80-8192-a3b4c5d6e7f8"
	id := sampleTask().ID
	if got := id.String(); got != text {
		t.Errorf("written as %s, want %s", got, text)
	}
	for _, s := range []string{text, "01904B3C-5D6E-7F80-8192-A3B4C5D6E7F8"} {
		if got, err := task.ParseID(s); err != nil || got != id {
			t.Errorf("%s is read as %s, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", text[1:], text + "0", "01904b3c5d6e7f808192a3b4c5d6e7f8", "{" + text[1:35] + "}", "01904b3c-5d6e-7f80-8192_a3b4c5d6e7f8",
		"g1904b3c-5d6e-7f80-8192-a3b4c5d6e7f8", "01904b3c-5d6e-7f80-8192-a3b4c5d6e7\u00e9",
	} {
		if got, err := task.ParseID(s); err == nil {
			t.Errorf("%q is read as %s", s, got)
		}
	}
}

func TestIDRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := anyID().Draw(t, "id")
		if back, err := task.ParseID(id.String()); err != nil || back != id {
			t.Fatalf("%s is read as %s, %v", id, back, err)
		}
	})
}
