// Command orders is the example of a shop that closes unpaid orders: it
// generates orders, receives their webhooks, and judges what came.
//
//	orders generate -n 100000 -start 10s -over 1m > orders.ndjson
//	orders receive -listen 127.0.0.1:9000 -secret whsec_… -out deliveries.tsv
//	orders report -orders orders.ndjson -cancelled cancelled.txt -deliveries deliveries.tsv
//
// run.sh puts them together with the daemon, kills it once, and shows the
// report.
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func(args []string) error{"generate": generate, "receive": receive, "report": report}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: orders generate|receive|report [flags]; -h after one of them lists its flags")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}
