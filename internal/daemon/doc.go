// Package daemon is the composition root: it puts the parts of `timewheel
// serve` together, starts them in order and stops them in the other.
//
//	Config ──▶ port ──▶ store ──▶ scheduler ──▶ HTTP server ──▶ ready(address)
//	                      │           │               │
//	                      │           ├── pusher      ├── guard: who may call from where
//	                      │           └── events ─▶ telemetry, journal (log)
//	                      ▼           ▼               ▼
//	stop:              3 close     1 drain         2 shut down
//
// When the context of [Run] is done, readiness is taken back first, then the
// scheduler drains while HTTP goes on, so that workers can still settle what
// they hold; then HTTP is shut down, the scheduler and the store are closed.
//
// It owns the settings of a daemon and the rules for whom it may listen to. It
// refuses to know commands and flags: the struct tags of [Config] are read by
// package cli.
//
// Run's goroutines are a list of (run, interrupt) pairs, which end together
// before it returns. Several daemons can run in one process.
package daemon
