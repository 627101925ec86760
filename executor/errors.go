package executor

import (
	"fmt"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Every error of Admit and Do means that no process was started. Besides the
// types below they return *workspace.OutsideError, *sandbox.UnavailableError,
// *sandbox.SetupError and *sandbox.SpawnError.

// ParamError is a request that contradicts itself or asks for what was not
// granted. Path is a JSON pointer into the request.
type ParamError struct {
	Path     string
	Expected string
	Got      string
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("%s: expected %s, got %s", e.Path, e.Expected, e.Got)
}

// UnknownError is an execId that names no command.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no command has the execId %q; exec/list has those that wait or run", e.ID)
}

// StdinError is a write to a command whose input was not left open.
type StdinError struct{ ID string }

func (e *StdinError) Error() string {
	return fmt.Sprintf("the input of %q takes no more than it was given; start it with stdin.open", e.ID)
}

// StdinFullError refuses a write because too much waits already.
type StdinFullError struct {
	ID      string
	Waiting int // bytes
}

func (e *StdinFullError) Error() string {
	return fmt.Sprintf("busy: %d bytes wait for %q to read them", e.Waiting, e.ID)
}

// TerminalError is a resize of a command that has no terminal.
type TerminalError struct{ ID string }

func (e *TerminalError) Error() string {
	return fmt.Sprintf("%q has no terminal; start it with pty", e.ID)
}

// SignalError is a signal that can't be sent here.
type SignalError struct {
	Name      string
	Supported []string
}

func (e *SignalError) Error() string {
	return fmt.Sprintf("signal %q is not one of %s", e.Name, strings.Join(e.Supported, ", "))
}

// DuplicateError refuses an execId that is in use.
type DuplicateError struct {
	ID    string
	State State
}

func (e *DuplicateError) Error() string {
	if e.State == StateFinished {
		return fmt.Sprintf("the output of execId %q is still kept; choose another or release it", e.ID)
	}
	return fmt.Sprintf("execId %q is already %s; choose another or wait for its result", e.ID, e.State)
}

// BusyError refuses a command because the queue is full, there are too many
// sandboxes, or there is no room for its output.
type BusyError struct {
	Running, Queued int
	Awaiting        int // questions to a person, where those are too many
	RetryAfter      time.Duration
	Saved           []string           // outputs that must be released first; nil: not they are too many
	Full            *sandbox.FullError // it is the sandboxes that are too many, not the commands
	Spooled         int64              // bytes of output, where that of running commands is too much
	Burden          int64              // bytes of requests, where those of commands that have not ended are too many
}

func (e *BusyError) Error() string {
	if e.Full != nil {
		return "busy: " + e.Full.Error()
	}
	if e.Spooled > 0 {
		return fmt.Sprintf("busy: the output of running commands fills spoolTotalBytes (%d bytes); retry when one has ended, or cancel one", e.Spooled)
	}
	if e.Burden > 0 {
		return fmt.Sprintf("busy: the requests of commands that have not ended hold %d bytes; retry when one has ended, or send input by exec/write", e.Burden)
	}
	if e.Saved != nil && len(e.Saved) == 0 {
		return "busy: too many running commands save their output; retry when one has ended"
	}
	if e.Saved != nil {
		return fmt.Sprintf("busy: too much is saved; release an output that is not needed any more (%s)", strings.Join(e.Saved, ", "))
	}
	if e.Awaiting > 0 {
		return fmt.Sprintf("busy: %d commands wait for a person's approval", e.Awaiting)
	}
	return fmt.Sprintf("busy: %d commands run and %d wait; retry in %s", e.Running, e.Queued, e.RetryAfter)
}

// InUseError refuses to reset a sandbox while commands run in it. Nothing was
// changed.
type InUseError struct {
	Name  string
	Execs []string // the commands' ids, as far as they are known
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("commands are running in the sandbox %q (%s); wait for them, cancel them, or reset with force", e.Name, strings.Join(e.Execs, ", "))
}

// DeniedError is a guard verdict of deny.
type DeniedError struct{ Verdict guard.Verdict }

func (e *DeniedError) Error() string {
	if f := e.Verdict.Findings; len(f) > 0 && f[0].Verbatim {
		return f[0].Message
	}
	return "denied: " + firstMessage(e.Verdict)
}

// ApprovalError is a guard verdict of ask without an approval.
type ApprovalError struct {
	Verdict  guard.Verdict
	Offer    *Offer    // how the command can be sent again, nil if it can't
	given    []Access  // what the command lacks and a yes gives
	proposal *proposal // what a person would be shown, nil where there is nobody to ask
}

func (e *ApprovalError) Error() string { return "needs approval: " + firstMessage(e.Verdict) }

// DeclinedError is a guard verdict of ask that a person, or a client, did not approve.
type DeclinedError struct {
	Verdict guard.Verdict
	By      string // ByClient, …
	Message string // the person's
}

func (e *DeclinedError) Error() string {
	why := map[string]string{
		ByTimeout: "nobody answered in time", ByUnsupported: "the client can't ask", ByMalformed: "the answer was not one of those offered",
		ByRounds: fmt.Sprintf("asked about %d times", maxRounds),
	}[e.By]
	if why == "" {
		return "declined: " + firstMessage(e.Verdict)
	}
	return fmt.Sprintf("declined (%s): %s", why, firstMessage(e.Verdict))
}

func firstMessage(v guard.Verdict) string {
	for _, f := range v.Findings {
		if f.Decision == v.Decision {
			return f.Message
		}
	}
	return strings.TrimSpace("refused by policy " + v.PolicyID)
}

// CancelledError is a command that was cancelled before it started, or a Read.
type CancelledError struct {
	Phase string // "queued", "guard", "awaitingApproval", "spawn"; "reading"
	Why   Reason // Cancelled, Shutdown or Gone
}

func (e *CancelledError) Error() string {
	why := map[Reason]string{Gone: "shutdown (the client is gone)"}[e.Why]
	if why == "" {
		why = string(e.Why)
	}
	while := map[string]string{
		"queued": "it waited for its turn", "guard": "it was judged", "awaitingApproval": "a person was asked",
		"spawn": "it was started", "reading": "it waited for output", "writing": "it waited to be taken",
	}[e.Phase]
	if while == "" {
		while = e.Phase
	}
	return why + " while " + while
}

// UnknownNameError is a name under which no output is saved.
type UnknownNameError struct{ Name string }

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("no output is saved as %.80q; exec/list has those that are", e.Name)
}

// NameTakenError refuses to save output under a name that other output has, or will have.
// That would be lost, or change under its readers.
type NameTakenError struct {
	Name  string
	ID    string // of the command whose output has it
	State State
}

func (e *NameTakenError) Error() string {
	if e.State == StateFinished {
		return fmt.Sprintf("output is saved as %q already; choose another name or release it", e.Name)
	}
	return fmt.Sprintf("the output of %q, which is %s, will be saved as %q; choose another name", e.ID, e.State, e.Name)
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
