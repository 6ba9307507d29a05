package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// model drives a driver and the oracle with the same calls and compares what
// they answer.
type model struct {
	ctx    context.Context
	s      store.Store
	reopen func() store.Store
	oracle store.Store
	grants [2][]store.Grant // of s and of oracle, by shard
	have   map[store.Ref]*task.Task

	schedules map[store.Ref]*task.Schedule
}

// runModel checks random sequences of calls. On failure rapid prints the calls
// and how to replay them.
func runModel(t *testing.T, open Open, oracle Oracle) {
	rapid.Check(t, func(rt *rapid.T) {
		s, reopen := open(t)
		m := &model{
			ctx: context.Background(), s: s, reopen: reopen,
			oracle: oracle(s.Shards(), func(err error) { rt.Fatalf("the model itself is wrong: %v", err) }),
			have:   make(map[store.Ref]*task.Task),

			schedules: make(map[store.Ref]*task.Schedule),
		}
		m.acquire(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"commit":   m.commit,
			"commit2":  m.commit, // twice as often as the others
			"commit3":  m.commit,
			"putQueue": m.putQueue,
			"acquire":  m.acquire,
			"fenced":   m.fenced,
			"restart":  m.restart,
			"":         m.look,
		})
		m.lookAtAll(rt)
		m.must(rt, m.s.Close())
	})
}

var (
	modelQueues = []string{"q", "q.q", "r"}
	modelHosts  = []string{"", "a.example", "a.example:81"}
)

func (m *model) must(rt *rapid.T, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}

func (m *model) acquire(rt *rapid.T) {
	all := make([]int, m.s.Shards())
	for i := range all {
		all[i] = i
	}
	for i, s := range []store.Store{m.s, m.oracle} {
		grants, err := s.Acquire(m.ctx, node, all)
		m.must(rt, err)
		m.grants[i] = grants
	}
}

func (m *model) restart(rt *rapid.T) {
	if m.reopen == nil {
		return
	}
	m.must(rt, m.s.Close())
	m.s = m.reopen()
	m.acquire(rt)
}

// commit draws a batch of legal writes to one shard.
func (m *model) commit(rt *rapid.T) {
	shard := rapid.IntRange(0, m.s.Shards()-1).Draw(rt, "shard")
	var writes []store.Write
	for _, ref := range m.refs(shard) {
		if !rapid.Bool().Draw(rt, "touch "+ref.Key) {
			continue
		}
		writes = append(writes, m.write(rt, ref))
	}
	schedules := m.scheduleWrites(rt, shard)
	for i, s := range []store.Store{m.s, m.oracle} {
		m.must(rt, s.Commit(m.ctx, store.Batch{Shard: shard, Epoch: m.grants[i][shard].Epoch, Writes: writes, Schedules: schedules}))
	}
	m.keepSchedules(schedules)
	for _, w := range writes {
		if w.Task == nil {
			delete(m.have, store.RefOf(w.Prev))
		} else {
			head := w.Task.Clone()
			head.Body = nil
			m.have[store.RefOf(head)] = head
		}
	}
}

// fenced commits under an epoch that is not current.
func (m *model) fenced(rt *rapid.T) {
	shard := rapid.IntRange(0, m.s.Shards()-1).Draw(rt, "shard")
	off := rapid.SampledFrom([]uint64{1, 2, 1<<64 - 1}).Draw(rt, "off by")
	for i, s := range []store.Store{m.s, m.oracle} {
		b := store.Batch{Shard: shard, Epoch: m.grants[i][shard].Epoch + off}
		for _, ref := range m.refs(shard)[:1] {
			b.Writes = append(b.Writes, m.write(rt, ref))
			b.Schedules = append(b.Schedules, m.scheduleWrite(rt, ref))
		}
		if err := s.Commit(m.ctx, b); !errors.Is(err, store.ErrFenced) {
			rt.Fatalf("commit under a wrong epoch: %v", err)
		}
	}
}

