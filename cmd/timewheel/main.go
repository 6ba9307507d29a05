// Command timewheel is the daemon and its command line.
package main

import (
	"os"

	"github.com/timewheel-dev/timewheel/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
