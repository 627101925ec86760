// Package prompt tells that a command waits for input, from what the kernel knows of its
// processes: one is blocked in a call that reads the command's input, and none computes.
// Nothing is guessed from the output. A process that also waits for a socket, or for
// another process's pipe, may go on without input, and does not count.
package prompt

// Kind is how the input is read.
type Kind string

// The kinds.
const (
	Line   Kind = "line"
	Hidden Kind = "hidden" // a line that the terminal doesn't show
	Key    Kind = "key"    // each key at once, also by a line editor
)
