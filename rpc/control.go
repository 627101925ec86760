package rpc

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/executor"
)

// maxGraceMs bounds the time that a cancel gives a command.
const maxGraceMs = 60_000

// execCancel answers when the command has been signalled, not when it is dead.
func (s *server) execCancel(p *CancelParams) (any, error) {
	if p.ExecID == "" {
		return nil, invalidParams("/execId", "the execId of a command", "none")
	}
	if p.GraceMs < 0 || p.GraceMs > maxGraceMs {
		return nil, invalidParams("/graceMs", fmt.Sprintf("0 to %d", maxGraceMs), fmt.Sprint(p.GraceMs))
	}
	state, signalled := s.commands().Cancel(p.ExecID, milliseconds(p.GraceMs), p.Force)
	s.log.Debug("cancel", "exec", display(p.ExecID), "state", state, "reason", display(p.Reason))
	return CancelResult{State: string(state), Signalled: signalled}, nil
}

// cancelRequest stops the exec, exec/read, exec/write or guard/check with that id.
// Of another id nothing is kept: stdin is ordered, so that request has been answered or never was.
func (s *server) cancelRequest(p *CancelRequestParams) (any, error) {
	s.mu.Lock()
	c := s.calls[p.ID.id()]
	for _, f := range []inFlight{s.checks, s.reads, s.writes} {
		f.cancel(p.ID.id())
	}
	s.mu.Unlock()
	c.cancel()
	return nil, nil
}

// workDoneCancel is what an editor's progress bar sends.
func (s *server) workDoneCancel(p *WorkDoneCancelParams) (any, error) {
	s.mu.Lock()
	c := s.tokens[p.Token.key()]
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
func (s *server) execList(p *ListParams) (any, error) {
	s.mu.Lock()
	ids := map[string]RequestID{}
	for id, c := range s.calls {
		ids[c.run.ID()] = requestID(id)
	}
	s.mu.Unlock()
	out := ListResult{Execs: []ExecInfo{}, Saved: []SavedOutput{}}
	for _, saved := range s.commands().Saved() {
		out.Saved = append(out.Saved, savedOutput(saved))
	}
	for _, i := range s.commands().List(p.IncludeFinished) {
		id, known := ids[i.ID]
		if !known && i.State != executor.StateFinished {
			continue // it has just ended
		}
		out.Execs = append(out.Execs, ExecInfo{
			ExecID: i.ID, RequestID: id, State: string(i.State), Description: i.Description, Command: i.Command,
			Cwd: i.Cwd, PID: i.PID, StartedAt: stamp(i.StartedAt), SandboxMode: string(i.Mode), TotalBytes: i.TotalBytes,
			SpoolExpiresAt: stamp(i.Expires), SaveAs: i.SaveAs,
		})
	}
	return out, nil
}
