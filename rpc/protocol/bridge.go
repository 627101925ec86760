package protocol

import "github.com/go-json-experiment/json/jsontext"

// ExecuteCommandOptions are LSP's.
type ExecuteCommandOptions struct {
	Commands         []string `json:"commands"` // "pillion.exec", "pillion.exec.cancel", "pillion.check"
	WorkDoneProgress bool     `json:"workDoneProgress"`
}

// ExecuteCommandParams of workspace/executeCommand, LSP's way to a command of a
// server. They and their argument are decoded strictly.
//
//wire:strict
type ExecuteCommandParams struct {
	Command            string           `json:"command"`            // one of executeCommandProvider.commands
	Arguments          []jsontext.Value `json:"arguments,omitzero"` // one: ExecParams, CancelParams or CheckParams
	WorkDoneToken      ProgressToken    `json:"workDoneToken,omitzero"`
	PartialResultToken ProgressToken    `json:"partialResultToken,omitzero"`
}

// ExecuteCommandResult is that of the method that the command stands for.
//
//wire:type ExecResult | CancelResult | CheckResult
type ExecuteCommandResult struct{ raw jsontext.Value }

// UnmarshalJSON keeps whichever it is.
func (r *ExecuteCommandResult) UnmarshalJSON(b []byte) error {
	r.raw = jsontext.Value(b).Clone()
	return nil
}

// MarshalJSON gives it back.
func (r ExecuteCommandResult) MarshalJSON() ([]byte, error) { return r.raw, nil }
