package webhook_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

const (
	otherSecret     = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorTimestamp = "1614265330"
	vectorPayload   = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestSignatureIsThatOfTheSpecification(t *testing.T) {
	got, err := webhook.Sign([]string{vectorSecret}, vectorID, vectorTimestamp, []byte(vectorPayload))
	if err != nil || got != vectorSignature {
		t.Errorf("signature %q, %v, want %q", got, err, vectorSignature)
	}
}

func TestSignatureWithTwoSecrets(t *testing.T) {
	got, err := webhook.Sign([]string{otherSecret, vectorSecret}, vectorID, vectorTimestamp, []byte(vectorPayload))
	parts := strings.Split(got, " ")
	if err != nil || len(parts) != 2 || parts[1] != vectorSignature || !strings.HasPrefix(parts[0], "v1,") || parts[0] == parts[1] {
		t.Errorf("signatures %q, %v, want two, the second %q", got, err, vectorSignature)
	}
}

// TestReceiverVerifies checks what arrives with the reference library, as a
// receiver would, with either secret.
func TestReceiverVerifies(t *testing.T) {
	receiver, got := recording(t)
	lease := leaseFor(receiver.URL)
	lease.Task.Fired = task.FloorInstant(time.Now()) // the library refuses old requests
	lease.Task.Body.Payload = []byte{0, 0xff, '\n', '%', 's'}
	newDeliverer(t, webhook.Options{}).Push(t.Context(), lease, []string{vectorSecret, otherSecret})
	r := <-got
	for _, secret := range []string{vectorSecret, otherSecret} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify([]byte(r.body), r.header); err != nil {
			t.Errorf("with secret %s: %v", secret, err)
		}
		if verifier.Verify([]byte(r.body+"x"), r.header) == nil {
			t.Error("a changed body passes")
		}
		later := r.header.Clone()
		later.Set("Webhook-Id", task.ID{}.String())
		if verifier.Verify([]byte(r.body), later) == nil {
			t.Error("a changed id passes")
		}
	}
}

func TestBrokenSecretFailsWithoutBeingShown(t *testing.T) {
	receiver := answering(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	o := newDeliverer(t, webhook.Options{}).Push(t.Context(), leaseFor(receiver.URL), []string{vectorSecret, "whsec_se cret"})
	if o.Verdict != task.Failed || !strings.Contains(o.Error, "secret 2") || strings.Contains(o.Error, "cret\"") || strings.Contains(o.Error, "se cret") {
		t.Errorf("outcome %+v, want a failure that names the second secret and does not show it", o)
	}
}
