package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits on what a connection may cost.
const (
	headerTimeout  = 10 * time.Second
	bodyTimeout    = 5 * time.Minute // a whole request, or a whole answer after a wait of scheduler.MaxWait
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	shutdownTime   = 5 * time.Second // for answers under way when everything else has stopped
)

// server is the HTTP door as a (run, interrupt) pair.
type server struct {
	http     *http.Server
	listener net.Listener
	drained  <-chan struct{} // closed when the scheduler hands out no more and awaits nothing

	mu    sync.Mutex
	fresh map[net.Conn]struct{} // guarded by mu: connections that have sent nothing yet
}

func newServer(h http.Handler, l net.Listener, drained <-chan struct{}, log *slog.Logger) *server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &server{listener: l, drained: drained, fresh: make(map[net.Conn]struct{})}
	s.http = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		Protocols:         &protocols,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnState:         s.noteState,
	}
	return s
}

func (s *server) noteState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.fresh[c] = struct{}{}
	} else {
		delete(s.fresh, c)
	}
}

// closeFresh closes connections that were opened ahead and never used. Shutdown
// would wait seconds for them.
func (s *server) closeFresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.fresh {
		c.Close() //nolint:errcheck // nothing was said on it
	}
}

func (s *server) run() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// interrupt waits for the scheduler to drain, since the answers of workers are
// part of that, then ends all connections.
func (s *server) interrupt(error) {
	<-s.drained
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	s.closeFresh()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close() //nolint:errcheck // connections that did not end in time are cut; their faults help nobody
	}
}
