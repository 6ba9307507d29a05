package webhook_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

// TestConnectionsAreUsedAgain counts the connections that a receiver sees.
func TestConnectionsAreUsedAgain(t *testing.T) {
	const attempts = 20
	for _, tc := range []struct {
		name        string
		status      int
		answer      int  // bytes
		chunked     bool // the receiver does not say how many
		connections int64
	}{
		{"no body", 204, 0, false, 1},
		{"a small one", 200, 100, false, 1},
		{"a small one of a failure", 500, 100, false, 1},
		{"one longer than is quoted", 500, 5000, false, 1},
		{"redirects", 302, 100, false, 1},
		{"as long as is read", 200, webhook.MaxAnswer, false, 1},
		{"as long as is read, in chunks", 200, webhook.MaxAnswer, true, 1},
		{"as long as is read, of a failure", 500, webhook.MaxAnswer, true, 1},
		{"longer than is read", 200, webhook.MaxAnswer + 2, true, attempts},
		{"endless", 500, 1 << 20, true, attempts},
	} {
		t.Run(tc.name, func(t *testing.T) {
			receiver, connections := counting(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				if tc.chunked {
					w.(http.Flusher).Flush()
				}
				_, _ = w.Write(make([]byte, tc.answer)) // the sender may have hung up
			})
			d := newDeliverer(t, webhook.Options{})
			for range attempts {
				if o := d.Push(t.Context(), leaseFor(receiver.URL), nil); (o.Verdict == task.Succeeded) != (tc.status < 300) {
					t.Fatalf("outcome %+v", o)
				}
			}
			if n := connections.Load(); n != tc.connections {
				t.Errorf("%d attempts made %d connections, want %d", attempts, n, tc.connections)
			}
		})
	}
}

// TestConnectionsStayAsManyAsAttemptsAtOnce runs 32 at a time.
func TestConnectionsStayAsManyAsAttemptsAtOnce(t *testing.T) {
	const atOnce, each = 32, 25
	var requests atomic.Int64
	receiver, connections := counting(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	d := newDeliverer(t, webhook.Options{MaxIdlePerHost: atOnce})
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for range each {
				if o := d.Push(t.Context(), leaseFor(receiver.URL), nil); o.Verdict != task.Succeeded {
					t.Errorf("outcome %+v", o)
				}
			}
		})
	}
	all.Wait()
	// A connection that is on its way when another comes free is kept as well,
	// so there can be a few more than attempts at once.
	if n := connections.Load(); n > 2*atOnce || requests.Load() != atOnce*each {
		t.Errorf("%d connections for %d requests, %d at once", n, requests.Load(), atOnce)
	}
}

// TestIdleConnectionsClose just before receivers do.
func TestIdleConnectionsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var open time.Duration
		d := newDeliverer(t, webhook.Options{})
		d.DialWith(memoryNet(func(conn net.Conn) {
			saying(0, "HTTP/1.1 204 No Content\r\n\r\n")(conn)
			open = time.Since(began)
		}))
		if o := d.Push(t.Context(), leaseFor("http://receiver.test/"), nil); o.Verdict != task.Succeeded {
			t.Fatalf("outcome %+v", o)
		}
		time.Sleep(webhook.IdleTimeout + 1)
		synctest.Wait()
		if open != webhook.IdleTimeout {
			t.Errorf("the connection was open for %s, want %s", open, webhook.IdleTimeout)
		}
	})
}

// TestCloseClosesIdleConnections is judged by goleak, too.
func TestCloseClosesIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		d := webhook.New(webhook.Options{})
		d.DialWith(memoryNet(func(conn net.Conn) {
			saying(0, "HTTP/1.1 204 No Content\r\n\r\n")(conn)
			close(closed)
		}))
		d.Push(t.Context(), leaseFor("http://receiver.test/"), nil)
		began := time.Now()
		d.Close()
		<-closed
		if waited := time.Since(began); waited != 0 {
			t.Errorf("closed after %s", waited)
		}
	})
}

// TestRequestThatMayHaveArrivedIsNotRepeated: the receiver keeps the connection
// open after one request, reads the second and hangs up. Package http would send
// that one again if it took it for idempotent.
func TestRequestThatMayHaveArrivedIsNotRepeated(t *testing.T) {
	for _, payload := range []string{"", "payload"} {
		for _, header := range []string{"X-Other", "Idempotency-Key", "x-idempotency-key"} {
			var requests atomic.Int64
			d := newDeliverer(t, webhook.Options{})
			d.DialWith(memoryNet(func(conn net.Conn) {
				defer func() { _ = conn.Close() }() // a pipe closes without error
				r := bufio.NewReader(conn)
				for n := range 2 {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					if body, err := io.ReadAll(req.Body); err != nil || string(body) != payload || req.Header.Get(header) != "k" {
						t.Errorf("got %q with %q, %v", body, req.Header, err)
					}
					requests.Add(1)
					if n == 0 {
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") // seen by the outcome
					}
				}
			}))
			lease := leaseFor("http://receiver.test/")
			lease.Task.Body.Payload = []byte(payload)
			lease.Task.Body.Webhook.Headers = map[string]string{header: "k"}
			first := d.Push(t.Context(), lease, nil)
			second := d.Push(t.Context(), lease, nil)
			if first.Verdict != task.Succeeded || second.Verdict != task.Failed || requests.Load() != 2 {
				t.Errorf("with %s and %q: %+v, then %+v, and %d requests, want 2", header, payload, first, second, requests.Load())
			}
		}
	}
}

func TestHTTP2(t *testing.T) {
	got := make(chan received, 1)
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- record(r) }))
	receiver.EnableHTTP2 = true
	receiver.StartTLS()
	t.Cleanup(receiver.Close)
	roots := x509.NewCertPool()
	roots.AddCert(receiver.Certificate())
	d := newDeliverer(t, webhook.Options{TLS: &tls.Config{RootCAs: roots}})
	if o := d.Push(t.Context(), leaseFor(receiver.URL), []string{vectorSecret}); o.Verdict != task.Succeeded {
		t.Fatalf("outcome %+v", o)
	}
	if r := <-got; r.proto != "HTTP/2.0" || r.body != `{"order":42}` || r.header.Get("Timewheel-Attempt") != "3" || r.header.Get("Webhook-Signature") == "" {
		t.Errorf("got %+v", r)
	}
}

func TestUnknownCertificateFails(t *testing.T) {
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") }))
	receiver.Config.ErrorLog = log.New(io.Discard, "", 0)
	receiver.StartTLS()
	t.Cleanup(receiver.Close)
	o := newDeliverer(t, webhook.Options{}).Push(t.Context(), leaseFor(receiver.URL), nil)
	if o.Verdict != task.Failed || !strings.Contains(o.Error, "certificate") {
		t.Errorf("outcome %+v, want a failure over the certificate", o)
	}
}

func TestNobodyListens(t *testing.T) {
	receiver := httptest.NewServer(http.NotFoundHandler())
	receiver.Close()
	o := newDeliverer(t, webhook.Options{}).Push(context.Background(), leaseFor(receiver.URL), nil)
	if o.Verdict != task.Failed || !strings.Contains(o.Error, "refused") {
		t.Errorf("outcome %+v, want a refused connection", o)
	}
}
