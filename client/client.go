package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// Options tune a Client. The zero value is ready to use.
type Options struct {
	// Token is sent as the bearer token. Default: none is.
	Token string

	// HTTPClient sends the requests. It must not have a Timeout shorter than
	// claims wait. Default: one that keeps up to 256 idle connections.
	HTTPClient *http.Client
}

// Client calls one daemon.
type Client struct {
	base  string // without a slash at its end
	token string // the header, "" for none
	http  *http.Client
}

// New returns a client of the daemon at baseURL, such as
// "http://127.0.0.1:7390". It does not connect yet.
func New(baseURL string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("base URL %q is not of the form http://host:port", baseURL)
	}
	c := &Client{base: strings.TrimRight(baseURL, "/"), http: o.HTTPClient}
	if o.Token != "" {
		c.token = "Bearer " + o.Token
	}
	if c.http == nil {
		c.http = &http.Client{Transport: newTransport()}
	}
	return c, nil
}

// newTransport keeps as many connections as many callers at once need:
// net/http's own default of two a host would open a new one for almost every
// call.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // so it is documented
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 256
	t.IdleConnTimeout = 90 * time.Second
	t.DisableCompression = true // the daemon sends none
	return t
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Condition makes a call conditional.
type Condition func(*http.Request)

// IfRevision makes the call fail, with IsRevisionMismatch, unless the task or
// queue has this revision.
func IfRevision(revision uint64) Condition {
	return func(r *http.Request) { r.Header["If-Match"] = []string{`"` + strconv.FormatUint(revision, 10) + `"`} }
}

// request is one call: what is sent, and where the answer goes.
type request struct {
	method, path string
	query        url.Values
	body         any       // sent as JSON; nil: none
	lines        io.Reader // sent as NDJSON, instead of body
	conditions   []Condition
	into         any // the answer, nil: not looked at
}

// do sends a request and reads the answer. It returns the status, and a
// *Problem if that is no success.
func (c *Client) do(ctx context.Context, q request) (status int, err error) {
	r, err := c.newRequest(ctx, q)
	if err != nil {
		return 0, err
	}
	response, err := c.http.Do(r) //nolint:bodyclose // drain closes it
	if err != nil {
		return 0, err
	}
	defer drain(response.Body)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response.StatusCode, problemOf(response)
	}
	if q.into == nil {
		return response.StatusCode, nil
	}
	if err := decode(response, q.into); err != nil {
		return response.StatusCode, fmt.Errorf("%s %s: reading the answer: %w", q.method, q.path, err)
	}
	return response.StatusCode, nil
}

// buffers are for answers.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keepBuffer bounds what the pool holds on to, in bytes.
const keepBuffer = 1 << 20

func decode(r *http.Response, into any) error {
	b := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // New makes no other
	b.Reset()
	if _, err := b.ReadFrom(r.Body); err != nil {
		return err
	}
	err := json.Unmarshal(b.Bytes(), into) // which copies what it keeps
	if b.Cap() <= keepBuffer {
		buffers.Put(b)
	}
	return err
}

func (c *Client) newRequest(ctx context.Context, q request) (*http.Request, error) {
	var body io.Reader
	switch {
	case q.lines != nil:
		body = q.lines
	case q.body != nil:
		var b bytes.Buffer
		if err := wire.Encode(&b, q.body); err != nil {
			return nil, err
		}
		body = &b
	}
	target := c.base + q.path
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, q.method, target, body)
	if err != nil {
		return nil, err
	}
	switch {
	case q.lines != nil:
		r.Header["Content-Type"] = ndjsonType
	case q.body != nil:
		r.Header["Content-Type"] = jsonType
	}
	if c.token != "" {
		r.Header["Authorization"] = []string{c.token}
	}
	for _, condition := range q.conditions {
		condition(r)
	}
	return r, nil
}

var (
	jsonType   = []string{"application/json"}
	ndjsonType = []string{"application/x-ndjson"}
)

// drain reads what is left of a body, so that the connection can be used again,
// unless that is much.
func drain(body io.ReadCloser) {
	const most = 256 << 10
	_, _ = io.CopyN(io.Discard, body, most) // a broken connection is not used again
	_ = body.Close()                        // nothing was written
}

// Ready returns nil if the daemon takes work.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.do(ctx, request{method: http.MethodGet, path: "/readyz"})
	return err
}
