package cli

import (
	"log/slog"

	"github.com/timewheel-dev/timewheel/internal/daemon"
)

// logFlags are the flags of commands that write a log, to the standard error.
type logFlags struct {
	LogFormat string `group:"log" enum:"auto,text,json" default:"auto" placeholder:"FORMAT" help:"text, json, or auto: text on a terminal, JSON elsewhere."`
	LogLevel  string `group:"log" enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL" help:"The least that is logged: debug, info, warn or error."`
}

// logger returns the log. --json asks for JSON on a terminal, too.
func (l logFlags) logger(a *app) (*slog.Logger, error) {
	return daemon.NewLogger(a.err, a.errTerminal && !a.JSON, l.LogFormat, l.LogLevel)
}
