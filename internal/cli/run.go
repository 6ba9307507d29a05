package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/timewheel-dev/timewheel/client"
)

// run runs one command line in a process and returns its exit code.
func run(args []string, p process) int {
	ps, err := newParser(p)
	if err == nil {
		err = ps.do(args, p)
	}
	line, code := report(err)
	if line != "" {
		fmt.Fprintf(p.err, "timewheel: %s\n", line) //nolint:errcheck // there is no other place to say it
	}
	return code
}

func (ps *parser) do(args []string, p process) error {
	bare := len(args) == 0
	if bare {
		args = []string{"--help"}
	}
	parsed, err := ps.Parse(args)
	switch {
	case ps.helped && bare:
		return &usageError{"say which command is to be run"}
	case ps.helped:
		return nil
	case err != nil:
		return err
	}
	ctx, stop := p.interruptible()
	defer stop()
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run(&app{process: p, grammar: ps.root})
}

// app is what a command works with: the process and the flags of every command.
type app struct {
	process
	*grammar
}

// token returns the token that the flags name, "" if they name none.
func (a *app) token() (string, error) {
	if a.TokenFile == "" {
		return a.Token, nil
	}
	if a.Token != "" {
		return "", &usageError{"a token and a file with one are given, by flags, variables or the configuration file: leave one out"}
	}
	text, err := os.ReadFile(a.TokenFile)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("token file %s is empty: write the token into it", a.TokenFile)
	}
	return token, nil
}

// remote returns a client of the daemon.
func (a *app) remote() (*client.Client, error) {
	token, err := a.token()
	if err != nil {
		return nil, err
	}
	remote, err := client.New(a.Addr, client.Options{Token: token})
	if err != nil {
		return nil, &usageError{fmt.Sprintf("--addr must be of the form http://HOST:PORT, got %q", a.Addr)}
	}
	return remote, nil
}
