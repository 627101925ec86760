// Package prompt tells that a command waits for input, from what the kernel knows of its
// processes: one is blocked in a call that reads the command's input, and none computes.
// Nothing is guessed from the output. A process that also waits for a socket, or for
// another process's pipe, may go on without input, and does not count.
package prompt

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is how the input is read.
type Kind string

// The kinds.
const (
	Line   Kind = "line"
	Hidden Kind = "hidden" // a line that the terminal doesn't show
	Key    Kind = "key"    // each key at once, also by a line editor
)

// Blocked is a process that waits. Two that are equal, some time apart, say that nothing
// of the command has moved meanwhile.
type Blocked struct {
	PID     int // on the host
	Process string
	thread  int
	call    string // with its arguments, as in /proc/PID/syscall
	cpu     time.Duration
}

// A call and what it waits for. proc_pid_syscall(5)
type call struct {
	number int
	args   [3]uint64
}

func parseCall(text string) (c call, ok bool) {
	f := strings.Fields(text)
	if len(f) < 4 {
		return c, false // running, or not in a call
	}
	var err error
	if c.number, err = strconv.Atoi(f[0]); err != nil {
		return c, false
	}
	for i := range c.args {
		if _, err := fmt.Sscanf(f[i+1], "0x%x", &c.args[i]); err != nil {
			return c, false
		}
	}
	return c, true
}
