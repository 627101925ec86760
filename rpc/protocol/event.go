package protocol

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/executor"
)

// ProgressParams of $/progress. Value is one of the events below, or LSP's
// begin, report and end.
type ProgressParams struct {
	Token ProgressToken  `json:"token"`
	Value jsontext.Value `json:"value" wire:"partial | WorkDoneProgress"`
}

// The events of a partialResultToken have a type and, so that no editor takes
// them for a progress bar's, no kind.

// StartedEvent says that a process exists. It precedes all output.
type StartedEvent struct {
	Type      string           `json:"type" wire:"'started'"`
	ExecID    string           `json:"execId"`
	PID       int              `json:"pid"`
	StartedAt string           `json:"startedAt"` // RFC 3339
	Sandbox   EffectiveSandbox `json:"sandbox"`
}

// OutputEvent is a run of output bytes. Offset and Length count bytes of the
// stream, whatever the encoding; Seq counts the events of one command.
type OutputEvent struct {
	Type   string          `json:"type" wire:"'output'"`
	Seq    int64           `json:"seq"`
	Stream executor.Stream `json:"stream"`
	Offset int64           `json:"offset"`
	Length int             `json:"length"`
	Text   *string         `json:"text,omitzero"` // exactly one of text and data
	Data   []byte          `json:"data,omitzero"` // base64: not valid UTF-8, or asked for
}

// GapEvent names bytes [From, To) that are not in the stream of events.
type GapEvent struct {
	Type   string          `json:"type" wire:"'gap'"`
	Seq    int64           `json:"seq"`
	Stream executor.Stream `json:"stream"`
	From   int64           `json:"from"`
	To     int64           `json:"to"`
	Reason GapReason       `json:"reason"`

	Display []DisplayLine `json:"display"` // for a person
}

// ViolationEvent reports something the sandbox refused, to clients that announced the
// event. It comes when the command has ended; of the network, at once.
type ViolationEvent struct {
	Type      string    `json:"type" wire:"'violation'"`
	Seq       int64     `json:"seq"`
	Violation Violation `json:"violation"`

	Display []DisplayLine `json:"display"` // for a person
}

// WaitingParams of exec/waiting: a process of the command is blocked reading the command's
// input, and none computes. It comes once for each answer that is wanted, after the
// output. exec/write answers, or ends the input.
type WaitingParams struct {
	ExecID  string             `json:"execId"`
	Kind    executor.InputKind `json:"kind"`
	Prompt  string             `json:"prompt"`  // the last line of the output where it is not finished, at most 200 bytes, else ""
	Process string             `json:"process"` // the name of the program that reads
	PID     int                `json:"pid"`
	Display []DisplayLine      `json:"display"` // for a person
}

// WorkDoneProgress is LSP's value on a workDoneToken.
type WorkDoneProgress struct {
	Kind        string `json:"kind" wire:"'begin' | 'report' | 'end'"`
	Title       string `json:"title,omitzero"`
	Cancellable bool   `json:"cancellable,omitzero"`
	Message     string `json:"message,omitzero"`
}

// LogMessageParams of window/logMessage.
type LogMessageParams struct {
	Type    int    `json:"type"` // 1 error, 2 warning, 3 info, 4 log
	Message string `json:"message"`
}

// SetTraceParams of $/setTrace.
type SetTraceParams struct {
	Value TraceValue `json:"value"`
}

// LogTraceParams of $/logTrace.
type LogTraceParams struct {
	Message string `json:"message"`          // such as "Received request 'exec - (7)'."
	Verbose string `json:"verbose,omitzero"` // params or result, with most texts left out; for the eye, no JSON to rely on
}

// CancelRequestParams of $/cancelRequest.
type CancelRequestParams struct {
	ID RequestID `json:"id"`
}

// WorkDoneCancelParams of window/workDoneProgress/cancel.
type WorkDoneCancelParams struct {
	Token ProgressToken `json:"token"`
}

// DidChangeFoldersParams of workspace/didChangeWorkspaceFolders.
type DidChangeFoldersParams struct {
	Event FoldersEvent `json:"event"`
}

// FoldersEvent is what came and what went.
type FoldersEvent struct {
	Added   []WorkspaceFolder `json:"added"`
	Removed []WorkspaceFolder `json:"removed"`
}
