package archtest

// Floors is the table of the house. Read it top down: each package may know
// those on lower floors, and no others.
var Floors = Table{
	{
		Pattern: "task", Floor: 0, Pure: true,
		Owns:    "the nouns, their codec, and the one table of legal state moves",
		Refuses: "stores, clocks, transport",
		Ban:     []Ban{{"net/http", "a task is the same through every door"}},
	},
	{
		Pattern: "recurrence", Floor: 0, Pure: true,
		Owns:    "cron lines, intervals, calendars, zones: a pure Next(after)",
		Refuses: "goroutines, clocks, tasks",
		Ban: []Ban{
			{"sync", "a recurrence is a pure function"},
			{"context", "a recurrence is a pure function"},
		},
	},
	{
		Pattern: "api/wire", Floor: 0,
		Owns:    "the types of the HTTP contract, generated from api/openapi.yaml",
		Refuses: "everything of ours: server and client share it",
	},
	{
		Pattern: "api/internal/strictjson", Floor: 0, Pure: true,
		Owns:    "the grammar of JSON, to the letter: what strangers send",
		Refuses: "what a document means",
	},
	{
		Pattern: "internal/backoff", Floor: 0, Pure: true,
		Owns:    "attempt → delay",
		Refuses: "everything else",
		Ban:     []Ban{{"math/rand/v2", "randomness is the caller's, so that a test can choose it"}},
	},
	{
		Pattern: "internal/invariant", Floor: 0, Pure: true,
		Owns:    "assertions that cost nothing in release builds",
		Refuses: "everything else",
	},

	{
		Pattern: "internal/wheel", Floor: 1, Pure: true,
		Owns:    "the wheel structures, in integer ticks",
		Refuses: "time, sync, context",
		Ban: []Ban{
			{"time", "time enters a wheel as an integer: the caller converts, due up and now down"},
			{"sync", "a wheel has one owner: the caller locks"},
			{"sync/atomic", "a wheel has one owner: the caller locks"},
			{"context", "a wheel never waits"},
		},
	},
	{
		Pattern: "clock", Floor: 1, Pure: true,
		Owns:     "the seam for now and for steps of the wall clock; nil is the real clock",
		Refuses:  "tasks",
		Ban:      []Ban{{"./task", "the library's timers use this clock, and know no tasks"}},
		RealTime: "it is the seam",
	},
	{
		Pattern: "store", Floor: 1,
		Owns:    "the port: a small batch-shaped interface, and its errors",
		Refuses: "drivers",
	},
	{
		Pattern: "deliver/...", Floor: 1,
		Owns:     "one leased task → one outcome",
		Refuses:  "the scheduler, and what time it is: an attempt carries the instant it began",
		TestsUse: []string{"github.com/standard-webhooks/standard-webhooks/libraries/..."},
	},

	{
		Pattern: ".", Floor: 2, Pure: true,
		Owns:     "in-process timers: wheel, clock, one driver",
		Refuses:  "tasks, stores",
		Ban:      []Ban{{"./task", noTasks}, {"./store", noTasks}, {"./deliver/...", noTasks}},
		RealTime: "its driver is what waits",
	},
	{
		Pattern: "store/memstore", Floor: 2, Driver: true,
		Owns:    "the store in plain maps: the oracle that other drivers must agree with",
		Refuses: "other drivers, HTTP",
		Ban:     driverBans,
	},
	{
		Pattern: "store/pebblestore", Floor: 2, Driver: true,
		Owns:     "the embedded store, on Pebble",
		Refuses:  "other drivers, HTTP",
		Outside:  []string{"github.com/cockroachdb/pebble/v2/..."},
		Ban:      driverBans,
		TestsUse: []string{"./store/memstore"}, // the oracle of the suite
	},
	{
		Pattern: "store/redisstore", Floor: 2, Driver: true,
		Owns:    "the shared store on Redis or Valkey",
		Refuses: "other drivers, HTTP",
		Ban:     driverBans,
	},
	{
		Pattern: "store/pgstore", Floor: 2, Driver: true,
		Owns:    "the shared store on PostgreSQL",
		Refuses: "other drivers, HTTP",
		Ban:     driverBans,
	},
	{
		Pattern: "store/storetest", Floor: 2, Kit: true,
		Owns:    "the conformance suite and the benchmarks that every driver passes",
		Refuses: "any one driver",
	},
	{
		Pattern: "cluster", Floor: 2,
		Owns:    "nodes, ownership of shards, epochs, on the store port alone",
		Refuses: "what tasks mean",
		Ban:     []Ban{{"net/http", "nodes meet in the store"}},
	},

	{
		Pattern: "telemetry/wheelvar", Floor: 3, Pure: true,
		Owns:    "a wheel's figures → expvar",
		Refuses: "tasks, stores, Prometheus",
		Ban:     []Ban{{"./task", noTasks}, {"./store", noTasks}, {"./deliver/...", noTasks}},
	},
	{
		Pattern: "telemetry/wheelprom", Floor: 3,
		Owns:    "a wheel's figures → Prometheus",
		Refuses: "tasks, stores, the daemon's metrics",
		Outside: []string{"github.com/prometheus/..."},
		Ban:     []Ban{{"./task", noTasks}, {"./store", noTasks}, {"./deliver/...", noTasks}, {"./cluster", noTasks}},
	},
	{
		Pattern: "scheduler", Floor: 3,
		Owns:    "every move of a task from state to state; no other package makes one",
		Refuses: "HTTP, drivers",
		Outside: []string{"github.com/gofrs/uuid/v5"}, // ids that sort by time
		Ban: []Ban{
			{"net/http", "the scheduler is embedded by programs that have no HTTP"},
			{"./deliver/...", "a deliverer is handed in: the scheduler knows outcomes, not transports"},
		},
	},

	{
		Pattern: "api", Floor: 4,
		Owns:     "the HTTP door: handlers, the table of errors",
		Refuses:  "drivers",
		RealTime: "requests come in real time",
		TestsUse: []string{"./client", "go.yaml.in/yaml/v3"},
	},
	{
		Pattern: "client", Floor: 4,
		Owns:    "the Go client of the HTTP door",
		Refuses: "the server",
		Ban: []Ban{
			{"./scheduler", "a program that calls the daemon must not compile it in"},
			{"./store", "a program that calls the daemon must not compile it in"},
		},
		RealTime: "it waits for a server",
		TestsUse: []string{"./api"},
	},
	{
		Pattern: "telemetry", Floor: 4,
		Owns:    "event listener → metrics, traces, logs",
		Refuses: "the core's insides",
		Outside: []string{"github.com/prometheus/..."},
		Ban:     []Ban{{"./internal/wheel", "the core tells by its events and figures what is to be shown"}},
	},
	{
		Pattern: "console", Floor: 4,
		Owns:    "the web page that shows the machine at work",
		Refuses: "the core's insides: it asks the HTTP door",
		Ban:     []Ban{{"./scheduler", "what the page needs, the HTTP door serves"}},
	},

	{
		Pattern: "internal/daemon", Floor: 5, Composes: true,
		Owns:     "the composition root: which store, which doors, in which order they start and stop",
		Refuses:  "commands and flags",
		Outside:  []string{"github.com/oklog/run", "go.yaml.in/yaml/v3", "github.com/prometheus/..."},
		RealTime: "it limits how long a stop may take",
	},
	{
		Pattern: "internal/cli/groupcommit", Floor: 5,
		Owns:    "a bare Pebble: the limit that a benchmark stands beside",
		Refuses: "tasks, shards and indexes",
		Outside: []string{"github.com/cockroachdb/pebble/v2/..."},
	},
	{
		Pattern: "internal/cli/crontab", Floor: 5,
		Owns:    "crontab files → what they mean, and scripts that do it",
		Refuses: "the daemon",
	},
	{
		Pattern: "internal/cli", Floor: 6,
		Owns:     "the commands, their flags and output",
		Refuses:  "how the daemon is put together",
		Outside:  []string{"github.com/alecthomas/kong", "golang.org/x/term", "go.yaml.in/yaml/v3"},
		RealTime: "it shows progress to a person",
	},
	{
		Pattern: "cmd/timewheel", Floor: 7,
		Owns:    "a main of under 30 lines",
		Refuses: "everything but the commands",
	},

	{Pattern: "internal/archtest", Floor: Free, Owns: "this table", Refuses: "what packages do"},
	{Pattern: "internal/e2e/...", Floor: Free, RealTime: realProgram, Owns: "tests of the real binary", Refuses: "nothing"},
	{Pattern: "internal/sim/...", Floor: Free, Owns: "the seeded simulation of whole clusters", Refuses: "real time"},
	{Pattern: "examples/...", Floor: Free, RealTime: realProgram, Owns: "programs for people to read and run", Refuses: "nothing"},
	{Pattern: "bench/...", Floor: Free, RealTime: realProgram, Owns: "measurements against rivals", Refuses: "nothing"},
}

const (
	noTasks     = "whoever takes the timers alone compiles nothing else"
	realProgram = "it runs real programs"
)

var driverBans = []Ban{
	{"net/http", "a store speaks its own protocol; the HTTP door is the daemon's"},
}
