// Package measure measures what pillion costs on the machine it runs on: a ratio of
// each of its ways to the least that the same could cost there, both by turns in one
// run. It needs no more than the program itself, sh and cat; test/bench measures more,
// with a compiler, for docs/performance.md.
//
// Commands go the way of every command, through a sidecar: the sandbox has one door,
// so it is measured with and without by the same request.
package measure
