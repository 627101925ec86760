package sandbox

import (
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// The questions to a sandbox, and its promises; its words are documented where they are
// declared, in sandbox/policy.
type (
	Policy      = policy.Policy
	HomeFile    = policy.HomeFile
	View        = policy.View
	Mode        = policy.Mode
	Network     = policy.Network
	Reads       = policy.Reads
	Require     = policy.Require
	Limits      = policy.Limits
	Limit       = policy.Limit
	Level       = policy.Level
	Enforcement = policy.Enforcement
	Missing     = policy.Missing
	Violation   = policy.Violation
	Leftover    = wire.Leftover
	Port        = policy.Port
)

// Modes and Networks go from the strictest to the loosest.
var (
	Modes    = policy.Modes
	Networks = policy.Networks
)

// The values of a Policy.
const (
	DefaultName       = policy.DefaultName
	HostName          = policy.HostName
	MaxHostPorts      = policy.MaxHostPorts
	ReadOnly          = policy.ReadOnly
	WorkspaceWrite    = policy.WorkspaceWrite
	Off               = policy.Off
	NetworkDeny       = policy.NetworkDeny
	NetworkAllow      = policy.NetworkAllow
	NetworkProxy      = policy.NetworkProxy
	ReadsPrivate      = policy.ReadsPrivate
	ReadsAll          = policy.ReadsAll
	RequireEnforced   = policy.RequireEnforced
	RequireBestEffort = policy.RequireBestEffort
)

// The limits of a command, and the levels of a guarantee.
const (
	LimitMemory    = policy.LimitMemory
	LimitProcesses = policy.LimitProcesses
	LimitFileSize  = policy.LimitFileSize
	LimitCPU       = policy.LimitCPU
	LimitDisk      = policy.LimitDisk
	LimitOpenFiles = policy.LimitOpenFiles
	LevelEnforced  = policy.LevelEnforced
	LevelPartial   = policy.LevelPartial
	LevelNone      = policy.LevelNone
)

// The rungs, and how a Violation is known.
const (
	RungFull            = policy.RungFull
	RungNoUserns        = policy.RungNoUserns
	RungNoLandlock      = policy.RungNoLandlock
	RungSeatbelt        = policy.RungSeatbelt
	RungNone            = policy.RungNone
	RungWriteRestricted = policy.RungWriteRestricted
	RungLowIntegrity    = policy.RungLowIntegrity
	AttributionReported = policy.AttributionReported
	AttributionInferred = policy.AttributionInferred
	RuleUndo            = policy.RuleUndo
)

// LimitViolation describes a limit as a violation.
func LimitViolation(l Limit, attribution string) Violation {
	return policy.LimitViolation(l, attribution)
}

// JoinViolations adds more to rows: what is there already is counted, and past 64
// distinct ones nothing is added.
func JoinViolations(rows, more []Violation) []Violation { return policy.JoinViolations(rows, more) }

// HostPortGrant is the line of a policy that gives a port of the host; 0 is any.
func HostPortGrant(port int) string { return policy.HostPortGrant(port) }

// SocketGrant is the line of a policy that gives a socket of the host, or why none does.
func SocketGrant(path string) string { return policy.SocketGrant(path) }

// ActsForTheUser says that who reaches a socket can do more than ask for data.
func ActsForTheUser(socket string) bool { return policy.ActsForTheUser(socket) }

// IsOwnDir says that a sandbox has its own directory in this one's place.
func IsOwnDir(path string) bool { return slices.Contains(policy.OwnDirs, path) }

// ValidPort says that a port can be named.
func ValidPort(port int) bool { return policy.ValidPort(port) }

// ValidName says whether a sandbox may have that name.
func ValidName(name string) bool { return policy.ValidName(name) }

// BatchFile says that Windows would start cmd.exe for a program.
func BatchFile(program string) bool { return wintoken.BatchFile(program) }

// DefaultLimits are the limits of a Policy that names none, on this machine.
func DefaultLimits() Limits { return policy.LimitsFor(limits.TotalMemory()) }

// Sealed is the protected name that a path below a project is, or is in.
func Sealed(rel string) string {
	if z := protect.Locate(rel); !z.Permits(protect.Create|protect.RenameDirTo|protect.Symlink, false) {
		return z.Rule
	}
	return ""
}
