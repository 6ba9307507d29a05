package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	if name, ok := os.LookupEnv(childVariable); ok {
		exitOn(compareHere(name, os.Stdin, os.Stdout))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exitOn(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command does what the arguments ask for: the table goes to out, progress to
// progress.
func command(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("crondiff", flag.ContinueOnError)
	flags.SetOutput(progress)
	n := flags.Int("n", 10_000, "how many expressions")
	seed := flags.Uint64("seed", 1, "what they are made up from")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := measureAll(ctx, makeTrials(*seed, *n), progress)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, report(all)); err != nil {
		return err
	}
	return unexplained(all)
}

// unexplained is the error of all differences that are of no class that is known
// for their rival.
func unexplained(all []tally) error {
	for _, t := range all {
		for of, found := range t.Classes {
			if explanations[t.Rival.name][of] == "" {
				return fmt.Errorf("%s: %d differences of class %q have no explanation, such as %s", t.Rival.name, len(found), of, found[0])
			}
		}
	}
	return nil
}
