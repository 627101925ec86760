package codex

import (
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

type writeParams struct {
	ID   string `json:"processId"`
	Data []byte `json:"chunk"`
}

func (s *server) writeInput(p writeParams) (any, error) {
	status := "unknownProcess"
	if run := s.find(p.ID); run != nil {
		var r protocol.WriteResult
		status = "stdinClosed"
		if err := run.session.Call(s.ctx, "exec/write", protocol.WriteParams{ExecID: run.exec, Data: p.Data}, &r); err == nil && r.Status == "accepted" {
			status = "accepted"
		}
	}
	return struct {
		Status string `json:"status"`
	}{status}, nil
}

type nameParams struct {
	ID     string `json:"processId"`
	Signal string `json:"signal"`
}

func (s *server) signal(p nameParams) (any, error) {
	run := s.find(p.ID)
	if run == nil || p.Signal != "interrupt" {
		return nil, fault{invalidParams, "there is no such process or signal"}
	}
	return struct{}{}, run.session.Call(s.ctx, "exec/signal", protocol.SignalParams{ExecID: run.exec, Signal: "SIGINT"}, nil)
}

func (s *server) terminate(p nameParams) (any, error) {
	running := false
	if run := s.find(p.ID); run != nil {
		run.mu.Lock()
		running = !run.ended
		run.mu.Unlock()
		if running {
			_ = run.session.Call(s.ctx, "exec/cancel", protocol.CancelParams{ExecID: run.exec, Reason: "terminated by Codex"}, nil)
		}
	}
	return struct {
		Running bool `json:"running"`
	}{running}, nil
}
