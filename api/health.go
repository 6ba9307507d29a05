package api

import (
	_ "embed" // for the contract
	"net/http"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// contract is openapi.yaml as it was when this program was built.
//
//go:embed openapi.yaml
var contract []byte

// health serves GET /healthz.
func (c *call) health() error {
	c.write(http.StatusOK, textType, []byte("ok\n"))
	return nil
}

// readiness serves GET /readyz.
func (c *call) readiness() error {
	if err := c.Ready(); err != nil {
		return problemf(wire.ProblemCodeDraining, "not ready: %s", err)
	}
	c.write(http.StatusOK, textType, []byte("ready\n"))
	return nil
}

// metrics serves GET /metrics.
func (c *call) metrics() error {
	if c.Metrics == nil {
		return problemf(wire.ProblemCodeUnknownPath, "this daemon serves no metrics")
	}
	c.answered = true
	c.Metrics.ServeHTTP(c.w, c.r)
	return nil
}

// document serves GET /openapi.yaml.
func (c *call) document() error {
	c.write(http.StatusOK, yamlType, contract)
	return nil
}
