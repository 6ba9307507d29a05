package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/memstore"
)

var update = flag.Bool("update", false, "write the golden files anew")

// door is the handler over a real scheduler on the oracle store.
type door struct {
	http.Handler
	*scheduler.Scheduler
	t *testing.T
}

// bubble runs f with a door in a bubble, where time stands still unless all
// wait.
func bubble(t *testing.T, o api.Options, f func(t *testing.T, d *door)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := scheduler.Open(t.Context(), memstore.New(4), scheduler.Options{Node: "test", Clock: &clock.Fake{}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		if o.Log == nil {
			o.Log = slog.New(slog.DiscardHandler)
		}
		f(t, &door{api.New(s, o), s, t})
	})
}

// answer is a response that was read.
type answer struct {
	*httptest.ResponseRecorder
	t *testing.T
}

// do sends a request. Headers are "Name: value".
func (d *door) do(method, target, body string, headers ...string) answer {
	d.t.Helper()
	return answer{serve(d, method, target, body, headers...), d.t}
}

func serve(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// must fails the test unless the answer has the status.
func (a answer) must(status int) answer {
	a.t.Helper()
	if a.Code != status {
		a.t.Fatalf("status %d, want %d: %s", a.Code, status, a.Body)
	}
	return a
}

// read reads the answer's JSON.
func read[T any](a answer) (v T) {
	a.t.Helper()
	if err := json.Unmarshal(a.Body.Bytes(), &v); err != nil {
		a.t.Fatalf("%v in %s", err, a.Body)
	}
	return v
}

// problem reads the answer's problem and checks that it is whole.
func (a answer) problem(status int, code wire.ProblemCode) wire.Problem {
	a.t.Helper()
	a.must(status)
	if got := a.Header().Get("Content-Type"); got != "application/problem+json" {
		a.t.Errorf("content type %q", got)
	}
	p := read[wire.Problem](a)
	if p.Code != code || p.Status != status || p.Type != "urn:timewheel:problem:"+string(code) || p.Title == "" || p.Detail == "" {
		a.t.Errorf("problem %+v, want code %s and no field empty", p, code)
	}
	return p
}

// network is a listener and a dialer in memory, so that a whole server runs in
// a bubble.
type network struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newNetwork() *network {
	return &network{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (n *network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// online serves h on a network and returns a client. The server is down when the test
// ends.
func online(t *testing.T, h http.Handler, token string) *client.Client {
	t.Helper()
	n := newNetwork()
	server := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(n); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
	c, err := client.New("http://timewheel.test", client.Options{
		Token: token, HTTPClient: &http.Client{Transport: &http.Transport{DialContext: n.Dial, MaxIdleConnsPerHost: 8}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		running.Wait()
	})
	return c
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is another by now; go test ./api -update writes it anew, then look at the difference\ngot:\n%s", path, got)
	}
}
