package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// process is what a command sees of the process that it runs in.
type process struct {
	in       io.Reader
	out, err io.Writer

	errTerminal bool // err is read by a person
	outWidth    int  // of the terminal that out is; 0: it is none

	getenv  func(name string) (string, bool)
	environ func() []string  // all variables, for the commands of workers
	signals <-chan os.Signal // requests to stop; nil: none come
	exit    func(code int)   // ends the process at once
}

// Main runs a command line, without the program's name, in the process that
// calls it, and returns the exit code.
func Main(args []string) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	return run(args, process{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		outWidth:    outWidth(),
		getenv:      os.LookupEnv,
		environ:     os.Environ,
		signals:     signals,
		exit:        os.Exit,
	})
}

// outWidth is the width of the terminal that shows the standard output, 0 if none
// does.
func outWidth() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// interruptible returns a context that is done at the first signal. The second
// ends the process at once. stop ends the watch.
func (p process) interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-p.signals:
			cancel()
		case <-over:
			return
		}
		select {
		case <-p.signals:
			p.exit(exitFailure)
		case <-over:
		}
	}()
	return ctx, func() {
		cancel()
		close(over)
		<-ended
	}
}
