package api

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// The functions here write by hand what wire.Encode would write, byte for byte,
// at a fifth of its cost: they are on the path of every schedule. A test
// compares them.

// appendHead appends wireHead(t).
func appendHead(b []byte, t *task.Task) []byte {
	b = append(b, `{"id":"`...)
	b = append(b, t.ID.String()...)
	b = append(b, `","queue":`...)
	b = appendText(b, t.Queue)
	b = append(b, `,"key":`...)
	b = appendText(b, t.Key)
	b = append(b, `,"state":"`...)
	b = append(b, t.State.String()...)
	b = append(b, `","revision":`...)
	b = strconv.AppendUint(b, t.Revision, 10)
	b = append(b, `,"attempt":`...)
	b = strconv.AppendUint(b, uint64(t.Attempt), 10)
	b = append(b, `,"failures":`...)
	b = strconv.AppendUint(b, uint64(t.Failures), 10)
	b = appendInstant(b, `,"due":"`, t.Due)
	b = appendOptional(b, `,"next":"`, t.Next)
	b = appendInstant(b, `,"created_at":"`, t.Created)
	b = appendInstant(b, `,"updated_at":"`, t.Updated)
	b = appendOptional(b, `,"fired_at":"`, t.Fired)
	b = appendOptional(b, `,"finished_at":"`, t.Finished)
	b = appendDuration(b, `,"timeout":"`, t.Timeout)
	b = appendDuration(b, `,"retention":"`, t.Retention)
	b = appendRetry(append(b, `,"retry":`...), t.Retry)
	if t.LastError != "" {
		b = appendText(append(b, `,"last_error":`...), t.LastError)
	}
	if t.Output != "" {
		b = appendText(append(b, `,"output":`...), t.Output)
	}
	if t.Occurrence != 0 {
		b = appendOccurrence(b, t)
	}
	return append(b, '}')
}

// appendOccurrence appends what only the tasks of a schedule have.
func appendOccurrence(b []byte, t *task.Task) []byte {
	key, _, _ := task.CutOccurrence(t.Key)
	b = appendText(append(b, `,"schedule":`...), key)
	b = appendInstant(b, `,"occurrence":"`, t.Occurrence)
	if t.Missed != 0 {
		b = strconv.AppendUint(append(b, `,"missed":`...), uint64(t.Missed), 10)
	}
	return b
}

// appendRetry appends wireRetry(r).
func appendRetry(b []byte, r task.Retry) []byte {
	start := len(b)
	if r.MaxAttempts != 0 {
		b = strconv.AppendUint(append(b, `,"max_attempts":`...), uint64(r.MaxAttempts), 10)
	}
	if r.MinBackoff != 0 {
		b = appendDuration(b, `,"min_backoff":"`, r.MinBackoff)
	}
	if r.MaxBackoff != 0 {
		b = appendDuration(b, `,"max_backoff":"`, r.MaxBackoff)
	}
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

// appendScheduled appends the wire.BatchResult of a task that was scheduled.
func appendScheduled(b []byte, r scheduler.ScheduleResult) []byte {
	b = appendText(append(b, `{"key":`...), r.Task.Key)
	b = append(b, `,"id":"`...)
	b = append(b, r.Task.ID.String()...)
	b = append(b, `","revision":`...)
	b = strconv.AppendUint(b, r.Task.Revision, 10)
	b = appendInstant(b, `,"due":"`, r.Task.Due)
	if r.Replaced {
		b = append(b, `,"replaced":true`...)
	}
	return append(b, '}')
}

// appendInstant appends an instant after its name and its first quote.
func appendInstant(b []byte, name string, i task.Instant) []byte {
	b = i.Time().AppendFormat(append(b, name...), time.RFC3339Nano)
	return append(b, '"')
}

// appendOptional does the same, unless there is no instant.
func appendOptional(b []byte, name string, i task.Instant) []byte {
	if i == 0 {
		return b
	}
	return appendInstant(b, name, i)
}

func appendDuration(b []byte, name string, d time.Duration) []byte {
	b = append(append(b, name...), d.String()...)
	return append(b, '"')
}

// appendText appends a string. What needs escapes, which is rare in keys, is
// left to encoding/json.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEscaped(b, s)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

func appendEscaped(b []byte, s string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // strings can always be written
	}
	return append(b, bytes.TrimRight(out.Bytes(), "\n")...)
}
