package sandbox

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// DefaultName is the sandbox of commands that name none.
const DefaultName = "default"

// maxName bounds a sandbox's name.
const maxName = 64

// ValidName says whether a sandbox may have that name: it is shown to people and
// stands in logs.
func ValidName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for _, c := range name {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", c) {
			return false
		}
	}
	return true
}

// SandboxName is the policy's name, DefaultName where it has none.
func (p Policy) SandboxName() string {
	if p.Name == "" {
		return DefaultName
	}
	return p.Name
}

// Hash identifies the policy to a client; a sandbox with another one is another
// sandbox, also under the same name.
func (p Policy) Hash() string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(p.Key()))) }

// Info describes one sandbox.
type Info struct {
	Name       string
	PolicyHash string
	Mode       Mode
	Network    Network
	Processes  []Left
}

// Left is a process that a command left running on purpose.
type Left struct {
	PID     int    // on the host, 0 where that can't be told
	Command string // its command line, or its name
	Exec    string // Command.ID of the command that left it
}

// InUseError refuses to reset a sandbox while commands run in it. Nothing was
// changed.
type InUseError struct{ Name string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("commands are running in the sandbox %q; wait for them, cancel them, or reset with force", e.Name)
}

// FullError refuses one more sandbox. Nothing was started.
type FullError struct{ Max int }

func (e *FullError) Error() string {
	return fmt.Sprintf("%d sandboxes are in use; reset one whose left processes are not needed any more, or wait until a command of another policy has ended", e.Max)
}

// ErrClosed is a Sandbox that was reset, or closed to make room for another one,
// after Manager.Sandbox had returned it. Asking the Manager again gives a new one.
var ErrClosed = fmt.Errorf("the sandbox is closed")
