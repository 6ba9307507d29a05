package client_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/memstore"
)

// bubble runs f with a client of a real server, over a network in memory.
func bubble(t *testing.T, token string, f func(t *testing.T, c *client.Client)) {
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
		serving(t, api.New(s, api.Options{Token: "s3cret", Log: slog.New(slog.DiscardHandler)}), token, f)
	})
}

// serving runs f with a client of h.
func serving(t *testing.T, h http.Handler, token string, f func(t *testing.T, c *client.Client)) {
	t.Helper()
	n := &network{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(n); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
	c, err := client.New("http://timewheel.test/", client.Options{
		Token: token, HTTPClient: &http.Client{Transport: &http.Transport{DialContext: n.dial}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		c.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		running.Wait()
	}()
	f(t, c)
}

// network is a listener and a dialer in memory.
type network struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
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

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
