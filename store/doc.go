// Package store is the port between the scheduler and whatever keeps its
// records: a small, batch-shaped, deliberately dumb interface.
//
//	scheduler (state machine, timing)
//	    │  Commit(batch of writes for one shard, under an epoch)
//	    ▼
//	  Store ── records by (shard, queue, key)
//	        ── index "next"   by (shard, next instant, id)
//	        ── index "state"  by (shard, queue, state, expiry, id)
//	        ── index "ready"  by (shard, lane, expiry, id)
//	        ── counts         by (queue, state)
//	        ── settings       by queue
//	        ── epoch and owner of each shard
//
// The store applies a batch wholly or not at all, refuses it if the epoch is
// not the shard's present one, and has it on stable storage when it answers.
// It knows no clock, no retry, no lease of a task: a record's meaning is the
// scheduler's.
//
// Drivers are memstore, the oracle, and pebblestore, the embedded default. What
// every driver must do is a test suite, storetest. Optional powers are extra
// one-method interfaces beside Store.
package store
