package scheduler

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// ScheduleInfo is a schedule and what follows from it.
type ScheduleInfo struct {
	*task.Schedule

	Rule recurrence.Spec
	Due  task.Instant // of the occurrence at Cursor, with its jitter; 0 if there is none

	// Fault says why the recurrence can't be worked out by this program, though it
	// once could: a zone that is gone. Such a schedule is paused when it is due.
	Fault error

	rule recurrence.Rule // nil if there is a Fault
}

// Describe says in words when the schedule has occurrences, or why that can't be
// worked out.
func (i *ScheduleInfo) Describe() string {
	if i.Fault != nil {
		return "can't be worked out: " + i.Fault.Error()
	}
	return recurrence.Describe(i.rule)
}

func (t timetable) info(s *task.Schedule) *ScheduleInfo {
	return &ScheduleInfo{Schedule: s, Rule: t.spec, Due: t.due(s.Cursor), rule: t.rule}
}

// info makes a ScheduleInfo of a schedule with its plan.
func (s *Scheduler) info(sc *task.Schedule) *ScheduleInfo {
	t, err := s.rules.compile(sc)
	if err != nil {
		info := &ScheduleInfo{Schedule: sc, Fault: err}
		_ = info.Rule.UnmarshalJSON(sc.Plan.Rule) // as far as it can be read
		return info
	}
	return t.info(sc)
}

// GetSchedule returns one schedule.
func (s *Scheduler) GetSchedule(ctx context.Context, queue, key string) (*ScheduleInfo, error) {
	sc, err := s.readSchedule(ctx, queue, key)
	if err != nil {
		return nil, err
	}
	return s.info(sc), nil
}

func (s *Scheduler) readSchedule(ctx context.Context, queue, key string) (*task.Schedule, error) {
	if err := task.ValidateScheduleRef(queue, key); err != nil {
		return nil, err
	}
	found, err := s.store.GetSchedules(ctx, s.shardOf(queue, key).n, []store.Ref{{Queue: queue, Key: key}})
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, ErrNoSchedule
	}
	return found[0], nil
}

// ListSchedulesRequest selects schedules of one queue, ordered by key.
type ListSchedulesRequest struct {
	Queue     string
	PageSize  int    // 0: DefaultPageSize; at most MaxPageSize
	PageToken string // from the page before; valid with the same Queue
}

// SchedulePage is a part of a listing.
type SchedulePage struct {
	Schedules     []*ScheduleInfo // without payloads
	NextPageToken string          // "" on the last page
}

// ListSchedules returns a page of a queue's schedules.
func (s *Scheduler) ListSchedules(ctx context.Context, r ListSchedulesRequest) (SchedulePage, error) {
	tasks := ListRequest{Queue: r.Queue, PageSize: r.PageSize}
	if err := tasks.validate(); err != nil {
		return SchedulePage{}, err
	}
	setDefault(&r.PageSize, DefaultPageSize)
	after, err := r.readToken()
	if err != nil {
		return SchedulePage{}, err
	}
	var all []*task.Schedule
	for shard := range s.shards {
		part, err := s.store.ListSchedules(ctx, shard, store.ScheduleQuery{
			Queue: r.Queue, After: store.Ref{Queue: r.Queue, Key: after}, Limit: r.PageSize + 1,
		})
		if err != nil {
			return SchedulePage{}, err
		}
		all = append(all, part...)
	}
	slices.SortFunc(all, func(a, b *task.Schedule) int { return strings.Compare(a.Key, b.Key) })
	var page SchedulePage
	if len(all) > r.PageSize {
		all = all[:r.PageSize]
		page.NextPageToken = r.token(all[len(all)-1].Key)
	}
	page.Schedules, err = s.withPlans(ctx, all)
	return page, err
}

// withPlans reads the plans of schedules that were listed, a few at a time, and
// keeps all of them but the payloads. What was deleted meanwhile is left out.
func (s *Scheduler) withPlans(ctx context.Context, heads []*task.Schedule) ([]*ScheduleInfo, error) {
	const atOnce = 16
	infos := make([]*ScheduleInfo, 0, len(heads))
	for part := range slices.Chunk(heads, atOnce) {
		for _, h := range part {
			found, err := s.store.GetSchedules(ctx, s.shardOf(h.Queue, h.Key).n, []store.Ref{store.ScheduleRef(h)})
			if err != nil {
				return nil, err
			}
			if found[0] == nil {
				continue
			}
			found[0].Plan.Task.Payload = nil
			infos = append(infos, s.info(found[0]))
		}
	}
	return infos, nil
}

const scheduleToken = "schedules"

func (r *ListSchedulesRequest) token(key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(scheduleToken + "\x00" + r.Queue + "\x00" + key))
}

