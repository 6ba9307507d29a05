package task

import "time"

// Task is one record: what is to be done, when, and how far it has come.
//
// A Task has a head (the fields here, small, rewritten at every move) and a
// Body (what the receiver gets, which can be large and seldom changes). A Task
// that was read without its body has a nil Body; a store keeps the stored body
// when it is given such a Task.
type Task struct {
	ID    ID
	Queue string
	Key   string // unique in its queue

	State    State
	Revision uint64 // 1 at first, one more with every change of the record
	Attempt  uint32 // attempts begun so far, the running one included; only ever grows
	Failures uint32 // attempts that failed since it was scheduled or redriven; snoozed and released ones do not count

	Due    Instant // when it should fire, as asked for
	Expiry Instant // when the present attempt was or is due: Due at first, later the end of a backoff or snooze
	Next   Instant // when the scheduler has to look at it again, whatever the state; 0 while Ready

	Created  Instant
	Updated  Instant
	Fired    Instant // when the present attempt was claimed; 0 before the first
	Finished Instant // when it was completed, cancelled or given up; 0 before

	Nonce     uint64        // of the present lease, 0 unless Leased
	RunBy     uint64        // epoch of the shard's owner that runs the attempt itself; 0 if a worker elsewhere does
	Timeout   time.Duration // of one attempt: the length of a push attempt, and of a lease unless the worker asks for another
	Retention time.Duration // how long the record is kept once finished; 0: not at all
	Retry     Retry
	Size      uint32 // of the payload, in bytes
	Host      string // of the webhook, the push lane; "" for pull
	LastError string // of the last failed attempt, at most MaxErrorLen bytes
	Output    string // the end of what the last attempt wrote, at most MaxOutputLen bytes; "" if nobody said

	Occurrence Instant // of a schedule: the instant that its recurrence names; 0 if the task is none
	Missed     uint32  // of a schedule: missed occurrences that this one stands for, itself not counted
	Chained    bool    // of a schedule: its end lets the next queued occurrence begin

	Body *Body
}

// Body is what the receiver of a task gets.
type Body struct {
	Payload     []byte
	ContentType string // of Payload; "" is none given
	Metadata    map[string]string
	Webhook     *Webhook // nil: the task waits for a worker to claim it
	Traceparent string   // W3C Trace Context of the request that scheduled it
}

// Webhook says where a task is pushed.
type Webhook struct {
	URL     string
	Headers map[string]string // added to every request
}

// Retry says how often and how soon a failed attempt is repeated. The wait
// after the n-th failure is MinBackoff·2^(n−1), at most MaxBackoff, with jitter.
type Retry struct {
	MaxAttempts uint32 // the task is dead after so many failures
	MinBackoff  time.Duration
	MaxBackoff  time.Duration
}

// Lane is what ready tasks queue up in: those of one queue that go to one
// place, which is the webhook host Host, or, if that is "", whichever worker
// claims them. Each lane waits for capacity on its own.
type Lane struct {
	Queue string
	Host  string
}

// Lane returns the lane that t waits in when it is ready.
func (t *Task) Lane() Lane { return Lane{Queue: t.Queue, Host: t.Host} }

// Clone returns a copy of t that shares only the Body, which is never changed
// in place.
func (t *Task) Clone() *Task {
	c := *t
	return &c
}

// Shard returns which of n shards a key belongs to: FNV-1a over queue, a zero
// byte, and key, modulo n. The instant at the end of an occurrence's key does not
// count, so that a schedule and all its occurrences are in one shard and are
// written by one commit. This is part of the stored format.
func Shard(queue, key string, n int) int {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(queue) {
		h = (h ^ uint64(queue[i])) * prime
	}
	h *= prime // the zero byte
	for i := range rootLen(key) {
		h = (h ^ uint64(key[i])) * prime
	}
	return int(h % uint64(n))
}
