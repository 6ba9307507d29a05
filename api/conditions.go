package api

import (
	"net/http"
	"strconv"
	"strings"
)

// ifMatch returns the revision that the request's If-Match names, if it has
// one. The least is that of a thing that exists.
func (c *call) ifMatch(least uint64) (revision optional[uint64], err error) {
	values := c.r.Header["If-Match"]
	if len(values) == 0 {
		return revision, nil
	}
	text := strings.TrimSpace(strings.Join(values, ","))
	n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`), 10, 64)
	if err != nil || n < least {
		return revision, fault("If-Match", `must be one revision as an ETag gives it, such as "7", got %.64q`, text)
	}
	revision.set(n)
	return revision, nil
}

// checkConditions refuses a condition that the call would pass over: whoever
// sends one counts on it. Those of reading are about caches.
func (c *call) checkConditions() error {
	match, noneMatch := false, false
	switch c.r.Method {
	case http.MethodGet, http.MethodHead:
		return nil
	case http.MethodPut:
		match, noneMatch = true, true
	case http.MethodPatch, http.MethodDelete:
		match = true
	}
	if len(c.r.Header["If-Match"]) > 0 && !match {
		return fault("If-Match", "is not heeded by this call: leave it out, or use it with PUT, PATCH or DELETE")
	}
	if len(c.r.Header["If-None-Match"]) > 0 && !noneMatch {
		return fault("If-None-Match", "is not heeded by this call: leave it out, or use it with PUT")
	}
	return nil
}

// putConditions returns the conditions of a PUT: that its key is free, or that it
// has a revision, if not 0.
func (c *call) putConditions() (ifAbsent bool, ifRevision uint64, err error) {
	q := c.query()
	ifAbsent, err = c.ifAbsent(q)
	if err != nil {
		return false, 0, err
	}
	revision, err := c.ifMatch(1)
	if err != nil {
		return false, 0, err
	}
	if ifAbsent && revision.given {
		q.fault("If-Match", "contradicts if_absent: a key without a record has no revision")
	}
	return ifAbsent, revision.value, q.end()
}

// ifAbsent reports whether the request wants its key to be free.
func (c *call) ifAbsent(q *query) (bool, error) {
	values := c.r.Header["If-None-Match"]
	if len(values) == 0 {
		return q.boolean("if_absent"), nil
	}
	if text := strings.TrimSpace(strings.Join(values, ",")); text != "*" {
		return false, fault("If-None-Match", "must be *, got %.64q", text)
	}
	q.boolean("if_absent")
	return true, nil
}

// traceparent returns the request's W3C Trace Context, or "" if it has none
// that is well-formed: version, trace id, parent id and flags, in lower-case
// hexadecimal, no id all zero.
func (c *call) traceparent() string {
	values := c.r.Header["Traceparent"]
	if len(values) != 1 || !validTraceparent(values[0]) {
		return ""
	}
	return values[0]
}

func validTraceparent(s string) bool {
	const zeros = "00000000000000000000000000000000"
	if len(s) != 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return false
	}
	version, trace, parent, flags := s[:2], s[3:35], s[36:52], s[53:]
	return hexadecimal(version+trace+parent+flags) && version != "ff" && trace != zeros && parent != zeros[:16]
}

func hexadecimal(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