func (r *ListSchedulesRequest) readToken() (after string, err error) {
	if r.PageToken == "" {
		return "", nil
	}
	b, err := base64.RawURLEncoding.DecodeString(r.PageToken)
	key, ok := bytes.CutPrefix(b, []byte(scheduleToken+"\x00"+r.Queue+"\x00"))
	if err != nil || !ok {
		return "", task.Invalid{{Field: "page_token", Reason: "must be the next_page_token of a page of the same queue's schedules"}}
	}
	return string(key), nil
}

// OccurrencesRequest asks for a schedule's occurrences.
type OccurrencesRequest struct {
	Queue  string
	Key    string
	Coming int          // how many of those to come; at most MaxPageSize
	Past   int          // how many of those that became tasks, newest first; at most MaxPageSize
	Before task.Instant // of Past: only those before it; 0: no bound
}

// Occurrences are a schedule's occurrences, as far as they are known: those
// that became tasks until their records are purged.
type Occurrences struct {
	Coming []Coming       // in order
	Queued []task.Instant // those that wait for an earlier one to finish, in order
	Past   []*task.Task   // newest first, without bodies
}

// Coming is an occurrence to come.
type Coming struct {
	At  task.Instant // as the recurrence names it
	Due task.Instant // with its jitter
}

// Occurrences returns a schedule's occurrences.
func (s *Scheduler) Occurrences(ctx context.Context, r OccurrencesRequest) (Occurrences, error) {
	if err := r.validate(); err != nil {
		return Occurrences{}, err
	}
	sc, err := s.readSchedule(ctx, r.Queue, r.Key)
	if err != nil {
		return Occurrences{}, err
	}
	t, err := s.rules.compile(sc)
	if err != nil {
		return Occurrences{}, err
	}
	found := Occurrences{Coming: t.coming(sc, r.Coming), Queued: sc.Queued}
	found.Past, err = s.past(ctx, r)
	return found, err
}

func (r *OccurrencesRequest) validate() error {
	for field, n := range map[string]int{"coming": r.Coming, "past": r.Past} {
		if n < 0 || n > MaxPageSize {
			return task.Invalid{{Field: field, Reason: fmt.Sprintf("must be from 0 to %d, got %d", MaxPageSize, n)}}
		}
	}
	return nil
}

// coming returns the next n occurrences, none if the schedule is paused.
func (t timetable) coming(s *task.Schedule, n int) []Coming {
	if s.Paused {
		return nil
	}
	if times := s.Plan.Times; times > 0 {
		in := s.Fired + uint64(len(s.Queued)) - s.Triggered
		n = int(min(uint64(n), times-min(times, in)))
	}
	var found []Coming
	for at := s.Cursor; at != 0 && len(found) < n; at = t.next(at) {
		found = append(found, Coming{At: at, Due: t.due(at)})
	}
	return found
}

// past lists the tasks that have the keys of occurrences, from the newest. Other
// keys may stand among them. Keys are in the order of their instants but for
// fractions of a second, so whole seconds are read and sorted.
func (s *Scheduler) past(ctx context.Context, r OccurrencesRequest) ([]*task.Task, error) {
	q := store.ListQuery{Queue: r.Queue, AfterKey: r.Key + "@", BeforeKey: r.Key + "@:", Descending: true, Limit: max(r.Past, DefaultPageSize) + 1}
	if r.Before != 0 {
		q.BeforeKey = second(r.Key, r.Before) + "["
	}
	var found []*task.Task
	const pages = 100 // of other keys among them
	for n, more := 0, r.Past > 0; more && n < pages; n++ {
		page, err := s.store.List(ctx, s.shardOf(r.Queue, r.Key).n, q)
		if err != nil {
			return nil, err
		}
		more = len(page) == q.Limit
		for _, t := range page {
			q.BeforeKey = t.Key
			key, at, ok := task.CutOccurrence(t.Key)
			if !ok || key != r.Key || r.Before != 0 && at >= r.Before {
				continue
			}
			if n := len(found); n >= r.Past && second(key, at) != second(key, instantIn(found[n-1].Key)) {
				more = false
				break
			}
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *task.Task) int { return cmp.Compare(instantIn(b.Key), instantIn(a.Key)) })
	return found[:min(len(found), r.Past)], nil
}

// second returns what the keys of all occurrences within one second begin with;
// the next byte is under "[".
func second(schedule string, at task.Instant) string {
	return strings.TrimSuffix(task.OccurrenceKey(schedule, at-at%1_000_000), "Z")
}

// instantIn returns the instant that an occurrence's key names.
func instantIn(key string) task.Instant {
	_, at, _ := task.CutOccurrence(key)
	return at
}
