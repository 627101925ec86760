package rpc

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// sandboxList looks at processes, so the reader goes on meanwhile.
func (s *server) sandboxList(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if bad := decode(req.Params(), new(SandboxListParams)); bad != nil {
		return nil, bad.fault()
	}
	engine := s.commands()
	jsonrpc2.Async(ctx)
	out := SandboxListResult{Sandboxes: []SandboxInfo{}}
	for _, i := range engine.Sandboxes() {
		out.Sandboxes = append(out.Sandboxes, sandboxInfo(i))
	}
	return out, nil
}

func sandboxInfo(i sandbox.Info) SandboxInfo {
	out := SandboxInfo{
		Name: i.Name, PolicyHash: i.PolicyHash, Mode: string(i.Mode), Network: string(i.Network), Processes: []SandboxProcess{},
	}
	for _, p := range i.Processes {
		out.Processes = append(out.Processes, SandboxProcess{PID: p.PID, Command: display(p.Command), ExecID: p.Exec})
	}
	return out
}

// sandboxReset is answered when everything of the sandbox is gone.
func (s *server) sandboxReset(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p := new(SandboxResetParams)
	if bad := decodeStrict(req.Params(), p, never); bad != nil {
		return nil, bad.fault()
	}
	engine := s.commands()
	jsonrpc2.Async(ctx)
	killed, err := engine.Reset(p.Name, p.Force)
	if err != nil {
		return nil, err // handle makes the answer of it
	}
	return SandboxResetResult{Killed: killed}, nil
}
