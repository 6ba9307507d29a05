package daemon

import (
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

// Config says how a daemon runs. Zero fields take their default. The tags are
// the fields' documentation: the command line makes a flag, a variable and a
// key of the configuration file of each field, and shows `help` and `default`.
type Config struct {
	Listen         string `group:"where" default:"127.0.0.1:7390" placeholder:"HOST:PORT" help:"Address to serve HTTP on. Port 0 takes a free one."`
	Data           string `group:"where" default:"./timewheel-data" placeholder:"FOLDER" help:"Folder that holds the tasks. It is made if it is missing. One process has it at a time."`
	Shards         int    `group:"where" placeholder:"N" help:"Number of shards of a data folder that is made now, 16 if not given. It is fixed from then on, and another number is refused."`
	InsecureNoAuth bool   `group:"where" name:"insecure-no-auth" help:"Serve without a token on any address, to whatever host name is asked for. Only where something in front decides who may call."`

	DrainTimeout time.Duration `group:"stop" default:"30s" placeholder:"DURATION" help:"How long running attempts are awaited when the daemon is told to stop. Then they are cancelled and their leases released."`

	MaxPayload   Size `group:"limits" default:"1MiB" placeholder:"SIZE" help:"The largest payload of a task."`
	MaxBatchBody Size `group:"limits" default:"32MiB" placeholder:"SIZE" help:"The largest body of a request for a batch of tasks."`

	Horizon     time.Duration `group:"limits" default:"1m" placeholder:"DURATION" help:"How far ahead of their instant tasks are loaded into memory."`
	Window      int           `group:"limits" default:"262144" placeholder:"N" help:"How many waiting tasks and schedules are held in memory at most. The nearest are."`
	CatchUpRate int           `group:"limits" default:"1000" placeholder:"N" help:"How many missed occurrences of schedules become tasks in a second after an outage, at most."`

	PushConcurrency      int `group:"limits" default:"512" placeholder:"N" help:"How many webhook pushes run at once."`
	PushConcurrencyQueue int `group:"limits" default:"128" placeholder:"N" help:"How many of them are of one queue, unless the queue's settings say otherwise."`
	PushConcurrencyHost  int `group:"limits" default:"64" placeholder:"N" help:"How many of them go to one host."`

	WebhookLinkLocal bool `group:"limits" help:"Let webhooks reach link-local addresses. The metadata services of clouds stay out of reach."`

	// Token is what callers have to show as a bearer token. "": no token is
	// asked for, which is refused on an address that others can reach, unless
	// InsecureNoAuth is set.
	Token string `kong:"-"`
	// Version is what the daemon calls itself in logs and metrics.
	Version string `kong:"-"`
	// Log takes the log. Default: it is thrown away.
	Log *slog.Logger `kong:"-"`
}

// WithDefaults returns c with its zero fields filled.
func (c Config) WithDefaults() Config {
	fill(&c.Listen, "127.0.0.1:7390")
	fill(&c.Data, "./timewheel-data")
	fill(&c.DrainTimeout, 30*time.Second)
	fill(&c.MaxPayload, 1<<20)
	fill(&c.MaxBatchBody, 32<<20)
	fill(&c.Horizon, time.Minute)
	fill(&c.Window, 1<<18)
	fill(&c.CatchUpRate, 1000)
	fill(&c.PushConcurrency, 512)
	fill(&c.PushConcurrencyQueue, 128)
	fill(&c.PushConcurrencyHost, 64)
	fill(&c.Version, "devel")
	fill(&c.Log, slog.New(slog.DiscardHandler))
	return c
}

func fill[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// ConfigError lists every fault of a Config, each with the name of the flag.
type ConfigError []string

// Error joins the faults.
func (e ConfigError) Error() string { return strings.Join(e, "; ") }

func (e *ConfigError) add(format string, args ...any) { *e = append(*e, fmt.Sprintf(format, args...)) }

// within reports a number that is outside [low, high].
func within[T int | Size | time.Duration](e *ConfigError, flag string, v, low, high T) {
	if v < low || v > high {
		e.add("--%s must be from %v to %v, got %v", flag, low, high, v)
	}
}

// Validate reports all that is wrong with c, as a ConfigError, or nil. It looks
// at no file and no network.
func (c Config) Validate() error {
	var faults ConfigError
	if _, port, err := net.SplitHostPort(c.Listen); err != nil {
		faults.add("--listen must be HOST:PORT, such as 127.0.0.1:7390, got %q", c.Listen)
	} else if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		faults.add("--listen must have a port from 0 to 65535, got %q", port)
	}
	within(&faults, "shards", c.Shards, 0, pebblestore.MaxShards)
	within(&faults, "drain-timeout", c.DrainTimeout, time.Nanosecond, time.Hour)
	within(&faults, "max-payload", c.MaxPayload, 1, 64<<20)
	within(&faults, "max-batch-body", c.MaxBatchBody, 1<<10, 1<<30)
	if c.MaxBatchBody < c.MaxPayload {
		faults.add("--max-batch-body must not be under --max-payload, %s, got %s", c.MaxPayload, c.MaxBatchBody)
	}
	within(&faults, "horizon", c.Horizon, time.Second, 24*time.Hour)
	within(&faults, "window", c.Window, 1<<10, 1<<24)
	within(&faults, "catch-up-rate", c.CatchUpRate, 1, 1_000_000)
	within(&faults, "push-concurrency", c.PushConcurrency, 1, 1<<16)
	within(&faults, "push-concurrency-queue", c.PushConcurrencyQueue, 1, 1<<16)
	within(&faults, "push-concurrency-host", c.PushConcurrencyHost, 1, 1<<16)
	if strings.ContainsFunc(c.Token, notInToken) {
		faults.add("the token must not have spaces or control characters")
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

// notInToken reports runes that a header can't carry as part of one word.
func notInToken(r rune) bool { return r <= ' ' || r > '~' }
