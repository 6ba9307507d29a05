package task_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/task"
)

// Generators of all that the binary forms can hold, legal or not: the codec
// does not judge.

func anyInstant() *rapid.Generator[task.Instant] {
	return rapid.Map(rapid.Int64(), func(i int64) task.Instant { return task.Instant(i) })
}

func anyDuration() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64(), func(i int64) time.Duration { return time.Duration(i) })
}

// anyBytesString draws strings that need not be valid UTF-8.
func anyBytesString() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
}

// anyMap draws maps. Empty ones are nil, as the codec returns them.
func anyMap() *rapid.Generator[map[string]string] {
	return rapid.Map(rapid.MapOf(anyBytesString(), anyBytesString()), func(m map[string]string) map[string]string {
		if len(m) == 0 {
			return nil
		}
		return m
	})
}

func anyID() *rapid.Generator[task.ID] {
	return rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) task.ID { return task.ID(b) })
}

func anyRetry() *rapid.Generator[task.Retry] {
	return rapid.Custom(func(t *rapid.T) task.Retry {
		return task.Retry{
			MaxAttempts: rapid.Uint32().Draw(t, "max attempts"),
			MinBackoff:  anyDuration().Draw(t, "min backoff"),
			MaxBackoff:  anyDuration().Draw(t, "max backoff"),
		}
	})
}

func anyWebhook() *rapid.Generator[*task.Webhook] {
	return rapid.Custom(func(t *rapid.T) *task.Webhook {
		if rapid.Bool().Draw(t, "pull") {
			return nil
		}
		return &task.Webhook{URL: anyBytesString().Draw(t, "url"), Headers: anyMap().Draw(t, "headers")}
	})
}

func anyTask() *rapid.Generator[*task.Task] {
	return rapid.Custom(func(t *rapid.T) *task.Task {
		return &task.Task{
			ID:        anyID().Draw(t, "id"),
			Queue:     anyBytesString().Draw(t, "queue"),
			Key:       anyBytesString().Draw(t, "key"),
			State:     rapid.SampledFrom(task.States[:]).Draw(t, "state"),
			Revision:  rapid.Uint64().Draw(t, "revision"),
			Attempt:   rapid.Uint32().Draw(t, "attempt"),
			Failures:  rapid.Uint32().Draw(t, "failures"),
			Due:       anyInstant().Draw(t, "due"),
			Expiry:    anyInstant().Draw(t, "expiry"),
			Next:      anyInstant().Draw(t, "next"),
			Created:   anyInstant().Draw(t, "created"),
			Updated:   anyInstant().Draw(t, "updated"),
			Fired:     anyInstant().Draw(t, "fired"),
			Finished:  anyInstant().Draw(t, "finished"),
			Nonce:     rapid.Uint64().Draw(t, "nonce"),
			RunBy:     rapid.Uint64().Draw(t, "run by"),
			Timeout:   anyDuration().Draw(t, "timeout"),
			Retention: anyDuration().Draw(t, "retention"),
			Retry:     anyRetry().Draw(t, "retry"),
			Size:      rapid.Uint32().Draw(t, "size"),
			Host:      anyBytesString().Draw(t, "host"),
			LastError: anyBytesString().Draw(t, "last error"),
			Output:    anyBytesString().Draw(t, "output"),

			Occurrence: anyInstant().Draw(t, "occurrence"),
			Missed:     rapid.Uint32().Draw(t, "missed"),
			Chained:    rapid.Bool().Draw(t, "chained"),
		}
	})
}

func anyBody() *rapid.Generator[*task.Body] {
	return rapid.Custom(func(t *rapid.T) *task.Body {
		return &task.Body{
			Payload:     append([]byte(nil), anyBytesString().Draw(t, "payload")...),
			ContentType: anyBytesString().Draw(t, "content type"),
			Metadata:    anyMap().Draw(t, "metadata"),
			Webhook:     anyWebhook().Draw(t, "webhook"),
			Traceparent: anyBytesString().Draw(t, "traceparent"),
		}
	})
}

