package task_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// TestPolicies are the same for a task and for the defaults of a queue.
func TestPolicies(t *testing.T) {
	for _, tc := range []struct {
		name string
		d    task.Defaults
		want string
	}{
		{"all open", task.Defaults{}, ""},

		{"the longest timeout", task.Defaults{Timeout: task.MaxTimeout}, ""},
		{"the shortest timeout", task.Defaults{Timeout: 1}, ""},
		{"a longer timeout", task.Defaults{Timeout: task.MaxTimeout + 1}, "timeout must be from 0s to 24h0m0s, got 24h0m0.000000001s"},
		{"a negative timeout", task.Defaults{Timeout: -1}, "timeout must be from 0s to 24h0m0s, got -1ns"},

		{"the longest retention", task.Defaults{Retention: task.MaxRetention}, ""},
		{"no retention", task.Defaults{Retention: -1}, ""},
		{"the most negative retention", task.Defaults{Retention: math.MinInt64}, ""},
		{"a longer retention", task.Defaults{Retention: task.MaxRetention + 1}, "retention must be from 0s to 87600h0m0s, got 87600h0m0.000000001s"},

		{"the longest backoffs", task.Defaults{Retry: task.Retry{MinBackoff: task.MaxBackoff, MaxBackoff: task.MaxBackoff}}, ""},
		{"min backoff alone", task.Defaults{Retry: task.Retry{MinBackoff: task.MaxBackoff}}, ""},
		{"a longer min backoff", task.Defaults{Retry: task.Retry{MinBackoff: task.MaxBackoff + 1}}, "retry.min_backoff must be from 0s to 720h0m0s, got"},
		{"a negative min backoff", task.Defaults{Retry: task.Retry{MinBackoff: -1}}, "retry.min_backoff must be from 0s to 720h0m0s, got -1ns"},
		{"a longer max backoff", task.Defaults{Retry: task.Retry{MaxBackoff: task.MaxBackoff + 1}}, "retry.max_backoff must be from 0s to 720h0m0s, got"},
		{"a max backoff under the min", task.Defaults{Retry: task.Retry{MinBackoff: 2, MaxBackoff: 1}}, "retry.max_backoff must not be under retry.min_backoff, 2ns"},

		{"the most attempts", task.Defaults{Retry: task.Retry{MaxAttempts: task.MaxAttempts}}, ""},
		{"one attempt", task.Defaults{Retry: task.Retry{MaxAttempts: 1}}, ""},
		{"more attempts", task.Defaults{Retry: task.Retry{MaxAttempts: task.MaxAttempts + 1}}, "retry.max_attempts must not be over 10000, got 10001"},
	} {
		checkChanges(t, []change{{tc.name, func(s *task.Spec) {
			s.Timeout, s.Retention, s.Retry = tc.d.Timeout, tc.d.Retention, tc.d.Retry
		}, tc.want}})
		checkFaults(t, tc.name, (&task.Queue{Name: "q", Defaults: tc.d}).Validate(), tc.want)
	}
}

func TestQueueSettings(t *testing.T) {
	secret := func(n int) string { return task.NewSecret(make([]byte, n)) }
	const badSecret = `signing_secrets must be "whsec_" and 24 to 64 bytes in base64, as Standard Webhooks has it`
	for _, tc := range []struct {
		name        string
		concurrency int
		secrets     []string
		want        string
	}{
		{"nothing", 0, nil, ""},
		{"the highest concurrency", 10_000, nil, ""},
		{"a higher one", 10_001, nil, "concurrency must be from 0 (the default) to 10000, got 10001"},
		{"a negative one", -1, nil, "concurrency must be from 0 (the default) to 10000, got -1"},
		{"two secrets, the shortest and the longest", 0, []string{secret(24), secret(64)}, ""},
		{"that of the specification", 0, []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, ""},
		{"three secrets", 0, []string{secret(24), secret(24), secret(24)}, "signing_secrets can be two at most"},
		{"too short", 0, []string{secret(23)}, badSecret},
		{"too long", 0, []string{secret(65)}, badSecret},
		{"empty", 0, []string{""}, badSecret},
		{"without prefix", 0, []string{strings.TrimPrefix(secret(24), "whsec_")}, badSecret},
		{"with the prefix of a public key", 0, []string{"whpk_" + strings.TrimPrefix(secret(24), "whsec_")}, badSecret},
		{"URL-safe base64", 0, []string{"whsec_" + base64.URLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 24)))}, badSecret},
	} {
		err := (&task.Queue{Name: "q", Concurrency: tc.concurrency, SigningSecrets: tc.secrets}).Validate()
		checkFaults(t, tc.name, err, tc.want)
		for _, s := range tc.secrets {
			if err != nil && s != "" && strings.Contains(err.Error(), s) {
				t.Errorf("%s: the error shows the secret", tc.name)
			}
		}
	}
}

func TestNewSecretHoldsItsBytes(t *testing.T) {
	random := []byte("0123456789abcdefghijklmn")
	s := task.NewSecret(random)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, task.SecretPrefix))
	if err != nil || !bytes.Equal(raw, random) {
		t.Errorf("%s holds %q, %v", s, raw, err)
	}
}

// TestAllFaultsAtOnce: whoever sends a request wants to mend it in one go.
func TestAllFaultsAtOnce(t *testing.T) {
	s := task.Spec{
		Queue: "a b", Key: "\n", Due: noon, Delay: 1, Payload: make([]byte, maxPayload+1), ContentType: "x",
		Metadata: map[string]string{"": ""}, Webhook: &task.Webhook{URL: "x", Headers: map[string]string{"Host": ""}},
		Traceparent: " ", Timeout: -1, Retention: math.MaxInt64,
		Retry: task.Retry{MaxAttempts: math.MaxUint32, MinBackoff: -1, MaxBackoff: -1},
	}
	want := []string{
		"queue", "key", "delay", "payload", "content_type", "metadata", "webhook.url", "webhook.headers", "traceparent",
		"timeout", "retention", "retry.min_backoff", "retry.max_backoff", "retry.max_attempts",
	}
	err := s.Validate(maxPayload)
	var faults task.Invalid
	if !errors.As(err, &faults) {
		t.Fatalf("%v", err)
	}
	found := map[string]bool{}
	for _, f := range faults {
		found[f.Field] = true
		if !strings.Contains(err.Error(), f.Field+" "+f.Reason) {
			t.Errorf("the error does not tell of %+v", f)
		}
	}
	for _, field := range want {
		if !found[field] {
			t.Errorf("nothing is said about %s", field)
		}
		delete(found, field)
	}
	if len(found) > 0 || strings.Count(err.Error(), "; ") != len(faults)-1 {
		t.Errorf("faults beside those expected: %v, in %v", found, err)
	}
}

// TestLongInputMakesShortFaults, so that an answer is not longer than its request.
func TestLongInputMakesShortFaults(t *testing.T) {
	long := strings.Repeat("é \x00", 1<<20)
	s := task.Spec{
		Queue: long, Key: long, ContentType: long, Metadata: map[string]string{long: long}, Traceparent: long,
		Webhook: &task.Webhook{URL: long, Headers: map[string]string{long: long}}, Delay: time.Second,
	}
	if err := s.Validate(maxPayload); len(err.Error()) > 4000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}
