package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// UndoArguments are those of the tool undo. What a person has changed since is theirs:
// a model can't have it overwritten.
type UndoArguments struct {
	ExecID string   `json:"execId,omitzero" jsonschema:"of a command that exec has run in this session; the last one that changed something if absent"`
	Paths  []string `json:"paths,omitempty" jsonschema:"only what is at or below these: absolute"`
}

// UndoReport is what the tool undo returns besides text.
type UndoReport struct {
	Error    *Refusal            `json:"error,omitempty"`
	ExecID   string              `json:"execId,omitempty" jsonschema:"the command that was undone"`
	Restored int64               `json:"restored" jsonschema:"files that are as before the command"`
	Removed  int64               `json:"removed" jsonschema:"files that the command had made"`
	Left     []protocol.LeftPath `json:"left,omitempty" jsonschema:"what was not touched, and why"`
}

// done is a command of this session that changed files.
type done struct{ execID, id string }

// maxDone bounds how many of them can be undone by the model.
const maxDone = 100

func (s *session) changed(r protocol.ExecResult) {
	if r.Effects == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done = append(s.done, done{r.ExecID, r.Effects.ID}); len(s.done) > maxDone {
		s.done = s.done[1:]
	}
}

// take is a command to be undone, "" the last one. It is forgotten unless only some paths
// are meant: its undo is not a command of the model's.
func (s *session) take(execID string, forget bool) (done, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.done) - 1; i >= 0; i-- {
		if d := s.done[i]; execID == "" || d.execID == execID {
			if forget {
				s.done = append(s.done[:i], s.done[i+1:]...)
			}
			return d, nil
		}
	}
	text := "no command of this session has changed a file"
	if execID != "" {
		text = fmt.Sprintf("the command %.80q of this session has changed no file, or was undone", execID)
	}
	return done{}, Refusal{Code: int(protocol.CodeNotUndone), Kind: "notUndone", Message: plain(text)}
}

// undo serves the tool undo.
func (s *session) undo(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a UndoArguments
	var d done
	var r protocol.UndoResult
	var err error
	if len(req.Params.Arguments) > 0 { // a host may leave them out
		err = protocol.DecodeTool(req.Params.Arguments, &a)
	}
	if err == nil {
		d, err = s.take(a.ExecID, len(a.Paths) == 0)
	}
	if err == nil {
		err = s.call(ctx, req, "exec/undo", protocol.UndoParams{ExecID: d.id, Paths: a.Paths}, &r)
	}
	if err != nil {
		return refused(err, protocol.ExecParams{}, func(r *Refusal) any { return UndoReport{Error: r} }), nil
	}
	text := "pillion: " + strings.ReplaceAll(display.Plain(r.Display), "\n", "\npillion: ")
	return &mcp.CallToolResult{
		StructuredContent: UndoReport{ExecID: d.execID, Restored: r.Restored, Removed: r.Removed, Left: r.Left},
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
	}, nil
}
