package protocol

import (
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// ExecParams ask for one command. They are decoded strictly: an unknown,
// repeated or differently capitalised member refuses the request, because a
// mistyped "sandBox" must not run a command unsandboxed. Times are milliseconds,
// sizes bytes; an absent member is the configured default.
//
//wire:strict
type ExecParams struct {
	ExecID  string   `json:"execId,omitzero"`  // [A-Za-z0-9._:-]{1,128}; absent: the server makes one
	Command string   `json:"command,omitzero"` // shell text; exactly one of command, argv and commands
	Argv    []string `json:"argv,omitzero"`    // program and arguments, no shell

	// Shell texts, at most limits.maxCommands, that run one after the other and
	// each in a shell of its own, until one fails.
	Commands     []string `json:"commands,omitzero"`
	IgnoreErrors bool     `json:"ignoreErrors,omitzero"` // with commands: run them all, whatever fails

	Shell       string                      `json:"shell,omitzero"` // a name of execProvider.shells
	Description string                      `json:"description,omitzero"`
	Cwd         string                      `json:"cwd,omitzero"`        // file: URI, absolute path, or relative to the first folder; in an open folder when links are resolved
	Env         map[string]Nullable[string] `json:"env,omitzero"`        // null unsets
	EnvInherit  EnvInherit                  `json:"envInherit,omitzero"` // "core" is the default: PATH, the locale and a few more; "all" needs a grant
	Stdin       *StdinParams                `json:"stdin,omitzero"`
	Pty         *PtyParams                  `json:"pty,omitzero"`                                              // a terminal instead of pipes; exec/write is its keyboard
	TimeoutMs   Nullable[int64]             `json:"timeoutMs,omitzero" range:"1 to 9007199254 milliseconds"`   // from the spawn, default 120000 or the profile's; null: no timeout, which needs a grant
	KillGraceMs int64                       `json:"killGraceMs,omitzero" range:"1 to 9007199254 milliseconds"` // from SIGTERM to SIGKILL, default 2000
	Sandbox     SandboxParams               `json:"sandbox,omitzero"`
	Output      OutputParams                `json:"output,omitzero"`

	// Processes that outlive the main one are killed, or left running in a sandbox with a
	// name of its own: "kill", "leave".
	OnBackground config.OnBackground `json:"onBackground,omitzero"`

	// What a person decided about this very command, which was refused with
	// approvalRequired. Only from clients that announced exec.approvalRetry.
	Approval *ApprovalDecision `json:"approval,omitzero"`

	WorkDoneToken      ProgressToken `json:"workDoneToken,omitzero"`
	PartialResultToken ProgressToken `json:"partialResultToken,omitzero"`
}

// StdinParams are a command's input; without them it is empty.
type StdinParams struct {
	Text *string `json:"text,omitzero"` // at most one of text and data
	Data []byte  `json:"data,omitzero"` // base64
	Open bool    `json:"open,omitzero"` // exec/write may follow, until one of them closes it
}

// SandboxParams choose a command's sandbox. Anything weaker than the
// configuration needs a grant.
type SandboxParams struct {
	Mode     sandbox.Mode    `json:"mode,omitzero"`
	Network  sandbox.Network `json:"network,omitzero"`
	Reads    sandbox.Reads   `json:"reads,omitzero"`
	Require  sandbox.Require `json:"require,omitzero"`
	Name     string          `json:"name,omitzero"`     // 1 to 64 of A-Za-z0-9._-, default "default"; commands with one name (and policy) share home, tmp, loopback and what was left running
	Writable []string        `json:"writable,omitzero"` // narrows what may be written, at most 1024 directories
}

// OutputParams shape a command's output.
type OutputParams struct {
	Encoding       Encoding `json:"encoding,omitzero"`                                     // "utf-8": text where it can be; "base64": data always
	Merge          bool     `json:"merge,omitzero"`                                        // one pipe, so that the order is true
	Stream         *bool    `json:"stream,omitzero"`                                       // default: whether there is a partialResultToken
	FlushMs        int64    `json:"flushMs,omitzero" range:"1 to 9007199254 milliseconds"` // how long output is gathered into a chunk, default 16
	MaxChunkBytes  int      `json:"maxChunkBytes,omitzero" range:"1 to 9007199254740991 bytes"`
	StreamMaxBytes int64    `json:"streamMaxBytes,omitzero" range:"1 to 9007199254740991 bytes"` // streamed per stream before a gap
	InlineMaxBytes int      `json:"inlineMaxBytes,omitzero" range:"1 to 9007199254740991 bytes"` // per stream in the result of a buffered command
	InlineKeep     Keep     `json:"inlineKeep,omitzero"`

	SpoolMaxBytes  int64     `json:"spoolMaxBytes,omitzero" range:"1 to 9007199254740991 bytes"`  // kept per stream, at most limits.spoolMaxBytes
	SpoolTailBytes int64     `json:"spoolTailBytes,omitzero" range:"1 to 9007199254740991 bytes"` // of those the newest ones, at most half, default 1 MiB; only of "dropMiddle"
	OnSpoolFull    SpoolFull `json:"onSpoolFull,omitzero"`

	// Bytes of output events that may be on their way: sent and not acknowledged by
	// exec/ack. Needs the client's capability exec.ack, and is 262144 with it.
	Window int64 `json:"window,omitzero" range:"1 to 9007199254740991 bytes"`

	Summary SummaryParams `json:"summary,omitzero"` // default: the profile's
	SaveAs  string        `json:"saveAs,omitzero"`  // all of it is kept under this name until exec/release, and is a file for later commands; 1 to 64 of A-Za-z0-9._-, no . or - first, no .stderr last
}

// SummaryParams ask for one text of the whole output. Absent members are the
// profile's, or the form's.
type SummaryParams struct {
	Form     SummaryForm `json:"form,omitzero"`
	MaxChars int         `json:"maxChars,omitzero" range:"1 to 9007199254740991 characters"` // characters of output before the cut
	Keep     Keep        `json:"keep,omitzero"`                                              // "head" or "headTail"
}

// ExecResult is how a started command ended.
type ExecResult struct {
	ExecID          string                  `json:"execId"`
	PID             int                     `json:"pid"`
	ExitCode        *int                    `json:"exitCode"` // null when a signal ended it
	Signal          *string                 `json:"signal"`
	Reason          executor.Reason         `json:"reason"` // "notStarted" is of commands: see steps
	Cancelled       bool                    `json:"cancelled"`
	TimedOut        bool                    `json:"timedOut"`
	DurationMs      int64                   `json:"durationMs"`
	StartedAt       string                  `json:"startedAt"` // RFC 3339
	Output          map[string]StreamOutput `json:"output"`
	Steps           []ExecStep              `json:"steps,omitempty"`  // of commands: one for each, in their order
	Summary         string                  `json:"summary,omitzero"` // where a form was asked for or the profile has one
	Spool           *Spool                  `json:"spool"`            // where exec/read finds the output; null: it is not kept
	Background      []BackgroundProcess     `json:"background"`
	Sandbox         EffectiveSandbox        `json:"sandbox"`
	Violations      []Violation             `json:"violations"`
	ViolationsTotal int                     `json:"violationsTotal"`
	ResourceUsage   ResourceUsage           `json:"resourceUsage"`
	Guard           ExecVerdict             `json:"guard"`
	PolicyRevision  int                     `json:"policyRevision"`

	Approval *ExecApproval `json:"approval,omitzero"` // absent: no question was needed
	Saved    *SavedOutput  `json:"saved,omitzero"`    // what output.saveAs has kept; absent: nothing is

	RetryOf string `json:"retryOf,omitzero"` // of exec/retry: the execId of the run that was refused something

	Effects *Effects `json:"effects,omitzero"` // what it did to the workspace
	Lost    []string `json:"lost,omitempty"`   // files, as ~/NAME, that it wrote to its private HOME: the user's own home doesn't have them, and they end with the sandbox

	Display []DisplayLine `json:"display"` // for a person, below the output; the last line says how it ended
}

// ExecStep is how one of several commands ended. One that was not reached has the
// reason "skipped"; one that could not be started, or that the guard would not let
// start after what ran before it, has "notStarted" and an error.
type ExecStep struct {
	Command    string               `json:"command"`
	ExitCode   *int                 `json:"exitCode"` // null when a signal ended it, or it did not run
	Signal     *string              `json:"signal"`
	Reason     executor.Reason      `json:"reason"`
	DurationMs int64                `json:"durationMs"`
	Output     map[string]ByteRange `json:"output"`         // where its bytes are in each stream; empty when it did not run
	Error      string               `json:"error,omitzero"` // of "notStarted"
}

// StreamOutput accounts for every byte of one stream. Text or Data is the output
// of a buffered command; streamed bytes are not repeated.
type StreamOutput struct {
	TotalBytes    int64       `json:"totalBytes"`
	StreamedBytes int64       `json:"streamedBytes"`
	InlineBytes   int64       `json:"inlineBytes"`
	DroppedBytes  int64       `json:"droppedBytes"`
	Truncated     bool        `json:"truncated"`
	EOF           bool        `json:"eof"` // false: another process still held the pipe
	Text          *string     `json:"text,omitzero"`
	Data          []byte      `json:"data,omitzero"` // base64
	Gaps          []ByteRange `json:"gaps,omitempty"`
}

// ByteRange is [From, To) of a stream.
type ByteRange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Spool names kept output.
type Spool struct {
	ExecID    string `json:"execId"`
	ExpiresAt string `json:"expiresAt"` // RFC 3339
}

// BackgroundProcess outlived the command's main process.
type BackgroundProcess struct {
	PID  int    `json:"pid"` // 0 where it is not known
	Name string `json:"name"`
	Fate Fate   `json:"fate"`
}

// Violation is something the sandbox refused.
type Violation struct {
	Op          string       `json:"op"`
	Path        string       `json:"path,omitzero"`
	Address     string       `json:"address,omitzero"`
	Errno       string       `json:"errno,omitzero"`
	Process     string       `json:"process,omitzero"`
	Rule        string       `json:"rule,omitzero"`  // what was protected: a name, "outside", "secret", "network", "socket"; of a proxy "not listed", "denied", "address", "malformed", "connections", "credentials"; of the op "ssh" why no key signed
	Grant       string       `json:"grant,omitzero"` // the smallest that would allow it: a setting and its value
	Allow       *AccessGrant `json:"allow,omitzero"` // what exec/retry can give: never of a secret or of what is protected
	Never       string       `json:"never,omitzero"` // why nothing would; at most one of both
	Count       int          `json:"count"`
	Attribution Attribution  `json:"attribution"`
}

// ResourceUsage is what the main process and its waited-for children used.
type ResourceUsage struct {
	UserMs      int64 `json:"userMs"`
	SystemMs    int64 `json:"systemMs"`
	MaxRSSBytes int64 `json:"maxRssBytes,omitzero"`
}

// ExecVerdict is the part of the verdict that a result repeats.
type ExecVerdict struct {
	Decision  guard.Decision `json:"decision"`
	Findings  []Finding      `json:"findings"`
	RunAs     RunAs          `json:"runAs,omitzero"`
	Canonical string         `json:"canonical,omitzero"`

	Commands []CommandVerdict `json:"commands,omitempty"` // of commands: how each ran
}

// RetryParams of exec/retry: a command that has ended runs again, the same text in the same
// directory with the same input, shell and terminal, with what a person gives it for this run.
//
//wire:strict
type RetryParams struct {
	ExecID    string        `json:"execId"`             // of the run that was refused something
	Grants    []AccessGrant `json:"grants"`             // of those that its violations have as allow; the person's yes
	NewExecID string        `json:"newExecId,omitzero"` // of the new run; absent: the server makes one

	WorkDoneToken      ProgressToken `json:"workDoneToken,omitzero"`
	PartialResultToken ProgressToken `json:"partialResultToken,omitzero"`
}

// CancelParams name a command to stop.
//
//wire:strict
type CancelParams struct {
	ExecID string `json:"execId"`
	Reason string `json:"reason,omitzero"` // for the log
	Force  bool   `json:"force,omitzero"`  // SIGKILL at once
	// GraceMs is the time between SIGTERM and SIGKILL, at most 60000; absent is the
	// command's own. Once SIGTERM is out it can only be made shorter.
	GraceMs int64 `json:"graceMs,omitzero" range:"0 to 60000 milliseconds"`
}

// CancelResult is sent when the command has been signalled, not when it is dead.
// An unknown or finished command is a normal result.
type CancelResult struct {
	State     executor.State `json:"state"`
	Signalled bool           `json:"signalled"`
}

// AckParams of exec/ack: how much of a command's output the client has taken care
// of. The number is a sum, so that one that is lost or repeated does no harm; one that
// goes back, or beyond what was sent, is ignored.
//
//wire:strict
type AckParams struct {
	ExecID   string `json:"execId"`
	Consumed int64  `json:"consumed"` // the lengths of all output events so far, of all streams
}

// ListParams of exec/list.
//
//wire:strict
type ListParams struct {
	IncludeFinished bool `json:"includeFinished,omitzero"` // also those whose output is kept
}

// ListResult of exec/list: the finished ones in the order of their ends, then the
// others in the order of arrival.
type ListResult struct {
	Execs []ExecInfo    `json:"execs"`
	Saved []SavedOutput `json:"saved"` // oldest first, whether their commands are kept or not
}

// ExecInfo is one row of exec/list.
type ExecInfo struct {
	ExecID      string         `json:"execId"`
	RequestID   RequestID      `json:"requestId,omitzero"` // not of a finished one: the id may be in use again
	State       executor.State `json:"state"`
	Description string         `json:"description,omitzero"`
	Command     string         `json:"command"`
	Cwd         string         `json:"cwd"`
	PID         int            `json:"pid,omitzero"`
	StartedAt   string         `json:"startedAt,omitzero"`   // RFC 3339
	SandboxMode sandbox.Mode   `json:"sandboxMode,omitzero"` // of a started one
	TotalBytes  int64          `json:"totalBytes"`

	SpoolExpiresAt string `json:"spoolExpiresAt,omitzero"` // RFC 3339; of a finished one
	SaveAs         string `json:"saveAs,omitzero"`         // the name its output will have; not of a finished one
}
