// Package crontab reads the crontabs of Unix and makes of each line what another
// scheduler needs to run it.
//
//	text ─▶ lines ─┬─ NAME=value ─▶ the environment of the lines below
//	               └─ times, user, command ─▶ Entry ─▶ shell script
//
// It knows how Vixie's cron and its heirs (ISC, cronie, and those of Debian and
// the BSDs) read a line, down to the quirks that decide when and what a line runs:
// the percent sign, the asterisk that makes an "and" of the two day fields,
// RANDOM_DELAY. What they would read in different ways it refuses, with the
// reason, rather than to guess.
//
// It refuses to know when a line runs: the times are passed on as they stand, but
// for steps in the minutes, of which writtenOut tells.
// Everything in it is pure and may be used from many goroutines at once.
package crontab
