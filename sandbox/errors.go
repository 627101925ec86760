package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Report is the self-tested description of this machine.
type Report struct {
	Platform  string // GOOS/GOARCH
	Kernel    string
	Rung      string // "no-userns", "seatbelt", "none"
	ProbedAt  time.Time
	Container bool
	Modes     map[Mode]Enforcement
	Degraded  []Missing
}

// UnavailableError refuses a policy this machine can't enforce. Nothing was
// started.
type UnavailableError struct {
	Requested Policy
	Effective Enforcement
	Missing   []Missing
}

func (e *UnavailableError) Error() string {
	var b strings.Builder
	b.WriteString("sandbox unavailable")
	for i, m := range e.Missing {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%s: %s", sep, m.Feature, m.Reason)
		if m.Hint != "" {
			fmt.Fprintf(&b, " (%s)", m.Hint)
		}
	}
	return b.String()
}

// SetupError is a sandbox that should have worked and didn't. Nothing was
// started.
type SetupError struct {
	Stage string // "runner", "ruleset", "restrict", …
	Err   error
}

func (e *SetupError) Error() string {
	return "sandbox setup failed at " + e.Stage + ": " + e.Err.Error()
}

func (e *SetupError) Unwrap() error { return e.Err }

// SpawnError is a program that could not be started inside a working sandbox.
type SpawnError struct {
	Program string
	Errno   syscall.Errno
	Unseen  bool // the host has it, in a directory that commands don't see
}

func (e *SpawnError) Error() string {
	why := e.Errno.Error()
	if e.Unseen {
		why = "commands don't see " + filepath.Dir(e.Program) + ", which is on your PATH; add it to readable or path in your policy"
	}
	return "cannot start " + e.Program + ": " + why
}

func (e *SpawnError) Unwrap() error { return e.Errno }

// Exhausted says that the machine had run out of something: descriptors, memory,
// processes, room on a disk. It is not a mistake, and the same may work later.
func Exhausted(err error) bool {
	return slices.ContainsFunc([]syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC, syscall.EDQUOT,
	}, func(e syscall.Errno) bool { return errors.Is(err, e) })
}

// outOfDescriptors says that descriptors had run out. Running out of other things is also
// how a kernel refuses a feature for good: a namespace too many is ENOSPC.
func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
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