// refs returns the few records of a shard that the model works on.
func (m *model) refs(shard int) []store.Ref {
	var refs []store.Ref
	for i := 0; len(refs) < 5; i++ {
		ref := store.Ref{Queue: modelQueues[i%len(modelQueues)], Key: fmt.Sprint("k", i)}
		if task.Shard(ref.Queue, ref.Key, m.s.Shards()) == shard {
			refs = append(refs, ref)
		}
	}
	return refs
}

// write draws a change of one record.
func (m *model) write(rt *rapid.T, ref store.Ref) store.Write {
	prev := m.have[ref]
	if prev == nil {
		return store.Write{Task: m.newTask(rt, ref)}
	}
	moves := []task.State{0} // delete
	for _, to := range task.States {
		if prev.State.CanMove(to) {
			moves = append(moves, to)
		}
	}
	to := rapid.SampledFrom(moves).Draw(rt, "move "+ref.Key)
	if to == 0 {
		return store.Write{Prev: prev}
	}
	if prev.State.Finished() && rapid.Bool().Draw(rt, "anew") {
		return store.Write{Prev: prev, Task: m.newTask(rt, ref)}
	}
	next := moved(prev, to)
	next.Expiry = m.instant(rt)
	if next.Next != 0 {
		next.Next = m.instant(rt)
	}
	if rapid.Bool().Draw(rt, "new body") {
		m.fill(rt, next)
	}
	return store.Write{Prev: prev, Task: next}
}

func (m *model) newTask(rt *rapid.T, ref store.Ref) *task.Task {
	t := newTask(ref.Queue, ref.Key, m.instant(rt))
	m.fill(rt, t)
	return t
}

// fill draws a body, and the host that goes with it.
func (m *model) fill(rt *rapid.T, t *task.Task) {
	t.Body = &task.Body{Payload: rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "payload")}
	t.Size = uint32(len(t.Body.Payload))
	t.Host = rapid.SampledFrom(modelHosts).Draw(rt, "host")
	if t.Host != "" {
		t.Body.Webhook = &task.Webhook{URL: "http://" + t.Host, Headers: map[string]string{"A": rapid.String().Draw(rt, "header")}}
	}
}

// instant draws one of a few, so that many are equal.
func (m *model) instant(rt *rapid.T) task.Instant {
	return t0 + task.Instant(rapid.IntRange(0, 5).Draw(rt, "instant"))
}

func (m *model) putQueue(rt *rapid.T) {
	name := rapid.SampledFrom(append(modelQueues, "unused")).Draw(rt, "queue")
	q := task.Queue{
		Name: name, Revision: uint64(rapid.IntRange(0, 3).Draw(rt, "revision")),
		Paused: rapid.Bool().Draw(rt, "paused"), Concurrency: rapid.IntRange(0, 9).Draw(rt, "concurrency"),
	}
	errS, errO := m.s.PutQueue(m.ctx, q), m.oracle.PutQueue(m.ctx, q)
	if (errS == nil) != (errO == nil) || errS != nil && !errors.Is(errS, store.ErrConflict) {
		rt.Fatalf("PutQueue: %v, oracle: %v", errS, errO)
	}
}

// look compares a few answers, drawn at random.
func (m *model) look(rt *rapid.T) {
	shard := rapid.IntRange(0, m.s.Shards()-1).Draw(rt, "shard")
	limit := rapid.IntRange(0, 8).Draw(rt, "limit")
	lane := task.Lane{Queue: rapid.SampledFrom(modelQueues).Draw(rt, "queue"), Host: rapid.SampledFrom(modelHosts).Draw(rt, "host")}
	state := rapid.SampledFrom(append([]task.State{0}, task.States[:]...)).Draw(rt, "state")
	after := m.pos(rt)
	m.lookAt(rt, shard, limit, lane, after)
	q := store.ListQuery{Queue: lane.Queue, State: state, Limit: limit}
	if state == 0 {
		keys := rapid.SampledFrom([]string{"", "k", "k1", "k12", "k9"})
		q.AfterKey, q.BeforeKey = keys.Draw(rt, "after key"), keys.Draw(rt, "before key")
		q.Descending = rapid.Bool().Draw(rt, "descending")
	} else {
		q.After = after
		q.Before = rapid.SampledFrom([]task.Instant{0, t0, t0 + 3, t0 + 9}).Draw(rt, "before")
	}
	m.lookAtList(rt, shard, q)
	m.lookAtSchedules(rt, shard, store.ScheduleQuery{
		Queue: rapid.SampledFrom(append([]string{""}, modelQueues...)).Draw(rt, "queue of schedules"),
		After: rapid.SampledFrom(append([]store.Ref{{}}, m.refs(shard)...)).Draw(rt, "after schedule"),
		Limit: limit,
	})
}

