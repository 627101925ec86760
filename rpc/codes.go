package rpc

import "go.lsp.dev/jsonrpc2"

// The error codes of the protocol. Ours lie outside the ranges that JSON-RPC and
// LSP reserve, where other protocols have already given them several meanings.
const (
	CodeParse                = jsonrpc2.ParseError           // -32700
	CodeInvalidRequest       = jsonrpc2.InvalidRequest       // -32600
	CodeMethodNotFound       = jsonrpc2.MethodNotFound       // -32601
	CodeInvalidParams        = jsonrpc2.InvalidParams        // -32602
	CodeInternal             = jsonrpc2.InternalError        // -32603
	CodeServerNotInitialized = jsonrpc2.ServerNotInitialized // -32002

	CodeCancelled            jsonrpc2.Code = -32800
	CodeServerCancelled      jsonrpc2.Code = -32802
	CodeGuardDenied          jsonrpc2.Code = -31001
	CodeApprovalRequired     jsonrpc2.Code = -31002
	CodeApprovalDeclined     jsonrpc2.Code = -31003
	CodeSandboxUnavailable   jsonrpc2.Code = -31004
	CodeSandboxSetupFailed   jsonrpc2.Code = -31005
	CodeSpawnFailed          jsonrpc2.Code = -31006
	CodePathOutsideWorkspace jsonrpc2.Code = -31007
	CodeUnknownExec          jsonrpc2.Code = -31008
	CodeDuplicateExec        jsonrpc2.Code = -31009
	CodeStdinUnavailable     jsonrpc2.Code = -31010
	CodeNotPty               jsonrpc2.Code = -31011
	CodeSignalUnsupported    jsonrpc2.Code = -31012
	CodeServerBusy           jsonrpc2.Code = -31013
	CodeOutputExpired        jsonrpc2.Code = -31014
	CodeUnknownRule          jsonrpc2.Code = -31015
	CodeUnsupportedProtocol  jsonrpc2.Code = -31016
	CodePolicyInvalid        jsonrpc2.Code = -31017
	CodeSandboxInUse         jsonrpc2.Code = -31018
	CodeDuplicateName        jsonrpc2.Code = -31019
	CodeUnknownName          jsonrpc2.Code = -31020
)

// ErrorData is part of the data of every error. Started is always false: once a
// process has started, the answer is a result.
type ErrorData struct {
	Kind      string `json:"kind"`
	Started   bool   `json:"started"`
	Retryable bool   `json:"retryable"` // the same request may succeed later
	ExecID    string `json:"execId,omitzero"`
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

// CancelledData says how far a command that never started had come, or that it
// was an exec/read that waited.
type CancelledData struct {
	ErrorData
	Phase string `json:"phase,omitzero"` // "queued", "guard", "awaitingApproval", "spawn", "reading"
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
	Mode    string `json:"mode"`
	Network string `json:"network"`
	Reads   string `json:"reads"`
	Require string `json:"require"`
	Name    string `json:"name,omitzero"`
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
	State string `json:"state"`
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
