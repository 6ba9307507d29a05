// Package scheduler is the durable scheduler: the only package that moves a
// task from state to state. It runs embedded in a Go program, or behind the
// daemon's HTTP door.
//
//	Schedule, Cancel, Settle, …          Claim, pushes, handlers
//	        │ command                              ▲ leases
//	        ▼                                      │
//	┌─ shard writer (one goroutine a shard) ──────────────┐
//	│  commands ─▶ tx ◀─ expired: window (wheel)          │
//	│              │  ◀─ ready: lanes ──reserve──▶ hub    │
//	│              ▼                                      │
//	│        store.Commit ─▶ then, and only then: wheel,  │
//	│                        lanes, answers, hand-out     │
//	└─────────────────────────────────────────────────────┘
//
// The task space is cut into shards by hash of queue and key. Each shard has
// one writer, a goroutine that makes passes: it takes the commands that wait
// and the tasks whose Next instant has come, works out the new records, commits
// them as one batch, and acts only after the store has them. All waiting
// (to be due, for a lease, a backoff, a retention) is one index, Next, of
// which the near future, the horizon, is held in a timing wheel of bounded size
// ([Options.Window]); the store holds the rest.
//
// Where ready tasks meet whoever takes them is the hub: claims that wait, and
// free push slots. A shard reserves takers before it commits, so that a
// due task goes from scheduled to leased in one commit when somebody waits
// for it.
//
// Concurrency: a shard's fields belong to its writer. The hub and the settings
// cache have a lock each; no lock is held while a store, a handler or a pusher
// is called. Goroutines are owned by Open (writers, clock watcher; ended by
// Close) and by Run (handlers, pushes; ended when Run returns).
//
// The package knows neither HTTP nor any store driver.
package scheduler
