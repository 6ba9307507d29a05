// Package pebblestore is the embedded store.Store: a folder on the local disk,
// kept by Pebble, owned by one process.
//
//	Commit(batch of one shard)
//	   │ epoch current?  (checked under the shard's lock, which stays held)
//	   ▼
//	records → keys of one Pebble batch            folder/
//	   head   h shard queue key                     LOCK       held while open
//	   body   b shard queue key                     OWNER      who holds it
//	   schedule t shard queue key                   pebble/    Pebble's files
//	   plan   p shard queue key                       FORMAT   version of all this
//	   next   n shard instant id                    pebble.new/  until created wholly
//	   state  s shard queue state instant id
//	   ready  r shard queue host instant id
//	   counts c queue  (merged sums)
//	   ▼
//	write-ahead log, one fsync for all shards that wait ──▶ acknowledged
//
// It owns those keys, their values (docs/internals/formats.md draws the bytes)
// and the folder's layout. It refuses to know what the fields of tasks and
// schedules mean. A store of an older format is brought up to date when it is
// opened.
//
// What is in memory does not grow with the number of tasks: Pebble's block
// cache and memtables, both bounded by Options, and a few words per shard.
//
// The first write that fails, be it for want of space, ends the store for good:
// nothing touches the disk any more, every call returns a FailedError, and a
// restart finds what was acknowledged. Whether a failed fsync left something
// behind is unknowable, so going on would be guessing. Goroutines of Pebble that
// had something to write at that moment stay parked for the rest of the process.
//
// All methods may be called at once from any goroutine. A Commit holds its
// shard's lock until its batch is on disk or has failed, so that Acquire and
// Release wait for it.
package pebblestore
