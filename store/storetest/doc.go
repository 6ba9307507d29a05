// Package storetest is what every store.Store must do, as tests: a file per
// topic, and in each case the sentence that explains its rule. A driver's own
// tests call Run and Benchmark with a function that opens an empty store.
//
//	Run ── topics: grants, commit, get, due, ready, list, counts, queues,
//	    │          limits, closed, and, for durable drivers, reopen
//	    └─ model: random batches, every answer compared with the oracle's
//
// It knows no driver, and uses a store only through the port. All tasks that it commits are ones that a correct scheduler could
// have written. It closes every store that it was given.
package storetest
