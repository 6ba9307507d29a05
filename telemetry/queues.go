package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// MaxQueues is how many queues get a label of their own.
const MaxQueues = 1000

// otherQueues is the label that the queues beyond share. A queue's name begins
// with a letter or digit, so none is called this.
const otherQueues = "_other"

// counters are the counters of one queue.
type counters struct {
	scheduled, fired, completed, failed, dead, cancelled prometheus.Counter
}

// queueSet hands out the counters of queues.
type queueSet struct {
	limit  int
	vecs   [6]*prometheus.CounterVec
	other  *counters
	byName atomic.Pointer[map[string]*counters] // of the queues with a label of their own; never changed, replaced by add

	adding sync.Mutex // held while byName is replaced
}

func newQueueSet(limit int) *queueSet {
	s := &queueSet{limit: limit}
	for i, c := range [...]struct{ name, help string }{
		{"timewheel_tasks_scheduled_total", "Tasks created or replaced."},
		{"timewheel_tasks_fired_total", "Attempts begun: claimed by a worker, pushed, or given to a handler."},
		{"timewheel_tasks_completed_total", "Tasks that an attempt completed."},
		{"timewheel_tasks_failed_total", "Attempts that failed, or whose lease ran out."},
		{"timewheel_tasks_dead_total", "Tasks given up: out of attempts, or refused for good by the receiver."},
		{"timewheel_tasks_cancelled_total", "Tasks cancelled before they were claimed."},
	} {
		s.vecs[i] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: c.name, Help: c.help}, []string{"queue"})
	}
	s.other = s.make(otherQueues)
	s.byName.Store(&map[string]*counters{})
	return s
}

func (s *queueSet) collectors() []prometheus.Collector {
	all := make([]prometheus.Collector, len(s.vecs))
	for i, v := range s.vecs {
		all[i] = v
	}
	return all
}

func (s *queueSet) make(label string) *counters {
	at := func(i int) prometheus.Counter { return s.vecs[i].WithLabelValues(label) }
	return &counters{
		scheduled: at(0), fired: at(1), completed: at(2),
		failed: at(3), dead: at(4), cancelled: at(5),
	}
}

// of returns the counters of a queue. After a queue's first time it costs one
// look-up in a map that is only read.
func (s *queueSet) of(queue string) *counters {
	known := *s.byName.Load()
	if c, ok := known[queue]; ok {
		return c
	}
	if len(known) >= s.limit {
		return s.other
	}
	return s.add(queue)
}

func (s *queueSet) add(queue string) *counters {
	s.adding.Lock()
	defer s.adding.Unlock()
	known := *s.byName.Load()
	if c, ok := known[queue]; ok { // somebody else was first
		return c
	}
	if len(known) >= s.limit {
		return s.other
	}
	c := s.make(queue)
	next := maps.Clone(known)
	next[queue] = c
	s.byName.Store(&next)
	return c
}

// label returns the label that a queue goes by.
func (s *queueSet) label(queue string) string {
	if s.of(queue) == s.other {
		return otherQueues
	}
	return queue
}
