package api

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// query takes a request's query parameters one by one, and then refuses those
// that nobody took: a misspelled condition must not be passed over.
type query struct {
	values url.Values
	faults task.Invalid
}

func (c *call) query() *query {
	if c.r.URL.RawQuery == "" {
		return &query{}
	}
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.fault("query", "is not well-formed: "+err.Error())
	}
	return q
}

func (q *query) fault(field, reason string) {
	q.faults = append(q.faults, task.Fault{Field: field, Reason: reason})
}

// text takes a parameter; "" is that it was not given.
func (q *query) text(name string) string {
	vs := q.values[name]
	if len(vs) == 0 {
		return ""
	}
	delete(q.values, name)
	if len(vs) > 1 {
		q.fault(name, "is given more than once")
	}
	return vs[0]
}

func (q *query) boolean(name string) bool {
	switch s := q.text(name); s {
	case "true":
		return true
	case "false", "":
	default:
		q.fault(name, "must be true or false, got "+strconv.Quote(clip(s)))
	}
	return false
}

func (q *query) instant(name string) task.Instant {
	s := q.text(name)
	if s == "" {
		return 0
	}
	t, err := parseInstant([]byte(s))
	if err != nil {
		q.fault(name, notInstant)
	}
	return task.CeilInstant(t)
}

func (q *query) state(name string) task.State {
	s := q.text(name)
	if s == "" {
		return 0
	}
	state, err := task.ParseState(s)
	if err != nil {
		q.fault(name, notState)
	}
	return state
}

func (q *query) pageSize() int { return q.count("page_size") }

// count takes how many items are asked for; 0 is that it was not given.
func (q *query) count(name string) int {
	s := q.text(name)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > scheduler.MaxPageSize {
		q.fault(name, "must be from 1 to "+strconv.Itoa(scheduler.MaxPageSize)+", got "+strconv.Quote(clip(s)))
	}
	return n
}

// end returns all that was wrong, parameters that were not taken included.
func (q *query) end() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		q.fault(clip(name), "is no query parameter of this call")
	}
	if len(q.faults) > 0 {
		return q.faults
	}
	return nil
}

// clip keeps messages short whatever was sent.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

const notState = "must be scheduled, ready, leased, completed, cancelled or dead"
