package scheduler

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

func waitingIn(queue string, n int) waiting {
	return waiting{id: task.ID{byte(n >> 8), byte(n), queue[0]}, ref: store.Ref{Queue: queue, Key: fmt.Sprint(n)}}
}

func names(ws []waiting) (list []string) {
	for _, w := range ws {
		list = append(list, w.ref.Queue+w.ref.Key)
	}
	return list
}

func TestExpiredAreTakenInTurn(t *testing.T) {
	e := newExpired()
	for i := range 5 {
		e.add(waitingIn("a", i))
	}
	e.add(waitingIn("b", 0))
	e.add(waitingIn("c", 0))
	e.add(waitingIn("c", 1))
	for _, want := range [][]string{{"a0", "b0"}, {"c0", "a1"}, {"c1", "a2"}, {"a3", "a4"}, nil} {
		if got := names(e.take(2)); !slices.Equal(got, want) {
			t.Errorf("took %q, want %q", got, want)
		}
	}
}

// What was removed and comes back while its old place is in the queue is taken
// once.
func TestExpiredComesBack(t *testing.T) {
	e := newExpired()
	for i := range 3 {
		e.add(waitingIn("a", i))
	}
	for range 3 {
		e.remove(waitingIn("a", 1).id)
		e.add(waitingIn("a", 1))
	}
	got := names(e.take(10))
	slices.Sort(got)
	if want := []string{"a0", "a1", "a2"}; !slices.Equal(got, want) || e.len() != 0 {
		t.Errorf("took %q, want %q; %d are left", got, want, e.len())
	}
}

// TestExpiredModel: everything that was added and not removed is taken once,
// within a queue in order, and no queue waits for more than one of each other.
func TestExpiredModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := newExpired()
		waits := make(map[string]bool)
		pick := func() waiting {
			return waitingIn(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "queue"), rapid.IntRange(0, 9).Draw(t, "n"))
		}
		take := func(limit int) {
			got := e.take(limit)
			if len(got) != min(limit, len(waits)) {
				t.Fatalf("took %d of %d, limit %d", len(got), len(waits), limit)
			}
			for _, name := range names(got) {
				if !waits[name] {
					t.Fatalf("took %s, which does not wait", name)
				}
				delete(waits, name)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				if w := pick(); !waits[names([]waiting{w})[0]] { // an id waits once
					e.add(w)
					waits[names([]waiting{w})[0]] = true
				}
			},
			"remove": func(*rapid.T) {
				w := pick()
				e.remove(w.id)
				delete(waits, names([]waiting{w})[0])
			},
			"take": func(*rapid.T) { take(rapid.IntRange(0, 5).Draw(t, "limit")) },
			"": func(t *rapid.T) {
				if e.len() != len(waits) {
					t.Fatalf("%d wait, want %d", e.len(), len(waits))
				}
			},
		})
		take(1000)
		if len(e.queues) > 0 || len(e.byName) > 0 {
			t.Fatalf("queues %v are left behind", e.queues)
		}
	})
}

// What is removed leaves no queue behind, and no place for long.
func TestExpiredForgets(t *testing.T) {
	e := newExpired()
	for range 100 {
		for i := range 1000 {
			e.add(waitingIn("a", i))
			e.add(waitingIn("b", i))
			if i > 0 {
				e.remove(waitingIn("a", i).id)
				e.remove(waitingIn("b", i).id)
			}
		}
		e.take(3)
	}
	if e.len() != 0 || len(e.queues) > 0 || len(e.byName) > 0 {
		t.Errorf("%d wait in %d queues", e.len(), len(e.queues))
	}
}
