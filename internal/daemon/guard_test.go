package daemon

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestTheGuard(t *testing.T) {
	inside := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, c := range []struct {
		name, host string
		c          Config
		status     int
	}{
		{"an address of this machine", "127.0.0.1:7390", Config{}, http.StatusTeapot},
		{"IPv6", "[::1]:7390", Config{}, http.StatusTeapot},
		{"no port", "[::1]", Config{}, http.StatusTeapot},
		{"localhost", "LocalHost:7390", Config{}, http.StatusTeapot},
		{"below localhost", "timewheel.localhost.", Config{}, http.StatusTeapot},
		{"a name that was rebound", "evil.example:7390", Config{}, http.StatusForbidden},
		{"a name that looks local", "127.0.0.1.evil.example", Config{}, http.StatusForbidden},
		{"no name", "", Config{}, http.StatusForbidden},
		{"any name, with a token", "tasks.example", Config{Token: "secret"}, http.StatusTeapot},
		{"any name, told otherwise", "tasks.example", Config{InsecureNoAuth: true}, http.StatusTeapot},
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/queues", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		guard(c.c, inside).ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d: %s", c.name, w.Code, c.status, w.Body)
		}
	}
}
