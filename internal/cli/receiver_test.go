package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// gate holds up whoever comes to it.
type gate struct{ reached, letGo chan struct{} }

// stuckReceiver takes webhooks and does not answer before it is let go.
func stuckReceiver(t *testing.T) (g *gate, url string) {
	t.Helper()
	g = &gate{reached: make(chan struct{}, 1), letGo: make(chan struct{})}
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		g.reached <- struct{}{}
		<-g.letGo
	}))
	t.Cleanup(srv.Close)
	return g, srv.URL
}
