// Package prompt tells that a command waits for input, from what the kernel knows of its
// processes: one is blocked in a call that reads the command's input, and none computes.
// Nothing is guessed from the output. A process that also waits for a socket, or for
// another process's pipe, may go on without input, and does not count.
package prompt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
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

const mostPrompt = 200 // bytes

// TailBytes is how much of an output Text wants to see.
const TailBytes = 4 * mostPrompt

// escapes are a terminal's control sequences. ECMA-48
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\a\x1b]*(\a|\x1b\\\\)|[ -/]*[0-~])")
})

// Text is the last line of an output, of which tail is the end, where that line is not
// finished.
func Text(tail []byte) string {
	text := escapes().ReplaceAllString(string(tail), "")
	text = strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], "\r")
	text = text[strings.LastIndexByte(text, '\r')+1:]
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	for over := len(text) - mostPrompt; over > 0; over = len(text) - mostPrompt {
		for !utf8.RuneStart(text[over]) {
			over++
		}
		text = text[over:]
	}
	return text
}
