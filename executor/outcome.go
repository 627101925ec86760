package executor

import (
	"time"

	"github.com/pillion-sidecar/pillion/executor/grant"
	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// EffectiveSandbox is what was really in force for one command.
type EffectiveSandbox struct {
	sandbox.Enforcement
	Mode      sandbox.Mode
	Requested sandbox.Mode
	Access    sandbox.Network // the network mode in force
	Writable  []string
}

// Reason is why a command ended. Its values are those of ExecResult.reason.
type Reason string

// Result is how a started command ended. An error instead of a Result means no
// process was started.
type Result struct {
	ID         string
	PID        int
	ExitCode   *int   // nil when a signal ended it
	Signal     string // "SIGTERM", "" when it exited
	Reason     Reason
	Cancelled  bool
	TimedOut   bool
	Duration   time.Duration
	StartedAt  time.Time
	Output     map[Stream]StreamResult
	Steps      []Step    // of a sequence, one for each command
	Summary    string    // one text for a reader, if it was asked for
	Expires    time.Time // until when the output can be read; zero: it is not kept
	Saved      *Saved    // what is kept by name, nil for nothing
	Background []Background
	Violations []sandbox.Violation // at most 64 distinct ones
	Violated   int                 // how many there were in all
	Sandbox    EffectiveSandbox
	User       time.Duration
	System     time.Duration
	MaxRSS     int64 // bytes
	Verdict    guard.Verdict
	Approval   Approval // zero where nobody had to be asked
	Revision   int      // policyRevision
	Lost       []string // files of the private home, named from there, that it has written
	Effects    *Effects // nil: nothing was changed, or nothing is kept
}

// StreamResult accounts for every byte of one stream.
type StreamResult struct {
	TotalBytes    int64
	StreamedBytes int64
	InlineBytes   int64
	DroppedBytes  int64
	Truncated     bool
	EOF           bool
	Inline        []byte // only of a buffered command
	InlineText    bool   // Inline is valid UTF-8 and base64 was not asked for
	Gaps          []Gap
}

// Background is a process that outlived the command's main child.
type Background struct {
	PID  int
	Name string
	Fate string // FateKilled, FateLeft
}

// The first recorded cause wins.
const (
	Exited        Reason = "exited"
	Cancelled     Reason = "cancelled"
	TimedOut      Reason = "timedOut"
	MemoryLimit   Reason = "memoryLimit"
	ProcessLimit  Reason = "processLimit"
	FileSizeLimit Reason = "fileSizeLimit" // or the disk was too full
	OutputLimit   Reason = "outputLimit"   // the spool was full, and OnSpoolFull is Terminate
	CPULimit      Reason = "cpuLimit"
	NoInput       Reason = "noInput" // it waited for input, for too long
	Shutdown      Reason = "shutdown"
	SandboxLost   Reason = "sandboxLost"
	InternalError Reason = "internalError"
	Gone          Reason = "gone" // the editor vanished; this has no reader

	// Of a sequence.
	NotStarted Reason = "notStarted" // a command after the first one could not be started
	Skipped    Reason = "skipped"    // of a step: one before it was the last
)

type (
	// Summary asks for one text of a command's whole output.
	Summary = render.Summary
	// Text is the part of a request that says what to run.
	Text = render.Text
	// SessionRule is what a person accepts for the rest of the session.
	SessionRule = grant.Rule
	// Remembered is a command that a person has said yes to for good.
	Remembered = grant.Standing
	// Permanent is what a person says yes to for good.
	Permanent = grant.Permanent
	// Access is one thing that a command lacks.
	Access = grant.Access
	// GrantKind is what an Access is about.
	GrantKind = grant.Kind
	// Grant is one that was accepted.
	Grant = grant.Grant
)

// The kinds of an Access.
const (
	GrantHost        = grant.Host
	GrantRead        = grant.Read
	GrantWrite       = grant.Write
	GrantSocket      = grant.Socket
	GrantCredentials = grant.Credentials
	GrantKey         = grant.Key
	GrantLimit       = grant.Limit
	GrantCommand     = grant.Command
)

// The forms of a Summary.
const (
	SummaryDenylist = render.SummaryDenylist
	SummaryLayered  = render.SummaryLayered
	SummaryPlain    = render.SummaryPlain
	SummaryNone     = render.SummaryNone
)
