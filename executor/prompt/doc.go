// Package prompt finds out that a command waits for input, from what the kernel knows of
// its processes: one is blocked in a call that reads the command's input, and none
// computes. Nothing is guessed from the output. A process that also waits for a socket,
// for another process or its pipe, or that sleeps, may go on without input, and does not
// count: neither by the call that reads, nor by another of its threads.
package prompt

// Kind is how the input is read.
type Kind string

// The kinds.
const (
	Line   Kind = "line"
	Hidden Kind = "hidden" // a line that the terminal doesn't show
	Key    Kind = "key"    // each key at once, also by a line editor
)
