package protocol

// Effects are what a command did to files of the workspace, as far as it is kept. They
// are absent where nothing was changed, or where the system keeps nothing: see
// docs/undo.md.
type Effects struct {
	ID         string   `json:"id"`   // names the command for exec/undo and exec/effects, also in later sessions
	Text       string   `json:"text"` // for a person: "2 changed, 3 deleted"
	Created    int64    `json:"created"`
	Modified   int64    `json:"modified"`
	Deleted    int64    `json:"deleted"`
	Renamed    int64    `json:"renamed"`
	Bytes      int64    `json:"bytes"`      // that are kept
	Restorable bool     `json:"restorable"` // all of it; else some of the effects say why not
	First      []Effect `json:"first"`      // at most 64; exec/effects has all of them
}

// Effect is one of them.
type Effect struct {
	Kind EffectKind `json:"kind"`
	Path string     `json:"path"`          // before the command
	To   string     `json:"to,omitzero"`   // of "renamed"
	Why  string     `json:"why,omitzero"`  // why it can't be undone; absent: it can
	Kept string     `json:"kept,omitzero"` // a file that holds what was there; only to be read
}

// EffectsParams ask for the effects of a command, in the order in which they came.
//
//wire:strict
type EffectsParams struct {
	ExecID string `json:"execId,omitzero"`                             // or the id of its effects; absent: the last command of the workspace
	From   int64  `json:"from,omitzero" range:"0 to 9007199254740991"` // the first one, counted from 0
	Limit  int    `json:"limit,omitzero" range:"1 to 1000"`            // at most so many; 1000 if absent, which is the most
}

// EffectsResult is a part of them.
type EffectsResult struct {
	Effects []Effect `json:"effects"`
	More    bool     `json:"more"`
}

// UndoParams ask to take back what a command did.
//
//wire:strict
type UndoParams struct {
	ExecID string   `json:"execId,omitzero"` // or the id of its effects; absent: the last command of the workspace
	Paths  []string `json:"paths,omitzero"`  // absolute; only what is at or below these
	Force  bool     `json:"force,omitzero"`  // also what was changed since, which is kept in turn
	DryRun bool     `json:"dryRun,omitzero"` // say what would be done
}

// UndoResult says what was done. An undo is a change that can be undone by its execId.
type UndoResult struct {
	ExecID   string     `json:"execId"` // what was undone
	UndoID   string     `json:"undoId,omitzero"`
	Text     string     `json:"text"` // for a person: "restored 2 files, removed 1 that it had made"
	Restored int64      `json:"restored"`
	Removed  int64      `json:"removed"` // of what the command had made
	Left     []LeftPath `json:"left"`    // at most 1000
	LeftMore int64      `json:"leftMore,omitzero"`

	Display []DisplayLine `json:"display"` // for a person: what was done and what was not
}

// LeftPath was not touched.
type LeftPath struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// UndoListParams are empty.
//
//wire:strict
type UndoListParams struct{}

// UndoListResult are the commands of the workspace that can be undone, the newest first.
type UndoListResult struct {
	Execs []UndoableExec `json:"execs"` // at most 1000
}

// UndoableExec is one of them, or an undo.
type UndoableExec struct {
	ExecID    string `json:"execId"`
	Command   string `json:"command"`
	StartedAt string `json:"startedAt"`       // RFC 3339
	Undoes    string `json:"undoes,omitzero"` // of an undo: the execId
	Ended     bool   `json:"ended"`           // false: it runs, or was cut off
	ID        string `json:"id"`              // names it for exec/undo: an execId may come again
	Text      string `json:"text"`            // for a person: "2 changed, 3 deleted"
	Created   int64  `json:"created"`
	Modified  int64  `json:"modified"`
	Deleted   int64  `json:"deleted"`
	Renamed   int64  `json:"renamed"`
	Unkept    int64  `json:"unkept"` // changes that can't be undone
}
