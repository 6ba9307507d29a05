package webhook

import (
	"net"
	"net/http"
	"time"
)

// Bounds on a connection.
const (
	connectTimeout = 10 * time.Second // name resolution and TCP; the attempt's own time may be shorter
	tlsTimeout     = 10 * time.Second

	// idleTimeout is shorter than what common receivers wait, five seconds and
	// more, before they close an idle connection. Else a request would now and
	// then cross with the close, and the attempt would fail for nothing: it can't
	// be sent again, since nobody knows whether it was read.
	idleTimeout = 4 * time.Second

	maxIdle        = 512      // connections, over all hosts
	maxHeaderBytes = 32 << 10 // of an answer

	// An HTTP/2 connection carries all attempts to a host. If its peer vanishes
	// without a word, only a ping tells, and until then all attempts would fail.
	pingAfter   = 15 * time.Second
	pingTimeout = 10 * time.Second
)

func newTransport(o Options) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy:                  nil, // see the package comment
		DialContext:            newDialer(o).DialContext,
		TLSClientConfig:        o.TLS.Clone(),
		TLSHandshakeTimeout:    tlsTimeout,
		Protocols:              &protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		DisableCompression:     true, // answers are hardly read, and not worth a bomb
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    o.MaxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

func newDialer(o Options) *net.Dialer {
	return &net.Dialer{Timeout: connectTimeout, Control: guard(o.AllowLinkLocal)}
}
