package webhook_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

// TestMain sets a proxy that does not work, before package http looks, which it
// does only once.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		if err := os.Setenv(name, "http://127.0.0.1:1"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// vectorSecret is the secret of the specification's published test vector.
const vectorSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var (
	fired = time.Date(2026, 5, 1, 12, 0, 0, 250_000_000, time.UTC)
	due   = time.Date(2026, 5, 1, 11, 59, 59, 999_999_000, time.UTC)
)

// leaseFor is an attempt at a task with a webhook to url.
func leaseFor(url string) task.Lease {
	return task.Lease{
		Task: &task.Task{
			ID:      task.ID{0x01, 0x90, 0x4b, 0x3c, 0x5d, 0x6e, 0x7f, 0x80, 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8},
			Queue:   "orders",
			Key:     "42",
			State:   task.Leased,
			Attempt: 3,
			Due:     task.CeilInstant(due),
			Fired:   task.FloorInstant(fired),
			Timeout: 30 * time.Second,
			Body:    &task.Body{Payload: []byte(`{"order":42}`), Webhook: &task.Webhook{URL: url}},
		},
		Epoch: 7,
	}
}

// newDeliverer returns a Deliverer that is closed at the end of the test.
func newDeliverer(t testing.TB, o webhook.Options) *webhook.Deliverer {
	d := webhook.New(o)
	t.Cleanup(d.Close)
	return d
}

// answering returns a receiver that does what h says.
func answering(t testing.TB, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// received is what a receiver saw of one request.
type received struct {
	method, host, uri, proto string
	header                   http.Header
	body                     string
}

// recording returns a receiver that answers 204 and hands over what it got.
func recording(t testing.TB) (*httptest.Server, <-chan received) {
	got := make(chan received, 1)
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		got <- record(r)
		w.WriteHeader(http.StatusNoContent)
	}), got
}

func record(r *http.Request) received {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		body = []byte("unreadable: " + err.Error())
	}
	return received{r.Method, r.Host, r.RequestURI, r.Proto, r.Header, string(body)}
}

// counting returns a receiver that counts the connections made to it.
func counting(t testing.TB, h http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	var connections atomic.Int64
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, &connections
}

// memoryNet is a network of pipes, for use in a bubble: each dial is handed to
// serve as the receiver's end.
func memoryNet(serve func(conn net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go serve(theirs)
		return ours, nil
	}
}

// saying is a receiver that waits for a request, or what comes of it first, and
// then writes the given parts, pausing before each but the first, until it is
// hung up on.
func saying(pause time.Duration, parts ...string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := conn.Read(make([]byte, 4096)); err != nil {
			return
		}
		hungUp := make(chan struct{})
		go func() {
			defer close(hungUp)
			_, _ = io.Copy(io.Discard, conn) // ends with the connection, however that does
		}()
		for i, part := range parts {
			if i > 0 {
				select {
				case <-time.After(pause):
				case <-hungUp:
				}
			}
			if _, err := io.WriteString(conn, part); err != nil {
				break
			}
		}
		<-hungUp
		_ = conn.Close() // a pipe closes without error
	}
}

// resolvingTo is a resolver whose name server says that every name is a.
func resolvingTo(a netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go serveNames(theirs, a)
		return ours, nil
	}}
}

// serveNames answers DNS questions (RFC 1035) in the form for streams: for
// addresses of IPv4 with a, for all others with nothing.
func serveNames(conn net.Conn, a netip.Addr) {
	defer func() { _ = conn.Close() }() // a pipe closes without error
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer := answerTo(question, a)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func answerTo(question []byte, a netip.Addr) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the root label, type, class
	answer := append([]byte(nil), question[:end]...)
	copy(answer[2:12], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}) // an answer, without error
	if binary.BigEndian.Uint16(question[end-4:]) == 1 {            // type A
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		answer = append(answer, a.AsSlice()...)
	}
	return answer
}
