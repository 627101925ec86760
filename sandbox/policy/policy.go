package policy

import (
	"fmt"
	"slices"
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

// Deny leaves no socket family but what the rung can confine; Allow leaves the host's
// network as it is. Proxy is Deny and one way out, Sandbox.Egress: the maker of the
// sandbox serves it and decides which hosts are reached.
const (
	NetworkDeny  Network = "deny"
	NetworkAllow Network = "allow"
	NetworkProxy Network = "proxy"
)

// Modes and Networks go from the strictest to the loosest.
var (
	Modes    = []Mode{ReadOnly, WorkspaceWrite, Off}
	Networks = []Network{NetworkDeny, NetworkProxy, NetworkAllow}
)

// Within says that a mode is no looser than another.
func (m Mode) Within(o Mode) bool { return within(Modes, m, o) }

// Within says that a network is no looser than another.
func (n Network) Within(o Network) bool { return within(Networks, n, o) }

func within[T comparable](order []T, a, b T) bool {
	at := slices.Index(order, a)
	return at >= 0 && at <= slices.Index(order, b)
}

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
	// Views are directories below Caches that begin as what the user has elsewhere, where the
	// kernel lets them be mounted: what commands change of them lies below ViewsIn, of which
	// they see nothing else.
	Views   []View
	ViewsIn string
	// Outputs is an absolute, resolved directory that commands may read and that nothing
	// can change for them, whatever is writable; "" for none. It must exist.
	// Sandbox.Outputs says where they find it.
	Outputs string
	// Sockets are absolute, resolved paths of UNIX sockets of the host that commands
	// may connect to, whatever hides the place. Of their directories nothing else is
	// seen. One that does not exist grants nothing; one that the host makes anew is
	// out of reach until the sandbox is made anew, too.
	Sockets []string
	// HostPorts are ports of the host's loopback that commands of a network with a proxy
	// reach, each at the same port of HostName. Of that loopback nothing else is reached.
	HostPorts []int
	// Logins are hosts at which the git of commands is logged in as the user, "name" or
	// "name:port", by the sidecar's proxy. The sandbox does not look into it.
	Logins []string
	// Keys is that one of Sockets which is an ssh agent of the sidecar's, or names what that will
	// sign; "" for none. No rung serves it that can't keep the agent for its commands.
	Keys string
	// Links are absolute paths that lead through symbolic links on the host, and by which
	// people and editors name folders. Commands find the same links, and nothing else by
	// them. Where the whole disk is readable they are there already.
	Links []string
	// Journal is an absolute, resolved directory of the sidecar's in which is kept what
	// commands are about to change below Writable; "" for nowhere. It must exist, and no
	// command can see or reach it. Only Linux has one.
	Journal string
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
	Path  string // below the home, with slashes
	After string // a file of the machine whose text comes before Text, "" for none
	Text  string
	Link  string // where the link leads, "" for a file
}

// Key identifies the sandbox that serves this policy. Every field is part of it: each
// changes what a command could do.
func (p Policy) Key() string {
	p.Name = p.SandboxName()
	return fmt.Sprintf("%#v", p)
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
	ViolationReports bool     // the broker reports what it refused; the rest is inferred
	Residual         []string // what is still possible, one sentence each
}

// Missing is one guarantee that was asked for and can't be had.
type Missing struct {
	Feature string // "fsWrite", "network", …
	Reason  string
	Hint    string // what a person can do about it
}
