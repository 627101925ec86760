package journal

import (
	"errors"
	"fmt"
)

// Options of an undo.
type Options struct {
	Paths  []string // only what is below these; none means all
	Force  bool     // also what was changed since; the entry of the undo keeps that
	DryRun bool
	Name   string // of the entry that keeps what the undo changes
	Meta   []byte
}

// Left is what an undo did not touch.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Result says what an undo did.
type Result struct {
	Restored int64  `json:"restored"`
	Removed  int64  `json:"removed"`
	Left     []Left `json:"left"`
	LeftMore int64  `json:"leftMore,omitzero"` // that are not in Left
	Entry    string `json:"undo"`              // what keeps what the undo changed
}

// Text says it for a person, without what was left; dry is what an undo would do.
func (r Result) Text(dry bool) string {
	restored, removed := "restored", "removed"
	if dry {
		restored, removed = "would restore", "would remove"
	}
	files := "1 file"
	if r.Restored != 1 {
		files = fmt.Sprintf("%d files", r.Restored)
	}
	return fmt.Sprintf("%s %s, %s %d that it had made", restored, files, removed, r.Removed)
}

var (
	// ErrRuns is an entry whose command has not ended.
	ErrRuns = errors.New("the command still runs")
	// ErrUnavailable is a system on which nothing is kept.
	ErrUnavailable = errors.New("what commands change is kept on Linux only")
)
