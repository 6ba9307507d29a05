package api

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// server is the door.
type server struct {
	Options
	scheduler   Scheduler
	router      router
	token       [sha256.Size]byte // of Options.Token, so that comparing takes the same time whatever was sent
	crossOrigin *http.CrossOriginProtection
}

// New returns the handler of all that openapi.yaml describes. Timeouts for
// headers and idle connections are up to the http.Server around it; a claim may
// wait for scheduler.MaxWait, so it must not have a shorter WriteTimeout.
func New(s Scheduler, o Options) http.Handler {
	o = o.withDefaults()
	return &server{
		Options: o, scheduler: s, router: newRouter(routes),
		token: sha256.Sum256([]byte(o.Token)), crossOrigin: http.NewCrossOriginProtection(),
	}
}

// call is one request on its way.
type call struct {
	*server
	w          http.ResponseWriter
	r          *http.Request
	queue, key string // from the path
	answered   bool   // the status is sent, so an error can't be any more
}

// ServeHTTP serves one request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{server: s, w: w, r: r}
	defer c.recover()
	w.Header()["Cache-Control"] = noStore
	if err := c.route(); err != nil {
		c.fail(err)
	}
}

var noStore = []string{"no-store"}

// route hands the request to its handler, if it may pass.
func (c *call) route() error {
	path := c.r.URL.EscapedPath()
	found, queue, key, allow := c.router.find(c.r.Method, path)
	if found == nil || !found.open {
		if err := c.authorize(); err != nil {
			return err
		}
	}
	switch {
	case len(allow) > 0:
		c.w.Header().Set("Allow", strings.Join(allow, ", "))
		return problemf(wire.ProblemCodeMethodNotAllowed, "%s is not allowed here, but %s", c.r.Method, strings.Join(allow, ", "))
	case found == nil:
		return problemf(wire.ProblemCodeUnknownPath, "nothing is served under %.200q", path)
	}
	if err := c.checkConditions(); err != nil {
		return err
	}
	c.queue, c.key = queue, key
	return found.serve(c)
}

// fail answers with err as a problem.
func (c *call) fail(err error) {
	p := problemOf(err)
	if p.Status == http.StatusInternalServerError {
		c.Log.Error("request failed", "method", c.r.Method, "path", c.r.URL.EscapedPath(), "error", err)
	}
	if c.answered {
		return
	}
	h := c.w.Header()
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="timewheel"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	c.send(p.Status, problemType, p)
}

// recover turns a panic of a handler into an answer and a line in the log: it
// ends this request and no other.
func (c *call) recover() {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v) // net/http's own way to cut the connection
	}
	c.Log.Error("panic in a handler", "method", c.r.Method, "path", c.r.URL.EscapedPath(), "panic", v, "stack", string(debug.Stack()))
	if c.answered {
		panic(http.ErrAbortHandler) // so that the half answer isn't taken for a whole one
	}
	c.fail(problemf(wire.ProblemCodeInternal, "panic: %s", fmt.Sprint(v)))
}
