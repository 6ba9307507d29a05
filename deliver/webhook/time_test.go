package webhook_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

// pushOver runs one attempt of at most timeout against a receiver at the other
// end of a pipe, and returns its outcome and how long it took. It is for bubbles.
func pushOver(t *testing.T, receiver func(net.Conn), timeout time.Duration) (task.Outcome, time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	return pushIn(ctx, t, receiver, "http://receiver.test/", timeout)
}

func pushIn(ctx context.Context, t *testing.T, receiver func(net.Conn), url string, timeout time.Duration) (task.Outcome, time.Duration) {
	d := newDeliverer(t, webhook.Options{})
	d.DialWith(memoryNet(receiver))
	lease := leaseFor(url)
	lease.Task.Timeout = timeout
	began := time.Now()
	o := d.Push(ctx, lease, nil)
	return o, time.Since(began)
}

func TestNoAnswerInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, took := pushOver(t, saying(0), 30*time.Second)
		if o != (task.Outcome{Verdict: task.Failed, Error: "no answer within 30s"}) || took != 30*time.Second {
			t.Errorf("outcome %+v after %s", o, took)
		}
	})
}

// TestAnswerAtTheLastMoment is answered one nanosecond before the attempt's time
// is up, and one after.
func TestAnswerAtTheLastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause = time.Second
		o, _ := pushOver(t, saying(pause, "HTTP/1.1 204 ", "No Content\r\n\r\n"), pause+1)
		if o.Verdict != task.Succeeded {
			t.Errorf("in time: outcome %+v", o)
		}
		o, _ = pushOver(t, saying(pause, "HTTP/1.1 204 ", "No Content\r\n\r\n"), pause-1)
		if o.Verdict != task.Failed || o.Error != "no answer within 999.999999ms" {
			t.Errorf("too late: outcome %+v", o)
		}
	})
}

// TestCalledOffAttemptIsReleased: the scheduler stops, which is not the
// receiver's fault and costs no attempt.
func TestCalledOffAttemptIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		time.AfterFunc(5*time.Second, cancel)
		o, took := pushIn(ctx, t, saying(0), "http://receiver.test/", 30*time.Second)
		if o != (task.Outcome{Verdict: task.Released}) || took != 5*time.Second {
			t.Errorf("outcome %+v after %s", o, took)
		}
		o, took = pushIn(ctx, t, saying(0), "http://receiver.test/", 30*time.Second)
		if o != (task.Outcome{Verdict: task.Released}) || took != 0 {
			t.Errorf("begun after the end: outcome %+v after %s", o, took)
		}
	})
}

// TestEndlessAnswer: the verdict is in the status, and the rest of the answer
// neither changes it nor holds up the attempt.
func TestEndlessAnswer(t *testing.T) {
	drip := make([]string, 1000)
	for i := range drip {
		drip[i] = "1\r\nx\r\n"
	}
	for status, want := range map[string]task.Verdict{"200 OK": task.Succeeded, "500 No": task.Failed, "410 Gone": task.Refused} {
		synctest.Test(t, func(t *testing.T) {
			drip[0] = "HTTP/1.1 " + status + "\r\nTransfer-Encoding: chunked\r\n\r\n"
			o, took := pushOver(t, saying(100*time.Millisecond, drip...), 30*time.Second)
			if o.Verdict != want || took != webhook.AnswerTime {
				t.Errorf("%s: outcome %+v after %s, want verdict %d after %s", status, o, took, want, webhook.AnswerTime)
			}
		})
	}
}

// TestTimeIsUpDuringTheBody: the status has come, so the outcome stands.
func TestTimeIsUpDuringTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, took := pushOver(t, saying(time.Hour, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", "rest"), time.Second)
		if o != (task.Outcome{Verdict: task.Succeeded}) || took != time.Second {
			t.Errorf("outcome %+v after %s", o, took)
		}
	})
}

func TestSilentTLSEndsBeforeTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		o, took := pushIn(ctx, t, saying(0), "https://receiver.test/", time.Minute)
		if o.Verdict != task.Failed || !strings.Contains(o.Error, "TLS handshake timeout") || took != webhook.TLSTimeout {
			t.Errorf("outcome %+v after %s", o, took)
		}
	})
}

// TestBrokenAnswers are failures that say what was wrong.
func TestBrokenAnswers(t *testing.T) {
	for name, tc := range map[string]struct{ says, want string }{
		"not HTTP":         {"SSH-2.0-x\r\n\r\n", "malformed HTTP"},
		"endless head":     {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 100_000), "headers exceeded"},
		"other protocol":   {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "101 Switching Protocols"},
		"early hints only": {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 10_000), "exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, _ := pushOver(t, saying(0, tc.says), 30*time.Second)
				if o.Verdict != task.Failed || !strings.Contains(o.Error, tc.want) {
					t.Errorf("outcome %+v, want a failure with %q", o, tc.want)
				}
			})
		})
	}
}

func TestReceiverThatHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangUp := func(conn net.Conn) {
			var head [1024]byte
			if _, err := conn.Read(head[:]); err != nil {
				panic(err)
			}
			if err := conn.Close(); err != nil {
				panic(err)
			}
		}
		o, _ := pushOver(t, hangUp, 30*time.Second)
		if o != (task.Outcome{Verdict: task.Failed, Error: "no answer: the receiver closed the connection"}) {
			t.Errorf("outcome %+v", o)
		}
	})
}

// TestConnectingHasALimitOfItsOwn, whose error must not pass for the attempt's:
// the two are told apart by what the operator has to look at.
func TestConnectingHasALimitOfItsOwn(t *testing.T) {
	d := newDeliverer(t, webhook.Options{})
	d.DialWith(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	})
	o := d.Push(t.Context(), leaseFor("http://receiver.test/"), nil)
	if o != (task.Outcome{Verdict: task.Failed, Error: "no answer: dial tcp: context deadline exceeded"}) {
		t.Errorf("outcome %+v", o)
	}
}
