package api

import (
	"net/url"
	"slices"
	"strings"
)

// router finds the route of a request. It works on the path as it was sent,
// still percent-encoded, so that a key may hold slashes, colons and dots.
type router []compiled

type compiled struct {
	route
	segments []string // literal, or "{queue}" or "{key}"
	verb     string
}

func newRouter(routes []route) router {
	rs := make(router, len(routes))
	for i, r := range routes {
		path, verb, _ := strings.Cut(r.path, ":")
		rs[i] = compiled{r, strings.Split(path[1:], "/"), verb}
	}
	return rs
}

// maxSegments is how many segments the longest path has.
const maxSegments = 6

// target is a path cut into pieces.
type target struct {
	segments [maxSegments]string
	n        int
	base     string // the last segment without its verb
	verb     string // what follows the last colon
}

func parseTarget(path string) (t target, ok bool) {
	rest, ok := strings.CutPrefix(path, "/")
	for more := true; ok && more; t.n++ {
		if t.n == maxSegments {
			return t, false
		}
		t.segments[t.n], rest, more = strings.Cut(rest, "/")
	}
	if !ok {
		return t, false
	}
	last := t.segments[t.n-1]
	if at := strings.LastIndexByte(last, ':'); at >= 0 {
		t.base, t.verb = last[:at], last[at+1:]
	}
	return t, true
}

// find returns the route for a method and an escaped path, with the values of
// its parameters. Where there is none, allow has the methods that the path has.
func (rs router) find(method, path string) (found *compiled, queue, key string, allow []string) {
	t, ok := parseTarget(path)
	if !ok {
		return nil, "", "", nil
	}
	if method == "HEAD" {
		method = "GET"
	}
	for i := range rs {
		r := &rs[i]
		switch {
		case !r.matches(&t):
		case r.method == method:
			queue, key = r.values(&t)
			return r, queue, key, nil
		case !slices.Contains(allow, r.method):
			allow = append(allow, r.method)
		}
	}
	return nil, "", "", allow
}

func (r *compiled) matches(t *target) bool {
	if len(r.segments) != t.n || r.verb != "" && r.verb != t.verb {
		return false
	}
	for i, want := range r.segments {
		if want[:1] != "{" && want != r.segment(t, i) {
			return false
		}
	}
	return true
}

// segment returns the i-th segment, without r's verb.
func (r *compiled) segment(t *target, i int) string {
	if r.verb != "" && i == t.n-1 {
		return t.base
	}
	return t.segments[i]
}

func (r *compiled) values(t *target) (queue, key string) {
	for i, name := range r.segments {
		switch name {
		case "{queue}":
			queue = unescape(r.segment(t, i))
		case "{key}":
			key = unescape(r.segment(t, i))
		}
	}
	return queue, key
}

// unescape undoes percent-encoding. That of a request's path is known to be
// well-formed, else net/http would have refused it.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
