package storetest

import (
	"testing"

	"github.com/timewheel-dev/timewheel/store"
)

// Open makes an empty store, with any number of shards. It registers what has
// to be removed at the end with t, and fails t if it can't; closing the store
// is the suite's.
//
// reopen opens, after the store was closed, another on the same data. It is
// nil for drivers that keep nothing.
type Open func(t testing.TB) (s store.Store, reopen func() store.Store)

// Oracle makes an empty store that is right: memstore. It calls illegal when it
// is given a batch that no correct scheduler writes. It is handed in because a
// kit knows no drivers.
type Oracle func(shards int, illegal func(error)) store.Store

// rule is one thing that a driver must do.
type rule struct {
	name string
	why  string // printed when the case fails
	test func(r *rig)
}

// Run tests a driver.
func Run(t *testing.T, open Open, oracle Oracle) {
	topics := []struct {
		name  string
		rules []rule
	}{
		{"Grants", grantRules},
		{"Commit", commitRules},
		{"Get", getRules},
		{"Due", dueRules},
		{"Ready", readyRules},
		{"List", listRules},
		{"Counts", countRules},
		{"Schedules", scheduleRules},
		{"Queues", queueRules},
		{"Limits", limitRules},
		{"Closed", closedRules},
		{"Reopen", reopenRules},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			for _, r := range topic.rules {
				t.Run(r.name, func(t *testing.T) { runRule(t, open, r) })
			}
		})
	}
	t.Run("Model", func(t *testing.T) { runModel(t, open, oracle) })
}

func runRule(t *testing.T, open Open, r rule) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the rule: %s", r.why)
		}
	})
	rig := newRig(t, open)
	r.test(rig)
	rig.close()
}
