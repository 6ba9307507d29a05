// Package client is the Go client of the HTTP door of timewheel serve. It is a
// thin layer: one method for each call, over the generated types of the
// contract.
//
//	Schedule, Get, Cancel … ──▶ one request ──▶ result, or *Problem
//	PutSchedule …           ──▶ the same for recurring tasks
//	List, Queues …          ──▶ a request a page, as an iterator
//	ScheduleBatch …         ──▶ NDJSON, written while it is sent
//	Claim ─▶ work ─▶ Complete, Fail, Snooze, Renew
//
// It refuses to know the server's packages: a program that calls a daemon does
// not compile one.
//
// A Client may be used by any number of goroutines at once. Its contexts end
// the requests that they are given to. It retries nothing: scheduling under the
// same key again is safe, and only the caller knows what else is.
package client
