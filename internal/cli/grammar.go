package cli

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// grammar is the whole command line. The flags here can stand anywhere in it.
type grammar struct {
	Addr      string `group:"every" default:"http://127.0.0.1:7390" placeholder:"URL" help:"The daemon to talk to."`
	Token     string `group:"every" placeholder:"TOKEN" help:"Bearer token: serve asks for it, other commands show it. As an argument it can be seen by other users of the machine."`
	TokenFile string `group:"every" placeholder:"FILE" help:"File that holds the token."`
	JSON      bool   `group:"every" name:"json" help:"Write JSON for programs: one document, or one per line where there are many."`

	Serve    serveCmd    `cmd:"" help:"Run the daemon."`
	Schedule scheduleCmd `cmd:"" help:"Schedule a task, or the tasks of a file."`
	Get      getCmd      `cmd:"" help:"Show a task."`
	List     listCmd     `cmd:"" help:"List a queue's tasks."`
	Cancel   cancelCmd   `cmd:"" help:"Cancel a task, or those of a file."`
	Run      runCmd      `cmd:"" help:"Make a pending task due at once."`
	Redrive  redriveCmd  `cmd:"" help:"Give a dead task, or all of a queue, another chance."`
	Claim    claimCmd    `cmd:"" help:"Claim ready tasks by hand."`
	Leases   leasesCmd   `cmd:"" help:"Say what became of claimed tasks."`
	Worker   workerCmd   `cmd:"" help:"Claim tasks and run a command for each."`
	Queues   queuesCmd   `cmd:"" help:"Look at queues and change their settings."`

	Schedules schedulesCmd `cmd:"" help:"Tasks that recur: store schedules, look at them and at what became of them."`
	Cron      cronCmd      `cmd:"" help:"Read cron expressions."`
	Import    importCmd    `cmd:"" help:"Bring work over from elsewhere."`

	Bench   benchCmd   `cmd:"" help:"Measure."`
	Version versionCmd `cmd:"" help:"Show the version."`
}

const description = "Timewheel makes things happen at the right time."

// parser is the grammar with what kong does not know of it.
type parser struct {
	*kong.Kong

	root     *grammar
	env      map[*kong.Value]string // the variables that say the same as flags
	fileKeys map[string]*kong.Flag  // the keys of the configuration file
	file     fileValues
	helped   bool // help was shown: nothing is to be run
}

// newParser builds the grammar for a process.
func newParser(p process) (*parser, error) {
	ps := &parser{
		root: &grammar{},
		env:  make(map[*kong.Value]string), fileKeys: make(map[string]*kong.Flag),
	}
	k, err := kong.New(
		ps.root,
		kong.Name("timewheel"),
		kong.Description(description),
		kong.Writers(p.out, p.err),
		kong.Exit(func(int) { ps.helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ValueFormatter(ps.describe),
		kong.ExplicitGroups(flagGroups),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(readDuration)),
		kong.PostBuild(ps.learn),
		kong.Resolvers(resolver{ps, p.getenv}),
		kong.WithBeforeResolve(func(ctx *kong.Context) error { return ps.readFile(ctx, p.getenv) }),
	)
	if err != nil {
		return nil, fmt.Errorf("the grammar is broken: %w", err)
	}
	ps.Kong = k
	return ps, nil
}

// readDuration reads a flag as the API reads durations, with its messages.
func readDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
		return err
	}
	d, err := wire.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%w, got %q", err, text)
	}
	target.SetInt(int64(d))
	return nil
}

var flagGroups = []kong.Group{
	{Key: "every", Title: "With every command:"},
	{Key: "where", Title: "Where:"},
	{Key: "log", Title: "Log:"},
	{Key: "stop", Title: "Stopping:"},
	{Key: "limits", Title: "Limits:"},
	{Key: "when", Title: "When:"},
	{Key: "what", Title: "What:"},
	{Key: "late", Title: "What is late, and what overlaps:"},
	{Key: "how", Title: "How often and how long:"},
}

// learn notes which flags are variables and keys of the configuration file, too:
// those of every command and those of serve.
func (ps *parser) learn(k *kong.Kong) error {
	for _, f := range k.Model.Flags {
		if f.Name != "help" {
			ps.env[f.Value] = variable(f)
		}
		if strings.HasPrefix(f.Name, "token") {
			ps.fileKeys[f.Name] = f
		}
	}
	for _, cmd := range k.Model.Children {
		if cmd.Name != serveName {
			continue
		}
		for _, f := range cmd.Flags {
			ps.env[f.Value] = variable(f)
			if f.Name != configFlag {
				ps.fileKeys[f.Name] = f
			}
		}
	}
	return nil
}

func variable(f *kong.Flag) string {
	return "TIMEWHEEL_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// describe writes the help of one flag or argument.
func (ps *parser) describe(v *kong.Value) string {
	help := v.Help
	if v.Default != "" && !v.IsBool() {
		help += " Default: " + v.Default + "."
	}
	if env := ps.env[v]; env != "" {
		help += " [$" + env + "]"
	}
	return help
}
