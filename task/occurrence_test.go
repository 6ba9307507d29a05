package task_test

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/task"
)

func TestOccurrenceKeys(t *testing.T) {
	at := func(nanos int) task.Instant {
		return task.FloorInstant(time.Date(2026, 11, 21, 9, 0, 0, nanos, time.UTC))
	}
	for _, tc := range []struct {
		schedule string
		at       task.Instant
		want     string
	}{
		{"report", at(0), "report@2026-11-21T09:00:00Z"},
		{"report", at(1_000), "report@2026-11-21T09:00:00.000001Z"},
		{"report", at(120_000_000), "report@2026-11-21T09:00:00.12Z"},
		{"größe/42", at(0), "größe/42@2026-11-21T09:00:00Z"},
		{"a@b", at(0), "a@b@2026-11-21T09:00:00Z"},
		{"@", at(0), "@@2026-11-21T09:00:00Z"},
		{"k", 1, "k@1970-01-01T00:00:00.000001Z"},
		{"k", task.MaxInstant, "k@9999-12-31T23:59:59Z"},
	} {
		if got := task.OccurrenceKey(tc.schedule, tc.at); got != tc.want {
			t.Errorf("%q at %d: %q, want %q", tc.schedule, tc.at, got, tc.want)
		}
		if schedule, at, ok := task.CutOccurrence(tc.want); schedule != tc.schedule || at != tc.at || !ok {
			t.Errorf("%q is cut to %q, %d, %v", tc.want, schedule, at, ok)
		}
	}
}

// TestOtherKeysAreNoOccurrences: what no recurrence would have written, be it
// another way to write the same instant, comes back whole.
func TestOtherKeysAreNoOccurrences(t *testing.T) {
	for _, key := range []string{
		"", "report", "@", "report@", "@2026-11-21T09:00:00Z", "2026-11-21T09:00:00Z", "report 2026-11-21T09:00:00Z",
		"report@2026-11-21", "report@2026-11-21T09:00:00", "report@2026-11-21T09:00:00z", "report@2026-11-21t09:00:00Z",
		"report@2026-11-21T09:00:00+01:00", "report@2026-11-21T09:00:00.Z", "report@2026-11-21T09:00:00,5Z",
		"report@2026-11-21T09:00:00.10Z", "report@2026-11-21T09:00:00.000000Z", "report@2026-11-21T09:00:00.1234567Z",
		"report@2026-13-21T09:00:00Z", "report@2026-02-30T09:00:00Z", "report@2026-11-21T24:00:00Z", "report@2026-11-21T09:00:60Z",
		"report@ 2026-11-21T09:00:00Z", "report@2026-11-21T09:00:00Z ", "report@12026-11-21T09:00:00Z", "report@-026-11-21T09:00:00Z",
		"report@2026-11-21T09:00:00Z@", "report@2026-11-21T09:00:00Z/retry",
	} {
		if schedule, at, ok := task.CutOccurrence(key); schedule != key || at != 0 || ok {
			t.Errorf("%q is cut to %q, %d, %v", key, schedule, at, ok)
		}
	}
}

func TestOccurrenceKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schedule := rapid.OneOf(rapid.StringN(1, 40, -1), anyKeyLikeAnOccurrence()).Draw(t, "schedule")
		at := task.Instant(rapid.Int64Range(1, int64(task.MaxInstant)).Draw(t, "at"))
		got, gotAt, ok := task.CutOccurrence(task.OccurrenceKey(schedule, at))
		if got != schedule || gotAt != at || !ok {
			t.Fatalf("cut to %q, %d, %v", got, gotAt, ok)
		}
	})
}

// TestOccurrenceKeysFit: the longest key of a schedule leaves room for every
// instant.
func TestOccurrenceKeysFit(t *testing.T) {
	schedule := strings.Repeat("k", task.MaxScheduleKeyLen)
	if n := len(task.OccurrenceKey(schedule, task.MaxInstant-1)); n != task.MaxKeyLen {
		t.Errorf("the longest key has %d bytes, want %d", n, task.MaxKeyLen)
	}
}

// anyKeyLikeAnOccurrence draws keys that are ones of occurrences, or nearly.
func anyKeyLikeAnOccurrence() *rapid.Generator[string] {
	bytes := []rune("0123456789-T:.Z@ é")
	return rapid.Custom(func(t *rapid.T) string {
		at := task.Instant(rapid.Int64Range(1, int64(task.MaxInstant)).Draw(t, "at"))
		if rapid.Bool().Draw(t, "whole second") {
			at -= at%1_000_000 - 1_000_000
		}
		key := []rune(task.OccurrenceKey(rapid.StringN(1, 5, -1).Draw(t, "schedule"), min(at, task.MaxInstant)))
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			i := rapid.IntRange(0, len(key)-1).Draw(t, "place")
			switch rapid.IntRange(0, 2).Draw(t, "change") {
			case 0:
				key[i] = rapid.SampledFrom(bytes).Draw(t, "byte")
			case 1:
				key = append(key[:i], key[i+1:]...)
			case 2:
				key = append(key[:i], append([]rune{rapid.SampledFrom(bytes).Draw(t, "byte")}, key[i:]...)...)
			}
		}
		return string(key)
	})
}

// instantAtEnd is what the shard of a key does not heed, as docs/internals/formats.md
// has it.
var instantAtEnd = regexp.MustCompile(`(?s)^(.+)@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$`)

// TestShardsHeedNoInstantAtTheEnd, and all other bytes.
func TestShardsHeedNoInstantAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queue, key := anyBytesString().Draw(t, "queue"), anyKeyLikeAnOccurrence().Draw(t, "key")
		root := key
		if m := instantAtEnd.FindStringSubmatch(key); m != nil {
			root = m[1]
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%s\x00%s", queue, root)
		if got, want := task.Shard(queue, key, 1<<20), int(h.Sum64()%(1<<20)); got != want {
			t.Fatalf("%q: %d, want %d", key, got, want)
		}
	})
}

// TestOccurrencesAreInTheirSchedulesShard: one commit writes both.
func TestOccurrencesAreInTheirSchedulesShard(t *testing.T) {
	for i := range 1000 {
		schedule := fmt.Sprint("poll-", i)
		for j := range 100 {
			key := task.OccurrenceKey(schedule, task.Instant(1_800_000_000_000_000+j*999_999))
			if got, want := task.Shard("q", key, 64), task.Shard("q", schedule, 64); got != want {
				t.Fatalf("%q is in shard %d, its schedule in %d", key, got, want)
			}
		}
	}
}

func FuzzCutOccurrence(f *testing.F) {
	f.Add("report@2026-11-21T09:00:00.12Z")
	f.Add("report@2026-02-30T09:00:00Z")
	f.Fuzz(func(t *testing.T, key string) {
		schedule, at, ok := task.CutOccurrence(key)
		switch {
		case !ok && (schedule != key || at != 0):
			t.Errorf("%q is none and is cut to %q, %d", key, schedule, at)
		case ok && (schedule == "" || task.OccurrenceKey(schedule, at) != key):
			t.Errorf("%q is cut to %q, %d, which is %q", key, schedule, at, task.OccurrenceKey(schedule, at))
		case ok && task.Shard("q", schedule, 4096) != task.Shard("q", key, 4096) && !instantAtEnd.MatchString(schedule):
			t.Errorf("%q is not in the shard of %q", key, schedule)
		}
	})
}
