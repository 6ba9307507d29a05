// Command bench measures the wheel side by side with other timers of Go, on the
// machine at hand.
//
//	go run . -rounds 5 -json results.jsonl > table.md
//
// A (workload, rival) pair is measured in a fresh process, so that no rival
// leaves garbage, goroutines or a grown heap to the next. The command starts
// itself again for each, and takes turns: what disturbs the machine for a minute
// disturbs all rivals alike.
//
//	command ── round 1 ── addcancel ──┬─ process: time       ─┐
//	   │                              ├─ process: timewheel  ─┼─ figures, one JSON line each
//	   │                              └─ process: heap …     ─┘
//	   │                  cancelrandom ── …                        │
//	   ├────── round 2 ── … (the rivals in another order)          ▼
//	   └────── …                                      medians, least and most ── table
//
// The package owns the workloads, the adapters of the rivals and the table. It
// knows nothing of the wheel but what ours.go calls: its public functions.
//
// A measuring process has one main goroutine and those that its workload
// starts; each of these ends before the figures are written. Nothing is closed:
// the process measures one rival and ends.
package main
