package executor

import (
	"crypto/rand"
	"fmt"
	"time"
)

// Release frees the output and the id of a finished command. It reports false,
// and does nothing, if there is no such command or it has not ended.
func (e *Engine) Release(id string) bool {
	e.mu.Lock()
	_, live := e.runs[id]
	e.mu.Unlock()
	return !live && e.shelf.release(id)
}

// ExpiredError says that a command's output is not kept any more.
type ExpiredError struct {
	ID    string
	Total int64 // bytes that the stream had
	At    time.Time
}

func (e *ExpiredError) Error() string {
	return fmt.Sprintf("the output of %q is not kept any more", e.ID)
}

// taken is the state of the command that has an id, "" if none has. Called with
// mu held.
func (e *Engine) taken(id string) State {
	if run, ok := e.runs[id]; ok {
		return run.state
	}
	if e.shelf.has(id) {
		return StateFinished
	}
	return ""
}

// mint makes an id that no command has. Called with mu held.
func (e *Engine) mint() string {
	for {
		if id := "x-" + rand.Text(); e.taken(id) == "" {
			return id
		}
	}
}
