package protocol

import (
	"github.com/pillion-sidecar/pillion/executor"
)

// WriteParams of exec/write. Exactly one of text and data; neither only with close.
//
//wire:strict
type WriteParams struct {
	ExecID string  `json:"execId"`
	Text   *string `json:"text,omitzero"`
	Data   []byte  `json:"data,omitzero"`                                       // base64
	Close  bool    `json:"close,omitzero"`                                      // the input ends after it
	Offset *int64  `json:"offset,omitzero" range:"0 to 9007199254740991 bytes"` // of its first byte in the input: what was accepted before is not taken twice
}

// WriteResult is sent when the bytes wait for the command to read them, not when it
// has.
type WriteResult struct {
	Status        executor.WriteState `json:"status"`
	AcceptedBytes int64               `json:"acceptedBytes"`
	Offset        int64               `json:"offset"` // where the next write begins
}

// SignalParams of exec/signal, to every process of the command.
//
//wire:strict
type SignalParams struct {
	ExecID string `json:"execId"`
	Signal string `json:"signal"` // one of execProvider.signals
}

// SignalResult says whether there was a process to send it to.
type SignalResult struct {
	Delivered bool `json:"delivered"`
}

// CancelAllParams of exec/cancelAll.
//
//wire:strict
type CancelAllParams struct{}

// CancelAllResult counts the commands that were not being ended already.
type CancelAllResult struct {
	Signalled int `json:"signalled"`
}

// SignalUnsupportedData of a signal that can't be sent here.
type SignalUnsupportedData struct {
	ErrorData
	Supported []string `json:"supported"`
}

// PtyParams ask for a pseudo-terminal. Its output is one stream, "pty".
type PtyParams struct {
	Rows int    `json:"rows" range:"1 to 10000"` // characters
	Cols int    `json:"cols" range:"1 to 10000"`
	Term string `json:"term,omitzero"` // TERM, default xterm-256color
}

// ResizeParams of exec/resize.
//
//wire:strict
type ResizeParams struct {
	ExecID string       `json:"execId"`
	Size   TerminalSize `json:"size"`
}

// TerminalSize is in characters.
type TerminalSize struct {
	Rows int `json:"rows" range:"1 to 10000"`
	Cols int `json:"cols" range:"1 to 10000"`
}
