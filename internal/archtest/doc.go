// Package archtest holds the floors of this module as data, and a test that
// fails, with the reason, on any import that does not lead downwards.
//
// It owns the table of floors and the reading of source files. It refuses to
// know what any package does: it parses import lines and names, no more, and
// it does so itself, so that a cached test result cannot hide a new import.
//
//	7  cmd/timewheel
//	6  internal/cli
//	5  internal/daemon
//	4  api   client   telemetry   console
//	3  scheduler
//	2  the root package   store/memstore   store/pebblestore …   cluster
//	1  internal/wheel   clock   store   deliver/webhook
//	0  task   recurrence   api/wire   internal/backoff   internal/invariant
//
// A package imports lower floors only: nothing on its own floor, nothing above
// it. Some packages are held to more, and every ban carries its reason. What
// tests may do beyond their package stands in the same table.
//
// To place a new package, give it a row in floors.go.
//
// The package keeps no state and starts no goroutines.
package archtest
