package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	if told, ok := os.LookupEnv(planVariable); ok {
		exitOn(measureHere(told, os.Stdout))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exitOn(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func exitOn(err error) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command does what the arguments ask for: the table goes to out, progress to
// progress.
func command(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	workloadList := flags.String("workloads", "", "the workloads, separated by commas; empty means all")
	rivalList := flags.String("rivals", "", "the rivals, separated by commas; empty means all. Ratios are to "+baseline)
	rounds := flags.Int("rounds", 5, "how often each is measured; the table shows medians")
	scale := flags.Float64("scale", 1, "shrinks the numbers of timers and the times, to try the harness out")
	results := flags.String("json", "", "a file to append the results to, a line of JSON each")
	from := flags.String("from", "", "measure nothing; print the table of the results in this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from != "" {
		return tableOf(*from, out)
	}
	r := run{rounds: *rounds, scale: *scale, results: io.Discard, progress: progress}
	if r.workloads, err = workloadsNamed(*workloadList); err != nil {
		return err
	}
	if r.rivals, err = rivalsNamed(*rivalList); err != nil {
		return err
	}
	if r.rounds < 1 || r.scale <= 0 || r.scale > 1 {
		return errors.New("-rounds must be at least 1, and -scale more than 0 and at most 1")
	}
	if *results != "" {
		f, err := os.OpenFile(*results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		r.results = f
	}
	measured, err := r.do(ctx)
	return errors.Join(err, writeTable(out, measured))
}

// tableOf prints the table of results that were written before.
func tableOf(name string, out io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	results, err := readResults(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return writeTable(out, results)
}