// pos draws the start, a place of a record, or one beside.
func (m *model) pos(rt *rapid.T) store.Pos {
	places := []store.Pos{{}, {At: t0 + 2}, {At: t0 + 3, ID: maxID}}
	refs := make([]store.Ref, 0, len(m.have))
	for ref := range m.have {
		refs = append(refs, ref)
	}
	for ref := range m.schedules {
		if m.have[ref] == nil {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, compareRefs)
	for _, ref := range refs {
		if t := m.have[ref]; t != nil {
			places = append(places, entry(t).Pos, readyEntry(t).Pos)
		}
		if s := m.schedules[ref]; s != nil {
			places = append(places, scheduleEntry(s).Pos)
		}
	}
	return places[rapid.IntRange(0, len(places)-1).Draw(rt, "after")]
}

// lookAtAll compares everything.
func (m *model) lookAtAll(rt *rapid.T) {
	for shard := range m.s.Shards() {
		for _, queue := range modelQueues {
			for _, host := range modelHosts {
				m.lookAt(rt, shard, 1000, task.Lane{Queue: queue, Host: host}, store.Pos{})
			}
			for _, state := range append([]task.State{0}, task.States[:]...) {
				m.lookAtList(rt, shard, store.ListQuery{Queue: queue, State: state, Limit: 1000})
			}
		}
		m.lookAtSchedules(rt, shard, store.ScheduleQuery{Limit: 1000})
	}
}

func (m *model) lookAt(rt *rapid.T, shard, limit int, lane task.Lane, after store.Pos) {
	rt.Helper()
	refs := append(m.refs(shard), store.Ref{Queue: "q", Key: "absent"})
	m.compare(rt, "Get", func(s store.Store) (any, error) {
		found, err := s.Get(m.ctx, shard, refs, true)
		return showAll(found), err
	})
	m.compare(rt, "Due", func(s store.Store) (any, error) { return s.Due(m.ctx, shard, after, limit) })
	m.compare(rt, "Lanes", func(s store.Store) (any, error) { return s.Lanes(m.ctx, shard, lane, limit) })
	m.compare(rt, "Lanes from the start", func(s store.Store) (any, error) { return s.Lanes(m.ctx, shard, task.Lane{}, limit) })
	m.compare(rt, "Ready", func(s store.Store) (any, error) { return s.Ready(m.ctx, shard, lane, after, limit) })
	m.compare(rt, "Queues", func(s store.Store) (any, error) { return s.Queues(m.ctx, "", limit) })
	m.compare(rt, "Queue", func(s store.Store) (any, error) { return s.Queue(m.ctx, lane.Queue) })
}

func (m *model) lookAtList(rt *rapid.T, shard int, q store.ListQuery) {
	rt.Helper()
	m.compare(rt, fmt.Sprintf("List %+v", q), func(s store.Store) (any, error) {
		found, err := s.List(m.ctx, shard, q)
		return showAll(found), err
	})
}

// compare asks both stores and fails unless they say the same.
func (m *model) compare(rt *rapid.T, what string, ask func(store.Store) (any, error)) {
	rt.Helper()
	got, err := ask(m.s)
	m.must(rt, err)
	want, err := ask(m.oracle)
	m.must(rt, err)
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		rt.Fatalf("%s:\n got    %s\n oracle %s", what, g, w)
	}
}

func showAll(tasks []*task.Task) []string {
	all := make([]string, len(tasks))
	for i, t := range tasks {
		all[i] = show(t)
	}
	return all
}
