// Package convert writes what the executor, the guard and the sandbox say in the words
// of the protocol, and what a client asks for in theirs. It decides nothing but whether
// params are ones; Error is the one table from errors to answers.
package convert
