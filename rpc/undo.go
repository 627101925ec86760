package rpc

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

// UndoSupported says whether what commands change is kept on this system.
const UndoSupported = journal.Supported

// maxListed bounds what one answer lists.
const maxListed = 1000

// journal is the one of the session's workspace.
func (s *server) journal() *executor.Journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine.Journal(s.folders.set.Folders())
}

func (s *server) execEffects(ctx context.Context, _ jsonrpc.ID, p *protocol.EffectsParams) (any, error) {
	j := s.journal()
	jsonrpc.Async(ctx)
	limit := cmp.Or(p.Limit, maxListed)
	out := protocol.EffectsResult{Effects: []protocol.Effect{}}
	at := int64(0)
	err := j.Changes(p.ExecID, func(c journal.Change) bool {
		if at++; at <= p.From {
			return true
		}
		if out.More = len(out.Effects) == limit; out.More {
			return false
		}
		out.Effects = append(out.Effects, convert.Effect(c))
		return true
	})
	return out, convert.UndoError(err)
}

func (s *server) execUndo(ctx context.Context, _ jsonrpc.ID, p *protocol.UndoParams) (any, error) {
	for i, path := range p.Paths {
		if !filepath.IsAbs(path) {
			return nil, protocol.Invalid(fmt.Sprintf("/paths/%d", i), "an absolute path", path)
		}
	}
	j := s.journal()
	jsonrpc.Async(ctx)
	u, r, err := j.Undo(p.ExecID, journal.Options{Paths: p.Paths, Force: p.Force, DryRun: p.DryRun})
	if err != nil {
		return nil, convert.UndoError(err)
	}
	if r.Restored+r.Removed == 0 {
		r.Entry = "" // an undo of nothing can't be undone
	}
	out := protocol.UndoResult{
		ExecID: u.ExecID, UndoID: r.Entry, Text: r.Text(p.DryRun),
		Restored: r.Restored, Removed: r.Removed, Left: []protocol.LeftPath{}, LeftMore: r.LeftMore,
	}
	for _, l := range r.Left {
		out.Left = append(out.Left, protocol.LeftPath{Path: strings.ToValidUTF8(l.Path, "\uFFFD"), Why: l.Why})
	}
	out.Display = display.Undo(out)
	return out, nil
}

func (s *server) undoList(ctx context.Context, _ jsonrpc.ID, _ *protocol.UndoListParams) (any, error) {
	j := s.journal()
	jsonrpc.Async(ctx)
	list, err := j.List()
	if err != nil {
		return nil, convert.UndoError(err)
	}
	out := protocol.UndoListResult{Execs: []protocol.UndoableExec{}}
	for _, u := range list[:min(len(list), maxListed)] {
		out.Execs = append(out.Execs, protocol.UndoableExec{
			ID: u.ID, Text: u.String(), ExecID: u.ExecID, Command: display.Line(u.Command), StartedAt: protocol.Stamp(u.At), Undoes: u.Undoes, Ended: u.Ended,
			Created: u.Created, Modified: u.Modified, Deleted: u.Deleted, Renamed: u.Renamed, Unkept: u.Unkept,
		})
	}
	return out, nil
}
