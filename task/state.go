package task

import (
	"fmt"
	"slices"
)

// State is where a task stands. Its numbers are stored on disk: they are never
// reused or reordered.
type State uint8

// The states of a task.
const (
	Scheduled State = 1 // waiting for its due instant, or for its next attempt
	Ready     State = 2 // due, and waiting to be claimed
	Leased    State = 3 // claimed: an attempt is running under a lease
	Completed State = 4 // an attempt succeeded
	Cancelled State = 5 // taken back before it was claimed
	Dead      State = 6 // out of attempts, or refused for good by its receiver
)

// States lists all states in the order of their numbers.
var States = [...]State{Scheduled, Ready, Leased, Completed, Cancelled, Dead}

var stateNames = [...]string{
	Scheduled: "scheduled", Ready: "ready", Leased: "leased",
	Completed: "completed", Cancelled: "cancelled", Dead: "dead",
}

// moves is the one table of legal moves. A row lists where a state may go; a
// missing record (0) may only become Scheduled. A finished task goes back to
// Scheduled when its key is scheduled anew, which makes it a new task, or, if
// dead, by a redrive. A running task is cancelled only when a later occurrence of
// its schedule replaces it.
var moves = [...][]State{
	0:         {Scheduled},
	Scheduled: {Scheduled, Ready, Leased, Cancelled},
	Ready:     {Scheduled, Ready, Leased, Cancelled},
	Leased:    {Scheduled, Leased, Completed, Cancelled, Dead},
	Completed: {Scheduled},
	Cancelled: {Scheduled},
	Dead:      {Scheduled},
}

// CanMove reports whether a task in state s may next be in state to.
func (s State) CanMove(to State) bool {
	if int(s) >= len(moves) {
		return false
	}
	return slices.Contains(moves[s], to)
}

// Valid reports whether s is one of States.
func (s State) Valid() bool { return s >= Scheduled && s <= Dead }

// Finished reports whether nothing more will happen to the task but its purge.
func (s State) Finished() bool { return s == Completed || s == Cancelled || s == Dead }

// Pending reports whether the task still waits to be claimed: it can be
// cancelled, changed and moved.
func (s State) Pending() bool { return s == Scheduled || s == Ready }

// nameOf returns the name of the n-th of a few values.
func nameOf[T ~uint8](names []string, n T) string {
	if int(n) < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%T(%d)", n, uint8(n))
}

// String returns the state's name as the API writes it.
func (s State) String() string {
	if s.Valid() {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// ParseState is the inverse of String.
func ParseState(name string) (State, error) {
	for _, s := range States {
		if stateNames[s] == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("unknown state %q: use scheduled, ready, leased, completed, cancelled or dead", name)
}
