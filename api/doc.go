// Package api is the HTTP door: it turns requests into calls of a Scheduler,
// and what comes back into JSON. openapi.yaml is the contract; the server
// serves it, and a test holds it and the routes together.
//
//	request ─▶ routes.go (one table) ─▶ auth.go ─▶ handler (task, schedule, batch, claim, …)
//	                                                │  decode.go + strictjson: fields are tables, all faults at once
//	                                                ▼
//	                                            Scheduler
//	                                                │ result                  │ error
//	                                                ▼                         ▼
//	                                            encode.go ─▶ wire.Task …   errors.go ─▶ wire.Problem
//
// It refuses to know how tasks are stored or delivered: it sees the [Scheduler]
// and the nouns of package task. It decides nothing about a task but whether
// a request is well-formed.
//
// Concurrency: the handler serves any number of requests at once and has no
// state of its own but pools of buffers. It starts no goroutine. A request's
// context ends its call; a claim whose answer can't be delivered is released.
package api
