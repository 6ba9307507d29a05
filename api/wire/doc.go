// Package wire has the types of the HTTP contract, which server and client
// share. types.gen.go is generated from ../openapi.yaml; the rest is what the
// generator can't say.
//
//	openapi.yaml ──overlay: schemas only──▶ types.gen.go
//	claimed.go   ClaimedTask, which embeds Task
//	cron.go      Cron, one expression or more
//	problem.go   Problem as a Go error
//	duration.go  durations as strings
//	payload.go   Encode: payloads stay byte for byte
//	path.go      keys in paths
//
// It knows the standard library only: no task, no scheduler, no transport.
// All values are plain; whoever holds one alone may change it.
package wire

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.yaml
