package task

import (
	"strings"
	"time"
)

// occurrenceForm is how the key of an occurrence names its instant: RFC 3339 in
// UTC, with as much of the second's fraction as it takes.
const occurrenceForm = "2006-01-02T15:04:05.999999Z"

// MaxScheduleKeyLen leaves room for the instant in the keys of occurrences.
const MaxScheduleKeyLen = MaxKeyLen - 1 - len(occurrenceForm)

// OccurrenceKey returns the key of the task that a schedule's occurrence
// becomes: schedule@2026-11-21T09:00:00Z. The instant is the one that the
// recurrence names, without jitter and lateness, so an occurrence has one key
// however often it is worked out.
func OccurrenceKey(schedule string, at Instant) string {
	return schedule + "@" + at.Time().Format(occurrenceForm)
}

// CutOccurrence is the inverse of OccurrenceKey. A key that is none of an
// occurrence comes back whole, with ok false.
func CutOccurrence(key string) (schedule string, at Instant, ok bool) {
	n := rootLen(key)
	if n == len(key) {
		return key, 0, false
	}
	t, err := time.Parse(occurrenceForm, key[n+1:])
	if err != nil || OccurrenceKey(key[:n], FloorInstant(t)) != key {
		return key, 0, false
	}
	return key[:n], FloorInstant(t), true
}

// rootLen returns the length of key without "@" and an instant at its end. It
// goes by the shape alone, digits for digits, since it is part of every
// lookup: what is no instant, such as a 13th month, is cut off too.
func rootLen(key string) int {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(key) <= shortest || key[len(key)-1] != 'Z' {
		return len(key)
	}
	at := strings.LastIndexByte(key[max(0, len(key)-len(occurrenceForm)-1):], '@')
	if at < 0 {
		return len(key)
	}
	at += max(0, len(key)-len(occurrenceForm)-1)
	if text := key[at+1:]; at == 0 || !likeInstant(text) {
		return len(key)
	}
	return at
}

// likeInstant reports whether s has the shape of occurrenceForm.
func likeInstant(s string) bool {
	const whole = "0000-00-00T00:00:00"
	if len(s) <= len(whole) || len(s) == len(whole)+len(".Z") {
		return false
	}
	for i := range len(s) - 1 {
		shape := byte('0')
		switch {
		case i < len(whole):
			shape = whole[i]
		case i == len(whole):
			shape = '.'
		}
		if s[i] != shape && (shape != '0' || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s[len(s)-1] == 'Z'
}
