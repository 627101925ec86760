package protocol

import (
	"cmp"
	"fmt"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// The error codes of the protocol. Ours lie outside the ranges that JSON-RPC and
// LSP reserve, where other protocols have already given them several meanings.
const (
	CodeParse                = jsonrpc.ParseError           // -32700
	CodeInvalidRequest       = jsonrpc.InvalidRequest       // -32600
	CodeMethodNotFound       = jsonrpc.MethodNotFound       // -32601
	CodeInvalidParams        = jsonrpc.InvalidParams        // -32602
	CodeInternal             = jsonrpc.InternalError        // -32603
	CodeServerNotInitialized = jsonrpc.ServerNotInitialized // -32002

	CodeCancelled            jsonrpc.Code = -32800
	CodeServerCancelled      jsonrpc.Code = -32802
	CodeGuardDenied          jsonrpc.Code = -31001
	CodeApprovalRequired     jsonrpc.Code = -31002
	CodeApprovalDeclined     jsonrpc.Code = -31003
	CodeSandboxUnavailable   jsonrpc.Code = -31004
	CodeSandboxSetupFailed   jsonrpc.Code = -31005
	CodeSpawnFailed          jsonrpc.Code = -31006
	CodePathOutsideWorkspace jsonrpc.Code = -31007
	CodeUnknownExec          jsonrpc.Code = -31008
	CodeDuplicateExec        jsonrpc.Code = -31009
	CodeStdinUnavailable     jsonrpc.Code = -31010
	CodeNotPty               jsonrpc.Code = -31011
	CodeSignalUnsupported    jsonrpc.Code = -31012
	CodeServerBusy           jsonrpc.Code = -31013
	CodeOutputExpired        jsonrpc.Code = -31014
	CodeUnknownRule          jsonrpc.Code = -31015
	CodeUnsupportedProtocol  jsonrpc.Code = -31016
	CodePolicyInvalid        jsonrpc.Code = -31017
	CodeSandboxInUse         jsonrpc.Code = -31018
	CodeDuplicateName        jsonrpc.Code = -31019
	CodeUnknownName          jsonrpc.Code = -31020
	CodeNotUndone            jsonrpc.Code = -31021
)

// ErrorData is part of the data of every error. Started is always false: once a
// process has started, the answer is a result.
type ErrorData struct {
	Kind      ErrorKind `json:"kind"`
	Started   bool      `json:"started"`
	Retryable bool      `json:"retryable"` // the same request may succeed later
	ExecID    string    `json:"execId,omitzero"`

	Display []DisplayLine `json:"display,omitempty"` // for a person: why a command did not start, and what to do
}

// DetailData says what was wrong with a message or a request.
type DetailData struct {
	ErrorData
	Detail string `json:"detail,omitzero"`
}

// MessageTooLargeData of a body over Limits.MaxMessageBytes.
type MessageTooLargeData struct {
	ErrorData
	Limit int64 `json:"limit"`
	Got   int64 `json:"got"`
}

// InternalData names the log line that has the details of a bug.
type InternalData struct {
	ErrorData
	Incident string `json:"incident"`
}

// InvalidParamsData says which member is wrong and how. Got never holds a value
// of env.
type InvalidParamsData struct {
	ErrorData
	Path      string   `json:"path"` // JSON pointer into params
	Expected  string   `json:"expected"`
	Got       string   `json:"got"`
	Unknown   []string `json:"unknown,omitempty"`
	Duplicate []string `json:"duplicate,omitempty"`
}

// Error says it in a line.
func (d *InvalidParamsData) Error() string {
	return fmt.Sprintf("%s: expected %s, got %s", cmp.Or(d.Path, "params"), d.Expected, d.Got)
}

// CancelledData says how far a command that never started had come, or that it
// was an exec/read that waited.
type CancelledData struct {
	ErrorData
	Phase Phase  `json:"phase,omitzero"`
	Cause string `json:"cause,omitzero"` // "shutdown"
}

// VerdictData of guardDenied.
type VerdictData struct {
	ErrorData
	Verdict GuardVerdict `json:"verdict"`
}

// SandboxUnavailableData says what was asked for and can't be had.
type SandboxUnavailableData struct {
	ErrorData
	Requested RequestedSandbox `json:"requested"`
	Effective Enforcement      `json:"effective"`
	Missing   []MissingFeature `json:"missing"`
}

// RequestedSandbox is the policy that was refused.
type RequestedSandbox struct {
	Mode    sandbox.Mode    `json:"mode"`
	Network sandbox.Network `json:"network"`
	Reads   sandbox.Reads   `json:"reads"`
	Require sandbox.Require `json:"require"`
	Name    string          `json:"name,omitzero"`
}

// SandboxSetupData of a sandbox that should have worked.
type SandboxSetupData struct {
	ErrorData
	Stage  string `json:"stage"`
	Errno  string `json:"errno,omitzero"`
	Detail string `json:"detail"`
}

// SpawnData of a program that could not be started.
type SpawnData struct {
	ErrorData
	Errno   string `json:"errno"` // "ENOENT", …
	Program string `json:"program"`
	Detail  string `json:"detail"`
}

// OutsideData of a path in none of the open folders.
type OutsideData struct {
	ErrorData
	Path     string          `json:"path"`
	Resolved string          `json:"resolved,omitzero"`
	Folders  []string        `json:"folders"`
	Refused  []RefusedFolder `json:"refused,omitempty"`
}

// RefusedFolder is a folder of the editor that is not part of the workspace.
type RefusedFolder struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// PolicyInvalidData names what is wrong with policy files of the workspace.
type PolicyInvalidData struct {
	ErrorData
	Problems []PolicyProblem `json:"problems"`
}

// PolicyProblem is one mistake. Line and column count from 1; 0 is the file as a
// whole.
type PolicyProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key,omitzero"`
	Message string `json:"message"`
}

// DuplicateExecData of an execId in use.
type DuplicateExecData struct {
	ErrorData
	State executor.State `json:"state"`
}

// BusyData of a full queue, or of other room that is taken.
type BusyData struct {
	ErrorData
	Running      int   `json:"running"`
	Queued       int   `json:"queued"`
	RetryAfterMs int64 `json:"retryAfterMs"`

	Release []string `json:"release,omitempty"` // names of saved outputs: they take too much, and one has to be released
}

// SandboxInUseData of sandbox/reset.
type SandboxInUseData struct {
	ErrorData
	Name  string   `json:"name"`
	Execs []string `json:"execs"` // that run in it
}

// UnknownRuleData of guard/explain.
type UnknownRuleData struct {
	ErrorData
	RuleID  string `json:"ruleId"`
	Nearest string `json:"nearest"` // the id that was probably meant
}

// UnsupportedProtocolData of initialize. Retry is LSP's InitializeError.
type UnsupportedProtocolData struct {
	ErrorData
	Supported []int `json:"supported"`
	Requested int   `json:"requested"`
	Retry     bool  `json:"retry"`
}
