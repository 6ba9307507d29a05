// Package webhook delivers one attempt of a task as an HTTP POST and turns the
// answer into an outcome.
//
//	task.Lease ─▶ request ─▶ guard ─▶ receiver ─▶ answer ─▶ task.Outcome
//	              signature  address              2xx       Succeeded
//	              headers    after DNS            410       Refused
//	                                              429, 503  Failed, not before Retry-After
//	                                              else      Failed
//	                                     no answer in time  Failed
//	                                     called off         Released
//
// It owns the form of the request, the Standard Webhooks signature, the
// connections, the reading of answers, and the guard on addresses. It refuses
// to know when a task is due, how often it is repeated, how many attempts may
// run at once, and what time it is: an attempt carries the instant it began.
//
// One attempt is one request. Redirects are not followed, and a request that
// may have reached its receiver is never sent again under the same attempt
// number. Proxy settings of the environment are not followed either: a proxy
// would do the name resolution, behind the guard's back.
//
// A Deliverer may be used from any number of goroutines. Besides connections,
// which close when they have been idle for a few seconds or when Close is
// called, it keeps no state.
package webhook
