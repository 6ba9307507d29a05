package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// authorize refuses requests without the token, and those that a browser sends
// for a page of another origin: a loopback address without a token is open to
// programs of this machine, not to every page that its user looks at.
func (c *call) authorize() error {
	if err := c.crossOrigin.Check(c.r); err != nil {
		return problemf(wire.ProblemCodeCrossOrigin, "this request was sent by a page of another origin")
	}
	if c.Token == "" {
		return nil
	}
	scheme, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], c.token[:]) != 1 {
		return problemf(wire.ProblemCodeUnauthorized, "send the daemon's token as Authorization: Bearer <token>")
	}
	return nil
}
