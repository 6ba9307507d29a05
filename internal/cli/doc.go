// Package cli is the command line: the commands, their flags, and how results
// and errors are shown.
//
//	arguments ─┐
//	TIMEWHEEL_* ├─▶ grammar (kong) ─▶ command ─▶ client ─▶ HTTP door
//	--config   ─┘                       │    ├──▶ daemon (serve, bench)
//	                                    │    └──▶ recurrence (cron), crontab (import)
//	                                    ▼
//	                      tables for people, --json for programs
//
// A command is a struct whose fields are its flags and whose Run does it; the
// files are named after them. What a command needs of the process around it
// (streams, variables, signals) comes in one value, so that tests can stand in
// for the process.
//
// It owns the words of the command line, docs/reference/cli.md and config.md,
// which are written from the grammar, and the running of a worker's command. It
// refuses to know how the daemon is put together, and talks to one over HTTP
// alone.
//
// Goroutines belong to the command that starts them and end before its Run
// returns. Output is written from one goroutine at a time.
package cli
