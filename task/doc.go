// Package task holds the nouns of timewheel: the task, its queue, its lease,
// its outcome, and the one table of legal moves between states.
//
//	             claim                complete
//	scheduled ──▶ ready ──▶ leased ───────────▶ completed ─▶ (purged)
//	  ▲   ▲                  │ │
//	  │   └── fail: backoff ─┘ └── out of attempts ─▶ dead ──redrive──▶ scheduled
//	  └────── lease ran out                cancel (before claim) ─▶ cancelled
//
// It also owns their binary form ([AppendHead], [AppendBody]; the bytes are
// drawn in docs/internals/formats.md) and the limits on what a stranger may
// ask for ([Spec.Validate]).
//
// It knows no store, no clock and no transport, and imports the standard
// library only. Nothing here starts a goroutine. A Task is a plain value:
// whoever holds one alone may change it, shared ones are read-only.
package task
