package task_test

import (
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/task"
)

// legal draws the moves that are allowed: from the state of the row to that of
// the column.
//
//nolint:dupword // a drawing
const legal = `
	from \ to   none scheduled ready leased completed cancelled dead
	none         .       x       .     .        .         .      .
	scheduled    .       x       x     x        .         x      .
	ready        .       x       x     x        .         x      .
	leased       .       x       .     x        x         x      x
	completed    .       x       .     .        .         .      .
	cancelled    .       x       .     .        .         .      .
	dead         .       x       .     .        .         .      .
`

func TestMoves(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(legal), "\n")
	columns := strings.Fields(rows[0])[3:]
	seen := 0
	for _, row := range rows[1:] {
		cells := strings.Fields(row)
		from := stateNamed(t, cells[0])
		for i, cell := range cells[1:] {
			to := stateNamed(t, columns[i])
			if got := from.CanMove(to); got != (cell == "x") {
				t.Errorf("%s to %s: %v, want %q", cells[0], columns[i], got, cell)
			}
			seen++
		}
	}
	if want := (len(task.States) + 1) * (len(task.States) + 1); seen != want {
		t.Errorf("the drawing has %d moves, want %d", seen, want)
	}
}

func stateNamed(t *testing.T, name string) task.State {
	t.Helper()
	if name == "none" {
		return 0
	}
	s, err := task.ParseState(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestUnknownStatesDoNotMove(t *testing.T) {
	for from := range 256 {
		for to := range 256 {
			f, g := task.State(from), task.State(to)
			if f.CanMove(g) && (!g.Valid() || from != 0 && !f.Valid()) {
				t.Errorf("state %d moves to %d", from, to)
			}
		}
	}
}

// TestStateNumbers are those on disk.
func TestStateNumbers(t *testing.T) {
	for name, want := range map[string]uint8{
		"scheduled": 1, "ready": 2, "leased": 3, "completed": 4, "cancelled": 5, "dead": 6,
	} {
		s, err := task.ParseState(name)
		if err != nil || uint8(s) != want || s.String() != name || !s.Valid() {
			t.Errorf("%s: number %d, name %s, valid %v, %v", name, uint8(s), s, s.Valid(), err)
		}
		if task.States[want-1] != s {
			t.Errorf("%s is not at place %d of States", name, want-1)
		}
	}
}

func TestUnknownStates(t *testing.T) {
	for _, n := range []task.State{0, 7, 255} {
		if n.Valid() || n.Finished() || n.Pending() || !strings.HasPrefix(n.String(), "state(") {
			t.Errorf("%s: valid %v, finished %v, pending %v", n, n.Valid(), n.Finished(), n.Pending())
		}
	}
	for _, name := range []string{"", "Ready", "running", "state(1)"} {
		if s, err := task.ParseState(name); err == nil || s != 0 || !strings.Contains(err.Error(), "leased") {
			t.Errorf("%q: %v, %v, want an error that lists the names", name, s, err)
		}
	}
}

// TestKindsOfStates: leased is neither pending nor finished, all others are one
// of the two.
func TestKindsOfStates(t *testing.T) {
	for s, want := range map[task.State][2]bool{
		task.Scheduled: {true, false}, task.Ready: {true, false}, task.Leased: {false, false},
		task.Completed: {false, true}, task.Cancelled: {false, true}, task.Dead: {false, true},
	} {
		if got := [2]bool{s.Pending(), s.Finished()}; got != want {
			t.Errorf("%s: pending, finished = %v, want %v", s, got, want)
		}
	}
}

// TestCountsHaveRoomForEveryState by its number.
func TestCountsHaveRoomForEveryState(t *testing.T) {
	var c task.Counts
	for _, s := range task.States {
		c[s]++
	}
	if c != (task.Counts{0, 1, 1, 1, 1, 1, 1}) {
		t.Errorf("%v", c)
	}
}
