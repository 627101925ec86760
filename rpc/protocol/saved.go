package protocol

import (
	"github.com/pillion-sidecar/pillion/executor"
)

// SavedOutput is what output.saveAs has kept. It stays until exec/release, or
// until the session ends.
type SavedOutput struct {
	Name     string                 `json:"name"`
	ExecID   string                 `json:"execId"` // of the command that wrote it; another one may have it by now
	Command  string                 `json:"command"`
	SavedAt  string                 `json:"savedAt"`  // RFC 3339: when the command ended
	Bytes    int64                  `json:"bytes"`    // of all streams
	Complete bool                   `json:"complete"` // all that the command wrote; false: there was no room for more, which ended it
	Streams  map[string]SavedStream `json:"streams"`  // "stdout", "stderr", "pty"
}

// SavedStream is one stream of it, from the first byte on.
type SavedStream struct {
	Bytes      int64  `json:"bytes"`         // that are kept
	TotalBytes int64  `json:"totalBytes"`    // that the command wrote
	File       string `json:"file,omitzero"` // below $PILLION_OUTPUTS of later commands; absent: it could be none
}

// DuplicateNameData of output.saveAs with a name that is taken.
type DuplicateNameData struct {
	ErrorData
	Name   string         `json:"name"`
	Holder string         `json:"holder"` // execId of the command whose output has it
	State  executor.State `json:"state"`  // of that command
}

// UnknownNameData of a name under which nothing is saved.
type UnknownNameData struct {
	ErrorData
	Name string `json:"name"`
}
