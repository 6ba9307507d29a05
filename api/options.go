package api

import (
	"log/slog"
	"net/http"

	"github.com/timewheel-dev/timewheel/task"
)

// Options tune the door. The zero value is ready to use.
type Options struct {
	// Token must come with each request as "Authorization: Bearer <Token>",
	// except to /healthz, /readyz and /openapi.yaml. Default: none is needed.
	Token string

	// MaxPayload is the scheduler's bound on a payload, in bytes. It bounds the
	// bodies of single requests too. Default: task.DefaultMaxPayload.
	MaxPayload int

	// MaxBatchBody bounds the body of a batch, in bytes. Default: 32 MiB.
	MaxBatchBody int64

	// Ready says why no work is taken at present; nil is ready. Default: always
	// ready.
	Ready func() error

	// Metrics serves /metrics. Default: the path is unknown.
	Metrics http.Handler

	// Log gets panics and internal errors. Default: slog.Default().
	Log *slog.Logger
}

const defaultBatchBody = 32 << 20

func (o Options) withDefaults() Options {
	if o.MaxPayload == 0 {
		o.MaxPayload = task.DefaultMaxPayload
	}
	if o.MaxBatchBody == 0 {
		o.MaxBatchBody = defaultBatchBody
	}
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// maxBody bounds the body that holds one task: the payload in base64, and
// everything else a task can have, escaped.
func (o Options) maxBody() int64 { return int64(o.MaxPayload)/3*4 + 256<<10 }
