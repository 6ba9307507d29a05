// Package e2e holds tests of the real binary, from outside: started, called
// over HTTP and by its own commands, killed with -9, and started again.
//
// It owns no code of the product and nothing imports it.
package e2e
