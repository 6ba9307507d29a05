package daemon

import (
	"fmt"
	"io"
	"log/slog"
)

// NewLogger returns the log of a daemon. Format is text, json, or auto, which
// is text on a terminal and JSON elsewhere; level is debug, info, warn or error.
func NewLogger(w io.Writer, terminal bool, format, level string) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level must be debug, info, warn or error, got %q", level)
	}
	o := &slog.HandlerOptions{Level: least}
	switch {
	case format == "text", format == "auto" && terminal:
		return slog.New(slog.NewTextHandler(w, o)), nil
	case format == "json", format == "auto":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format must be auto, text or json, got %q", format)
}
