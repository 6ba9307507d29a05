package cli

import (
	"context"

	"github.com/timewheel-dev/timewheel/internal/daemon"
)

type serveCmd struct {
	File string `name:"config" placeholder:"FILE" help:"YAML file with the flags below, and token or token-file, as keys. Flags and variables win over it."`

	// Its Validate is called by kong, as part of reading the command line.
	daemon.Config `embed:""`

	logFlags `embed:""`
}

// Help is shown below the summary.
func (serveCmd) Help() string {
	return `The daemon keeps its tasks in a folder, pushes webhooks, and serves the HTTP API, /metrics, /healthz and /readyz.

At the first SIGTERM or SIGINT it drains: it hands out nothing more, waits for running attempts and gives back what is left. At the second it ends at once, which loses nothing either.`
}

// Run runs the daemon until the process is told to stop.
func (c *serveCmd) Run(ctx context.Context, a *app) error {
	token, err := a.token()
	if err != nil {
		return err
	}
	log, err := c.logger(a)
	if err != nil {
		return err
	}
	c.Token, c.Version, c.Log = token, Version(), log
	return daemon.Run(ctx, c.Config, nil)
}
