package rpc

import (
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// execCancel answers when the command has been signalled, not when it is dead.
func (s *server) execCancel(p *protocol.CancelParams) (any, error) {
	if p.ExecID == "" {
		return nil, protocol.Invalid("/execId", "the execId of a command", "none")
	}
	state, signalled := s.commands().Cancel(p.ExecID, convert.Milliseconds(p.GraceMs), p.Force)
	s.log.Debug("cancel", "exec", display.Line(p.ExecID), "state", state, "reason", display.Line(p.Reason))
	return protocol.CancelResult{State: state, Signalled: signalled}, nil
}

// cancelRequest stops the exec, exec/read, exec/write or guard/check with that id.
// Of another id nothing is kept: stdin is ordered, so that request has been answered or never was.
func (s *server) cancelRequest(p *protocol.CancelRequestParams) (any, error) {
	s.mu.Lock()
	c := s.calls[p.ID.ID()]
	for _, f := range []inFlight{s.checks, s.reads, s.writes} {
		f.cancel(p.ID.ID())
	}
	s.mu.Unlock()
	c.cancel()
	return nil, nil
}

// workDoneCancel is what an editor's progress bar sends.
func (s *server) workDoneCancel(p *protocol.WorkDoneCancelParams) (any, error) {
	s.mu.Lock()
	c := s.tokens[p.Token.Key()]
	s.mu.Unlock()
	c.cancel()
	return nil, nil
}

func (c *call) cancel() {
	if c != nil {
		c.run.Cancel(executor.Cancelled, false)
	}
}

// execList lists what waits and what runs, and what can still be read.
func (s *server) execList(p *protocol.ListParams) (any, error) {
	s.mu.Lock()
	ids := map[string]protocol.RequestID{}
	for id, c := range s.calls {
		ids[c.run.ID()] = protocol.NewRequestID(id)
	}
	s.mu.Unlock()
	out := protocol.ListResult{Execs: []protocol.ExecInfo{}, Saved: []protocol.SavedOutput{}}
	for _, saved := range s.commands().Saved() {
		out.Saved = append(out.Saved, convert.SavedOutput(saved))
	}
	for _, i := range s.commands().List(p.IncludeFinished) {
		id, known := ids[i.ID]
		if !known && i.State != executor.StateFinished {
			continue // it has just ended
		}
		out.Execs = append(out.Execs, protocol.ExecInfo{
			ExecID: i.ID, RequestID: id, State: i.State, Description: i.Description, Command: i.Command,
			Cwd: i.Cwd, PID: i.PID, StartedAt: protocol.Stamp(i.StartedAt), SandboxMode: i.Mode, TotalBytes: i.TotalBytes,
			SpoolExpiresAt: protocol.Stamp(i.Expires), SaveAs: i.SaveAs,
		})
	}
	return out, nil
}
