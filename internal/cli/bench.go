package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/daemon"
)

type benchCmd struct {
	Schedule benchScheduleCmd `cmd:"" help:"How many tasks a second are scheduled, beside what the disk and Pebble give at most."`
	Lateness benchLatenessCmd `cmd:"" help:"How late tasks reach a worker that is waiting."`
	Schemes  benchSchemesCmd  `cmd:"" help:"How the cost of in-process timers differs between the schemes of a wheel."`
	Burst    benchBurstCmd    `cmd:"" help:"How a daemon bears many schedules that are due in the same second, without and with jitter."`
}

// benchFlags say which daemon is measured.
type benchFlags struct {
	Running bool   `help:"Measure the daemon at --addr, rather than one that is started for this."`
	Dir     string `default:"." placeholder:"FOLDER" help:"Where to make the temporary folder, on the disk that is to be measured."`
}

// withDaemon calls f with a client of the daemon that is to be measured and
// with a temporary folder.
func (b benchFlags) withDaemon(ctx context.Context, a *app, f func(ctx context.Context, remote *client.Client, dir string) error) (err error) {
	dir, err := os.MkdirTemp(b.Dir, "timewheel-bench-*")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w: choose another place with --dir", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if b.Running {
		remote, err := a.remote()
		if err != nil {
			return err
		}
		return f(ctx, remote, dir)
	}
	return ownDaemon(ctx, dir+"/data", func(addr string) error {
		remote, err := client.New(addr, client.Options{})
		if err != nil {
			return err
		}
		return f(ctx, remote, dir)
	})
}

// ownDaemon runs a daemon in this process while f runs.
func ownDaemon(ctx context.Context, data string, f func(addr string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ready := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Config{Listen: "127.0.0.1:0", Data: data}, func(at net.Addr) {
			ready <- "http://" + at.String()
		})
	}()
	select {
	case addr := <-ready:
		err := f(addr)
		stop()
		return errors.Join(err, <-ended)
	case err := <-ended:
		return err
	}
}
