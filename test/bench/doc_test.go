// Package bench measures whole paths against what they could cost at least:
// a plain spawn, a pipe, a Go program that does nothing.
//
//	go test ./test/bench -run Table -v -args -rounds 200     (make bench)
//
// A figure is a ratio. Ours and the floor are measured by turns in one run, each
// sample waits for a quiet machine, and only their quotient is printed: absolute
// times tell about the machine. Without -rounds the table is filled from a
// handful of samples, which shows that the benchmark works and nothing else.
package bench
