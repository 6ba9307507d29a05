// Package memstore is a store.Store in memory: plain maps and sorting, so that
// it is obviously right. It is the oracle that other drivers are compared with,
// and the referee of the scheduler: Commit refuses what a correct scheduler
// never writes.
//
//	Store ── one lock over everything
//	  ├─ shards[i] ── tasks by (queue, key), every query filters and sorts them
//	  │           ├── schedules likewise
//	  │           └── owner, epoch, until
//	  └─ queues ── settings by name, and the names that were ever used
//
// It owns its records: tasks and schedules are copied on the way in and on the
// way out, with their bodies and plans. It refuses to know files and time: without WithLeases grants
// never lapse, and nothing here reads a clock.
//
// All methods may be called at once from any goroutine; they run one at a time.
// Queries cost O(n log n) of a shard's records, so it is meant for tests and for
// stores of some ten thousand tasks.
package memstore
