// Package soak keeps one sidecar busy for minutes: commands of all kinds, from
// several hands at once, with cancels, timeouts, bad frames and a client that
// stops to read, every answer checked. Then nothing may be left: no process, no
// descriptor, no goroutine, no thread, no file, and no memory that grew.
//
//	go test ./test/soak -v -timeout 30m -args -for 9m -execs 50000     (make soak)
//
// Without arguments it runs for some seconds, which shows that it works.
package soak
