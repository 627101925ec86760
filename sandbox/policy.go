package sandbox

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// Mode says what a command may write.
type Mode string

// The modes of protocol.md. Off runs the command unconfined (its tree is still
// owned and killed); it needs a trusted grant, which config checks.
const (
	ReadOnly       Mode = "read-only"
	WorkspaceWrite Mode = "workspace-write"
	Off            Mode = "off"
)

// Network says what a command may reach.
type Network string

// Deny leaves no socket family but what the rung can confine; Allow leaves the
// host's network as it is. Proxy is Deny and one way out, Sandbox.Egress: whoever
// makes the sandbox serves it and decides who is reached.
const (
	NetworkDeny  Network = "deny"
	NetworkAllow Network = "allow"
	NetworkProxy Network = "proxy"
)

// Reads says what a command may read.
type Reads string

// Private is the system directories, the workspace and a private home; All is
// everything the user may read.
const (
	ReadsPrivate Reads = "private"
	ReadsAll     Reads = "all"
)

// Require says what happens where a guarantee is missing.
type Require string

// Enforced (the default) refuses before anything starts; BestEffort runs and
// says in the result what was missing.
const (
	RequireEnforced   Require = "enforced"
	RequireBestEffort Require = "bestEffort"
)

// Policy is everything that decides how a command is confined. Two commands
// with equal policies may share a sandbox; a different policy never does.
type Policy struct {
	Mode    Mode
	Network Network
	Reads   Reads
	Require Require
	// Writable are absolute, resolved directories a command may write in
	// workspace-write mode. The private home and TMPDIR always come on top.
	Writable []string
	// Readable are absolute, resolved paths a command may read and execute
	// besides the system directories: workspace folders, toolchains.
	Readable []string
	// Caches are absolute, resolved directories that commands may write in every
	// mode, as they may their home, and that outlive the sandbox. Nothing outside
	// of a sandbox may read or run what is in them.
	Caches []string
	// Outputs is an absolute, resolved directory that commands may read and that
	// nothing can change for them, whatever is writable; "" for none. It must
	// exist. Sandbox.Outputs tells where they find it.
	Outputs string
	// Sockets are absolute, resolved paths of UNIX sockets of the host that commands
	// may connect to, whatever hides the place. Of their directories nothing else is
	// seen. One that does not exist grants nothing; one that the host makes anew is
	// out of reach until the sandbox is made anew, too.
	Sockets []string
	// HomeFiles lie in the private home from the start. Commands may change them
	// there.
	HomeFiles []HomeFile
	// Book names what the proxy of NetworkProxy lets through. The sandbox does not
	// look into it, but commands with different ones must not share a network.
	Book string
	// Name keys the sandbox together with the rest; "" is "default".
	Name string
	// Rung is the least rung that may serve this policy, "" for any that
	// enforces it.
	Rung string
	// Limits bound each command; zero members are DefaultLimits.
	Limits Limits
}

// HomeFile is a file of the private home, or a symbolic link.
type HomeFile struct {
	Path string // below the home, with slashes
	Text string
	Link string // where the link leads, "" for a file
}

// Key identifies the sandbox that serves this policy. Every field that changes
// what a command could do is part of it.
func (p Policy) Key() string {
	return fmt.Sprintf("%q %q %q %q %q %q %q %q %q %q %q %q %q %v", p.SandboxName(), p.Mode, p.Network, p.Reads, p.Require, p.Writable, p.Readable, p.Caches, p.Outputs, p.Sockets, p.HomeFiles, p.Book, p.Rung, p.Limits)
}

// Level is how far one guarantee holds.
type Level string

// The levels of protocol.md's SandboxReport.
const (
	LevelEnforced Level = "enforced"
	LevelPartial  Level = "partial"
	LevelNone     Level = "none"
)

// Enforcement is what a policy gets on this machine, as the self-test saw it.
type Enforcement struct {
	Available        bool
	Backend          []string // "landlock", "seccomp", "seatbelt"
	FSWrite          Level
	FSRead           Level
	Network          Level
	ProcessTree      Level
	IPC              Level
	ViolationReports bool     // the broker tells what it refused; the rest is inferred
	Residual         []string // what is still possible, one sentence each
}

// Missing is one guarantee that was asked for and can't be had.
type Missing struct {
	Feature string // "fsWrite", "network", …
	Reason  string
	Hint    string // what a person can do about it
}

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
}

func (e *SpawnError) Error() string { return "cannot start " + e.Program + ": " + e.Errno.Error() }
func (e *SpawnError) Unwrap() error { return e.Errno }

// Command is one program to start. Start takes its files over: they are closed
// in the sidecar whatever happens.
type Command struct {
	ID                    string // names it in Manager.List
	Path                  string // absolute path of the program
	Argv                  []string
	Env                   []string
	Dir                   *os.File // opened directory, so no later rename can redirect it
	Stdin, Stdout, Stderr *os.File
	Terminal              bool     // Stdin is one, and becomes the command's controlling terminal
	Console               *Console // Windows: the terminal, in place of the three files
}

// ExitStatus is how the main child ended, exactly.
type ExitStatus struct {
	Code     int            // exit code, -1 when a signal ended it
	Signal   syscall.Signal // 0 when it exited
	User     time.Duration
	System   time.Duration
	MaxRSS   int64 // bytes
	CoreDump bool
	Limit    Limit // what ended it, "" for itself or a signal of somebody else's
}

// Leftover is a process that outlived the main child.
type Leftover struct {
	PID  int // on the host, 0 where that can't be told
	Name string
	Left bool // it still runs
}
