package telemetry

import (
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// Events returns the listener that counts. Hand it to scheduler.Options.
func (m *Metrics) Events() scheduler.Events {
	return scheduler.Events{
		Scheduled: func(queue string, n int) { m.queues.of(queue).scheduled.Add(float64(n)) },
		Fired:     m.fired,
		Occurred: func(queue string, fate scheduler.Fate, n int) {
			m.occurrences.WithLabelValues(m.queues.label(queue), fate.String()).Add(float64(n))
		},
		Settled:   m.settled,
		Cancelled: func(t *task.Task) { m.queues.of(t.Queue).cancelled.Inc() },
		Committed: m.committed,
		Trouble:   func(string, error) { m.trouble.Inc() },
	}
}

func (m *Metrics) fired(t *task.Task, lateness time.Duration) {
	m.queues.of(t.Queue).fired.Inc()
	m.lateness.Observe(lateness.Seconds())
}

func (m *Metrics) settled(t *task.Task, o task.Outcome) {
	c := m.queues.of(t.Queue)
	if o.Verdict == task.Failed || o.Verdict == task.Refused {
		c.failed.Inc()
	}
	switch t.State {
	case task.Completed:
		c.completed.Inc()
	case task.Dead:
		c.dead.Inc()
	default: // another attempt will come
	}
}

func (m *Metrics) committed(n int, took time.Duration) {
	m.commitRecords.Observe(float64(n))
	m.commitSeconds.Observe(took.Seconds())
}
