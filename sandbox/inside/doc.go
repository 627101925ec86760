// Package inside is everything that runs in the sandbox's own processes. The program
// starts itself again for each of them, by the names of package wire.
//
// On Linux a keeper outside owns a sandbox's directory and, where the rung has namespaces,
// a holder in them, its PID 1. Either starts runners, in a spawner's loop. A runner serves
// one command at a time: it gives up its rights for good (runner_linux.go), forks the
// command, ends its tree and reports how it ended. On macOS a keeper outlives the sidecar
// by a moment, and a runner becomes the command. Windows has no runner.
package inside
