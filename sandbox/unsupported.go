//go:build !linux && !darwin && !windows

package sandbox

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Platforms without a backend refuse every policy, mode off included: without a
// runner nobody would own the process tree.

type box struct{}

func (*box) home() string             { return "" }
func (*box) tmp() string              { return "" }
func (*box) outputs() string          { return "" }
func (*box) inUse() bool              { return false }
func (*box) hold() bool               { return false }
func (*box) unhold()                  {}
func (*box) retire(bool, bool) bool   { return true }
func (*box) finish() int              { return 0 }
func (*box) endLeft() int             { return 0 }
func (*box) leftNow() []Left          { return nil }
func (*box) lastUsed() time.Time      { return time.Time{} }
func (*box) tidy(time.Time) time.Time { return time.Time{} }

func (*box) listener() (net.Listener, error) { return nil, errUnsupported }

var errUnsupported = errors.New("no sandbox backend for " + runtime.GOOS)

func openBox(Options, string, Policy, func(time.Time)) (*box, error) {
	return nil, &SetupError{Stage: "platform", Err: errUnsupported}
}

func prepare(o Options) error { return os.MkdirAll(o.StateDir, 0o700) }

func child([]string) (int, bool) { return 0, false }

func machineKey() string { return "" }

func totalMemory() int64 { return 0 }

func kernelRelease() string { return "" }

func probe(Options, []Mode) survey {
	f := facts{failure: &Missing{
		Feature: "sandbox", Reason: errUnsupported.Error(),
		Hint: "run pillion on Linux 6.12 or newer; nothing is ever run unconfined instead",
	}}
	return survey{rung: RungNone, facts: map[Mode]facts{ReadOnly: f, WorkspaceWrite: f, Off: f}}
}

// Start is refused before it is reached: no Sandbox exists here.
func (s *Sandbox) Start(context.Context, Command) (*Process, error) {
	return nil, &SetupError{Stage: "platform", Err: errUnsupported}
}

// Process is one running command; there are none on this platform.
type Process struct{}

// Pid is the main child's process id.
func (*Process) Pid() int { return 0 }

// Wait reports the platform's error.
func (*Process) Wait() (ExitStatus, error) { return ExitStatus{}, errUnsupported }

// Limit tells nothing.
func (*Process) Limit() Limit { return "" }

// Signal reports the platform's error.
func (*Process) Signal(syscall.Signal) error { return errUnsupported }

// Kill reports the platform's error.
func (*Process) Kill() error { return errUnsupported }

// Violations are none.
func (*Process) Violations() ([]Violation, int) { return nil, 0 }

// End reports the platform's error.
func (*Process) End(bool) ([]Leftover, error) { return nil, errUnsupported }
