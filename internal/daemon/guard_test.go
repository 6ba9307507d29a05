package daemon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api/wire"
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

// Whoever is turned away is told which host was asked for, and which are answered.
func TestTheGuardSaysWhichHost(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/v1/queues", nil)
	r.Host = "evil.example:7390"
	w := httptest.NewRecorder()
	guard(Config{}, http.NotFoundHandler()).ServeHTTP(w, r)
	var p wire.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if p.Code != wire.ProblemCodeForeignHost || p.Status != http.StatusForbidden {
		t.Errorf("problem %+v", p)
	}
	for _, word := range []string{"evil.example:7390", "localhost", "127.0.0.1", "--insecure-no-auth"} {
		if !strings.Contains(p.Detail, word) {
			t.Errorf("the detail has no %q: %s", word, p.Detail)
		}
	}
}