func anyQueue() *rapid.Generator[*task.Queue] {
	return rapid.Custom(func(t *rapid.T) *task.Queue {
		return &task.Queue{
			Name:     anyBytesString().Draw(t, "name"),
			Revision: rapid.Uint64().Draw(t, "revision"),
			Paused:   rapid.Bool().Draw(t, "paused"),
			Defaults: task.Defaults{
				Webhook:   anyWebhook().Draw(t, "webhook"),
				Retry:     anyRetry().Draw(t, "retry"),
				Timeout:   anyDuration().Draw(t, "timeout"),
				Retention: anyDuration().Draw(t, "retention"),
			},
			Concurrency:    int(rapid.Int32().Draw(t, "concurrency")),
			SigningSecrets: append([]string(nil), rapid.SliceOf(anyBytesString()).Draw(t, "secrets")...),
		}
	})
}

func anySchedule() *rapid.Generator[*task.Schedule] {
	return rapid.Custom(func(t *rapid.T) *task.Schedule {
		return &task.Schedule{
			ID:        anyID().Draw(t, "id"),
			Queue:     anyBytesString().Draw(t, "queue"),
			Key:       anyBytesString().Draw(t, "key"),
			Revision:  rapid.Uint64().Draw(t, "revision"),
			Paused:    rapid.Bool().Draw(t, "paused"),
			Created:   anyInstant().Draw(t, "created"),
			Updated:   anyInstant().Draw(t, "updated"),
			Anchor:    anyInstant().Draw(t, "anchor"),
			Cursor:    anyInstant().Draw(t, "cursor"),
			Next:      anyInstant().Draw(t, "next"),
			Turn:      anyInstant().Draw(t, "turn"),
			Last:      anyInstant().Draw(t, "last"),
			Fired:     rapid.Uint64().Draw(t, "fired"),
			Triggered: rapid.Uint64().Draw(t, "triggered"),
			Missed:    rapid.Uint64().Draw(t, "missed"),
			Skipped:   rapid.Uint64().Draw(t, "skipped"),
			Queued:    append([]task.Instant(nil), rapid.SliceOf(anyInstant()).Draw(t, "queued")...),
			Zones:     anyBytesString().Draw(t, "zones"),
		}
	})
}

func anyPlan() *rapid.Generator[*task.Plan] {
	return rapid.Custom(func(t *rapid.T) *task.Plan {
		return &task.Plan{
			Rule:   append([]byte(nil), anyBytesString().Draw(t, "rule")...),
			Times:  rapid.Uint64().Draw(t, "times"),
			Jitter: anyDuration().Draw(t, "jitter"),
			Misfire: task.Misfire{
				Policy: task.MisfirePolicy(rapid.IntRange(0, len(task.MisfirePolicies)-1).Draw(t, "misfire policy")),
				Limit:  rapid.Uint32().Draw(t, "misfire limit"),
				Window: anyDuration().Draw(t, "window"),
				Grace:  anyDuration().Draw(t, "grace"),
			},
			Overlap:    task.Overlap(rapid.IntRange(0, len(task.Overlaps)-1).Draw(t, "overlap policy")),
			QueueLimit: rapid.Uint32().Draw(t, "queue limit"),
			Task: task.Spec{
				Payload:     append([]byte(nil), anyBytesString().Draw(t, "payload")...),
				ContentType: anyBytesString().Draw(t, "content type"),
				Metadata:    anyMap().Draw(t, "metadata"),
				Webhook:     anyWebhook().Draw(t, "webhook"),
				Traceparent: anyBytesString().Draw(t, "traceparent"),
				Timeout:     anyDuration().Draw(t, "timeout"),
				Retention:   anyDuration().Draw(t, "retention"),
				Retry:       anyRetry().Draw(t, "retry"),
			},
		}
	})
}

func anyToken() *rapid.Generator[task.Token] {
	return rapid.Custom(func(t *rapid.T) task.Token {
		return task.Token{
			Queue:   anyBytesString().Draw(t, "queue"),
			Key:     anyBytesString().Draw(t, "key"),
			Attempt: rapid.Uint32().Draw(t, "attempt"),
			Nonce:   rapid.Uint64().Draw(t, "nonce"),
		}
	})
}
