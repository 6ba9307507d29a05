package daemon

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// guard turns away, where no token is asked for, requests for a foreign host
// name: that is how a web page reaches a daemon that trusts its machine, by
// having its own name resolved to 127.0.0.1 (DNS rebinding). Requests that show
// another origin are the API's to refuse.
func guard(c Config, next http.Handler) http.Handler {
	if c.Token != "" || c.InsecureNoAuth {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if localName(r.Host) {
			next.ServeHTTP(w, r)
			return
		}
		refuseHost(w, fmt.Sprintf("the request is for host %.200q: without a token this daemon answers to "+
			"localhost, names below it, and loopback addresses such as 127.0.0.1 and [::1] only; ask for one of these, set a token, or serve with --insecure-no-auth", r.Host))
	})
}

// localName reports whether a Host header names this machine alone.
func localName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// refuseHost answers 403 with a problem, as the API does.
func refuseHost(w http.ResponseWriter, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusForbidden)
	problem := wire.Problem{
		Type: "urn:timewheel:problem:" + string(wire.ProblemCodeForeignHost), Title: "The host name is not this machine's",
		Status: http.StatusForbidden, Code: wire.ProblemCodeForeignHost, Detail: detail,
	}
	if err := json.NewEncoder(w).Encode(problem); err != nil {
		return // the caller has gone: there is nobody to tell
	}
}
