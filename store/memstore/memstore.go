package memstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// Store is a store.Store in memory. Make one with New.
type Store struct {
	ttl       time.Duration // of a grant; 0: grants never lapse
	clock     clock.Clock   // read only if ttl is not 0
	onIllegal func(error)   // called with mu held

	mu     sync.Mutex
	closed bool                  // guarded by mu
	shards []*shard              // the slice is fixed, what it points to is guarded by mu
	queues map[string]task.Queue // guarded by mu; every name ever used, Revision 0 where nothing was set
}

var _ store.Store = (*Store)(nil)

// shard is one shard's records and owner.
type shard struct {
	records   map[store.Ref]*task.Task     // with their bodies
	schedules map[store.Ref]*task.Schedule // with their plans
	owner     string                       // "": nobody
	epoch     uint64                       // the highest ever granted
	until     time.Time                    // when the grant lapses; zero: never
}

// Option changes how a Store behaves.
type Option func(*Store)

// WithLeases makes grants lapse when they were not renewed for ttl by c, as
// those of a store that several nodes share do. A lapsed grant is nobody's:
// Renew and Commit under it return store.ErrFenced.
func WithLeases(ttl time.Duration, c clock.Clock) Option {
	return func(s *Store) { s.ttl, s.clock = ttl, clock.Or(c) }
}

// WithIllegal calls f with an *IllegalError for each batch that breaks a rule,
// before Commit returns that error. f must not call the Store. The default
// panics: such a batch is a defect of the caller.
func WithIllegal(f func(error)) Option {
	return func(s *Store) { s.onIllegal = f }
}

// New returns an empty Store with the given number of shards, at least 1.
func New(shards int, opts ...Option) *Store {
	if shards < 1 {
		panic(fmt.Sprintf("memstore: a store needs a shard at least, got %d", shards))
	}
	s := &Store{
		onIllegal: func(err error) { panic(err) },
		shards:    make([]*shard, shards),
		queues:    make(map[string]task.Queue),
	}
	for i := range s.shards {
		s.shards[i] = &shard{records: make(map[store.Ref]*task.Task), schedules: make(map[store.Ref]*task.Schedule)}
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Shards returns the number of shards.
func (s *Store) Shards() int { return len(s.shards) }

// Close drops everything.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.closed = true
	return nil
}

// enter locks the Store for one call. If it returns an error the Store is not
// locked.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	return nil
}

// enterShard is enter for a call about one shard. It returns that shard.
func (s *Store) enterShard(ctx context.Context, i int) (*shard, error) {
	if err := s.checkShard(i); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	return s.shards[i], nil
}

func (s *Store) checkShard(i int) error {
	if i < 0 || i >= len(s.shards) {
		return fmt.Errorf("shard %d is none of the store's %d", i, len(s.shards))
	}
	return nil
}
